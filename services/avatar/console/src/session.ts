import { createSession } from "@frontdesk/ui";
import { questions } from "./api.ts";

/** Refusals that say something about what was typed, not about who is signed in. */
const ABOUT_A_CODE = new Set(["invalid_code", "mfa_required", "invalid_totp"]);

export const session = createSession({
  identity: questions.me,
  publicKeys: ["config", "styles"],
  hasEnded: ({ status, code }) => status === 401 && !ABOUT_A_CODE.has(code),
});

export const { queryClient, changed } = session;

export const startSession = () => queryClient.refetchQueries(questions.me);
