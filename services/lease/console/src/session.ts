import { createSession } from "@frontdesk/ui";
import { type Me, questions } from "./api.ts";

export const session = createSession({
  identity: questions.me,
  who: ({ username }: Me) => username,
  rights: ({ role }) => role,
  publicKeys: ["me"],
  hasEnded: ({ code }) => code === "unauthorized",
});

export const { queryClient, changed } = session;
