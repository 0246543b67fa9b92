import { createSigninApi, type SigninOperations } from "@frontdesk/signin/pages";
import { type ApiError, createApi } from "@frontdesk/ui";
import { keepPreviousData, type Query, queryOptions } from "@tanstack/react-query";
import type { AppOperations } from "../../src/http/app-operation-schemas.ts";
import { isRefusal } from "./refusal.ts";
import type { Me } from "./shapes.ts";
import { byName } from "./shared-events.ts";
import type { TodoFilter } from "./todos/todo-lists.ts";
import { todoPages } from "./todos/todo-pages.ts";
import { words } from "./words/codes.ts";

export const BASE = "/api/v1/app";
let onRefusal: (refusal: ApiError) => void = () => {};
/** Who is told of every refusal: the session, which asks for its own by these calls. */
export const heedRefusals = (listener: (refusal: ApiError) => void): void => {
  onRefusal = listener;
};
export const { call } = createApi<AppOperations>({
  words,
  base: BASE,
  onRefusal: (refusal) => onRefusal(refusal),
});

/** For the pages that every service shares. */
export const signin = createSigninApi(createApi<SigninOperations>({ words, base: BASE }));

/**
 * What the stream keeps right was asked for because the stream said so: where that failed, nobody else would ask, and a
 * screen on a wall would show what is old.
 */
const ASK_AGAIN_MS = 30_000;
const whileFailing = <Data, Key extends readonly unknown[]>({ state }: Query<Data, Error, Data, Key>) =>
  state.status === "error" && !isRefusal(state.error) ? ASK_AGAIN_MS : false;

type TodosOf = Pick<TodoFilter, "member" | "project">;

/** As many as the server lets one member have. */
const MAX_OPEN_TODOS = 10_000;

/** The stream finds it by `["todos", org]`, and what it holds by the filter behind that. */
const todoList = (org: string, filter: TodoFilter, most: number) =>
  queryOptions({
    queryKey: ["todos", org, filter, most],
    queryFn: () =>
      todoPages(most, (page) =>
        call("GET /orgs/{org}/todos", { path: { org }, query: { ...filter, ...page } }),
      ),
    // While older ones are asked for, those that are there stay.
    placeholderData: keepPreviousData,
    // As with the board: to compare thousands with thousands takes longer than to draw those in sight.
    structuralSharing: false,
  });

/** What the server can be asked, each with the name it has in the cache. */
export const questions = {
  /** Null: nobody is signed in, which is an answer and no failure. */
  me: queryOptions({
    queryKey: ["me"],
    queryFn: async (): Promise<Me | null> => {
      const { signed_in } = await call("GET /auth/session");
      return signed_in ? call("GET /me") : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  }),
  config: queryOptions({ queryKey: ["config"], queryFn: () => call("GET /config") }),
  sessions: queryOptions({
    queryKey: ["sessions"],
    queryFn: async () => (await call("GET /me/sessions")).sessions,
  }),
  board: (org: string) =>
    queryOptions({
      queryKey: ["board", org],
      queryFn: () => call("GET /orgs/{org}/board", { path: { org } }),
      // The stream keeps it right.
      staleTime: Number.POSITIVE_INFINITY,
      refetchInterval: whileFailing,
      structuralSharing: false,
    }),
  ends: (org: string, member: string | undefined) =>
    queryOptions({
      queryKey: ["ends", org, member],
      queryFn: () =>
        member === undefined
          ? call("GET /orgs/{org}/me/ends", { path: { org } })
          : call("GET /orgs/{org}/members/{id}/ends", { path: { org, id: member } }),
      staleTime: 30_000,
      refetchInterval: 60_000,
    }),
  planned: (org: string) =>
    queryOptions({
      queryKey: ["planned", org],
      queryFn: async () => (await call("GET /orgs/{org}/me/planned", { path: { org } })).data,
    }),
  calendar: (org: string) =>
    queryOptions({
      queryKey: ["calendar", org],
      queryFn: () => call("GET /orgs/{org}/me/calendar", { path: { org } }),
    }),
  /** What somebody has to do, or a project has: all of it, in its order. */
  openTodos: (org: string, of: TodosOf) =>
    todoList(org, { ...of, archived: false, done: false, order: "position" }, MAX_OPEN_TODOS),
  /** What was done last, and so many before it. */
  doneTodos: (org: string, of: TodosOf, most: number) =>
    todoList(org, { ...of, archived: false, done: true, order: "done" }, most),
  archivedTodos: (org: string, of: TodosOf, most: number) =>
    todoList(org, { ...of, archived: true, order: "changed" }, most),
  projects: (org: string) =>
    queryOptions({
      queryKey: ["projects", org],
      queryFn: async () => (await call("GET /orgs/{org}/projects", { path: { org } })).data,
    }),
  shareLinks: (org: string) =>
    queryOptions({
      queryKey: ["share-links", org],
      queryFn: async () => (await call("GET /orgs/{org}/share-links", { path: { org } })).data,
    }),
  invitations: (org: string) =>
    queryOptions({
      queryKey: ["invitations", org],
      queryFn: async () => (await call("GET /orgs/{org}/invitations", { path: { org } })).data,
    }),
  statuses: (org: string) =>
    queryOptions({
      queryKey: ["statuses", org],
      queryFn: async () => (await call("GET /orgs/{org}/statuses", { path: { org } })).data,
    }),
  tokens: (org: string) =>
    queryOptions({
      queryKey: ["tokens", org],
      queryFn: async () => (await call("GET /orgs/{org}/tokens", { path: { org } })).data,
    }),
  webhooks: (org: string) =>
    queryOptions({
      queryKey: ["webhooks", org],
      queryFn: async () => (await call("GET /orgs/{org}/webhooks", { path: { org } })).data,
    }),
  shared: (token: string) =>
    queryOptions({
      queryKey: ["shared", token],
      queryFn: async () => byName(await call("GET /shared/{token}", { path: { token } })),
      staleTime: Number.POSITIVE_INFINITY,
      refetchInterval: whileFailing,
      structuralSharing: false,
    }),
};
