import { createSigninApi, type SigninOperations } from "@frontdesk/signin/pages";
import { createApi } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { AvatarOperations } from "../../src/http/operation-schemas.ts";
import type { Design } from "./editor/design.ts";
import { words } from "./words/codes.ts";

const { call } = createApi<AvatarOperations>({ words });

/** For the pages that every service shares. */
export const signin = createSigninApi(createApi<SigninOperations>({ words }));

/** What the server can be asked, each with the name it has in the cache. */
export const questions = {
  /** Null: nobody is signed in, which is an answer and no failure. */
  me: queryOptions({
    queryKey: ["me"],
    queryFn: async () => {
      const { signed_in } = await call("GET /auth/session");
      return signed_in ? call("GET /me") : null;
    },
  }),
  config: queryOptions({
    queryKey: ["config"],
    queryFn: () => call("GET /config"),
    staleTime: Number.POSITIVE_INFINITY,
  }),
  styles: queryOptions({
    queryKey: ["styles"],
    queryFn: async () => (await call("GET /styles")).styles,
    staleTime: Number.POSITIVE_INFINITY,
  }),
  avatar: queryOptions({
    queryKey: ["avatar"],
    queryFn: async () => (await call("GET /me/avatar")).avatar,
  }),
  sessions: queryOptions({
    queryKey: ["sessions"],
    queryFn: async () => (await call("GET /me/sessions")).sessions,
  }),
  admins: queryOptions({
    queryKey: ["admins"],
    queryFn: async () => (await call("GET /platform/admins")).admins,
  }),
  metrics: queryOptions({
    queryKey: ["metrics"],
    queryFn: () => call("GET /platform/metrics"),
  }),
  preview: (design: Design) =>
    queryOptions({
      queryKey: ["preview", design],
      queryFn: async ({ signal }) => {
        const svg = await call("POST /me/avatar/preview", { json: design, signal });
        return `data:image/svg+xml,${encodeURIComponent(svg)}`;
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 3 * 60_000,
    }),
};

/** The write is made only where the avatar is of the version that was seen; null: where there is none. */
const whereSeen = (version: number | null) =>
  version === null ? ({ ifNoneMatch: "*" } as const) : { ifMatch: `"${version}"` };

const withImage = (image: Blob, name: string) => {
  const form = new FormData();
  form.set("image", image, name);
  return { form };
};

/** What the server can be told to do. */
export const orders = {
  signOut: () => call("POST /auth/logout"),
  signOutEverywhere: () => call("POST /auth/logout-everywhere"),
  endSession: (id: string) => call("DELETE /me/sessions/{id}", { path: { id } }),
  setName: (name: { first_name: string; last_name: string | null }) => call("POST /me/name", { json: name }),
  /** `version` is the one that the change is made to. */
  changeName: (name: { first_name: string; last_name: string | null }, version: string) =>
    call("PATCH /me/name", { json: name, ifMatch: `"${version}"` }),
  saveDesign: (design: Design, seen: number | null) =>
    call("POST /me/avatar", { json: design, ...whereSeen(seen) }),
  upload: (image: Blob, name: string, seen: number | null) =>
    call("POST /me/avatar/upload", { ...withImage(image, name), ...whereSeen(seen) }),
  fromPhoto: (image: Blob) => call("POST /me/avatar/from-photo", withImage(image, "photo.jpg")),
  removeAvatar: (seen: number) => call("DELETE /me/avatar", whereSeen(seen)),
  addEmail: (email: string) => call("POST /me/emails", { json: { email } }),
  verifyEmail: (answer: { email: string; code: string; totp?: string }) =>
    call("POST /me/emails/verify", { json: answer }),
  makePrimary: (email: string) => call("POST /me/emails/primary", { json: { email } }),
  removeEmail: (email: string) => call("DELETE /me/emails", { json: { email } }),
  deleteAccount: (confirm: string) => call("DELETE /me", { json: { confirm } }),
  grantAdmin: (email: string) => call("POST /platform/admins", { json: { email } }),
  revokeAdmin: (id: string) => call("DELETE /platform/admins/{userId}", { path: { userId: id } }),
};
