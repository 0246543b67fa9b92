import { createSigninApi, type SigninOperations } from "@frontdesk/signin/pages";
import { createApi } from "@frontdesk/ui";
import { type Query, queryOptions } from "@tanstack/react-query";
import type { AppOperations } from "../../src/http/app-operation-schemas.ts";
import { inOrder } from "./board-events.ts";
import { isRefusal } from "./refusal.ts";
import type { Me, Reply, Todo } from "./shapes.ts";
import { words } from "./words/codes.ts";

export const BASE = "/api/v1/app";
export const { call } = createApi<AppOperations>({ words, base: BASE });

/** For the pages that every service shares. */
export const signin = createSigninApi(createApi<SigninOperations>({ words, base: BASE }));

/**
 * What the stream keeps right was asked for because the stream said so: where that failed, nobody else would ask, and a
 * screen on a wall would show what is old.
 */
const ASK_AGAIN_MS = 30_000;
const whileFailing = <Data, Key extends readonly unknown[]>({ state }: Query<Data, Error, Data, Key>) =>
  state.status === "error" && !isRefusal(state.error) ? ASK_AGAIN_MS : false;

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
  /** All of somebody's TODOs, or all of a project's: done ones too, archived ones or not. */
  todos: (org: string, of: { member?: string; project?: string; archived: boolean }) =>
    queryOptions({ queryKey: ["todos", org, of], queryFn: () => everyTodo(org, of) }),
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
      queryFn: () => call("GET /shared/{token}", { path: { token } }),
      staleTime: Number.POSITIVE_INFINITY,
      refetchInterval: whileFailing,
    }),
};

/** Page after page: whoever has more TODOs than this has another trouble than reading them. */
const MAX_TODO_PAGES = 10;

/** What is open before what is done, so that nothing that is to be done is cut off behind it. */
async function everyTodo(org: string, query: { member?: string; project?: string; archived: boolean }) {
  const open = await todoPages(org, { ...query, done: false });
  return inOrder([...open, ...(await todoPages(org, { ...query, done: true }))]);
}

async function todoPages(
  org: string,
  query: { member?: string; project?: string; archived: boolean; done: boolean },
) {
  const all: Todo[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_TODO_PAGES; page++) {
    const reply: Reply<"GET /orgs/{org}/todos"> = await call("GET /orgs/{org}/todos", {
      path: { org },
      query: { ...query, ...(cursor === null ? {} : { cursor }) },
    });
    all.push(...reply.data);
    cursor = reply.nextCursor;
    if (cursor === null) break;
  }
  return all;
}
