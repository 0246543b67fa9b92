import { createSession } from "@frontdesk/ui";
import { questions } from "./api.ts";

export const session = createSession({
  identity: questions.session,
  who: (name: string) => name,
  publicKeys: ["session"],
  hasEnded: ({ code }) => code === "AUTH_REQUIRED",
});

export const { queryClient, changed } = session;
