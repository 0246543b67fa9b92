import { createSigninApi } from "@frontdesk/signin/pages";
import { createApi } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { Static } from "typebox";
import type {
  Admins,
  AvatarReply,
  Config,
  DesignSaved,
  EmailWritten,
  SessionsReply,
  Styles,
  SuggestionReply,
  UploadSaved,
} from "../../src/http/api-schemas.ts";
import type { Design } from "./editor/design.ts";
import type { Me, Metrics } from "./shapes.ts";
import { words } from "./words.ts";

const api = createApi({ words });

/** For the pages that every service shares. */
export const signin = createSigninApi(api);

/** What the server can be asked, each with the name it has in the cache. */
export const questions = {
  /** Null: nobody is signed in, which is an answer and no failure. */
  me: queryOptions({
    queryKey: ["me"],
    queryFn: async () => {
      const { signed_in } = await api.json<{ signed_in: boolean }>("GET", "/auth/session");
      return signed_in ? api.json<Me>("GET", "/me") : null;
    },
  }),
  config: queryOptions({
    queryKey: ["config"],
    queryFn: () => api.json<Static<typeof Config>>("GET", "/config"),
    staleTime: Number.POSITIVE_INFINITY,
  }),
  styles: queryOptions({
    queryKey: ["styles"],
    queryFn: async () => (await api.json<Static<typeof Styles>>("GET", "/styles")).styles,
    staleTime: Number.POSITIVE_INFINITY,
  }),
  avatar: queryOptions({
    queryKey: ["avatar"],
    queryFn: async () => (await api.json<Static<typeof AvatarReply>>("GET", "/me/avatar")).avatar,
  }),
  sessions: queryOptions({
    queryKey: ["sessions"],
    queryFn: async () => (await api.json<Static<typeof SessionsReply>>("GET", "/me/sessions")).sessions,
  }),
  admins: queryOptions({
    queryKey: ["admins"],
    queryFn: async () => (await api.json<Static<typeof Admins>>("GET", "/platform/admins")).admins,
  }),
  metrics: queryOptions({
    queryKey: ["metrics"],
    queryFn: () => api.json<Metrics>("GET", "/platform/metrics"),
  }),
  preview: (design: Design) =>
    queryOptions({
      queryKey: ["preview", design],
      queryFn: async ({ signal }) => {
        const svg = await api.text("POST", "/me/avatar/preview", { json: design, signal });
        return `data:image/svg+xml,${encodeURIComponent(svg)}`;
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 3 * 60_000,
    }),
};

const withImage = (image: Blob, name: string) => {
  const form = new FormData();
  form.set("image", image, name);
  return { form };
};

/** What the server can be told to do. */
export const orders = {
  signOut: () => api.json("POST", "/auth/logout"),
  signOutEverywhere: () => api.json("POST", "/auth/logout-everywhere"),
  endSession: (id: string) => api.json("DELETE", `/me/sessions/${encodeURIComponent(id)}`),
  setName: (name: { first_name: string; last_name: string | null }) =>
    api.json("POST", "/me/name", { json: name }),
  changeName: (name: { first_name: string; last_name: string | null }) =>
    api.json("PATCH", "/me/name", { json: name }),
  saveDesign: (design: Design) =>
    api.json<Static<typeof DesignSaved>>("POST", "/me/avatar", { json: design }),
  upload: (image: Blob, name: string) =>
    api.json<Static<typeof UploadSaved>>("POST", "/me/avatar/upload", withImage(image, name)),
  fromPhoto: (image: Blob) =>
    api.json<Static<typeof SuggestionReply>>("POST", "/me/avatar/from-photo", withImage(image, "photo.jpg")),
  removeAvatar: () => api.json("DELETE", "/me/avatar"),
  addEmail: (email: string) =>
    api.json<Static<typeof EmailWritten>>("POST", "/me/emails", { json: { email } }),
  verifyEmail: (answer: { email: string; code: string; totp?: string }) =>
    api.json("POST", "/me/emails/verify", { json: answer }),
  makePrimary: (email: string) => api.json("POST", "/me/emails/primary", { json: { email } }),
  removeEmail: (email: string) => api.json("DELETE", "/me/emails", { json: { email } }),
  deleteAccount: (confirm: string) => api.json("DELETE", "/me", { json: { confirm } }),
  grantAdmin: (email: string) => api.json("POST", "/platform/admins", { json: { email } }),
  revokeAdmin: (id: string) => api.json("DELETE", `/platform/admins/${encodeURIComponent(id)}`),
};
