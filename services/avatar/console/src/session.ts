import { ApiError, createQueryClient } from "@frontdesk/ui";
import { questions } from "./api.ts";

/** Refusals that say something about what was typed, not about who is signed in. */
const ABOUT_A_CODE = new Set(["invalid_code", "mfa_required", "invalid_totp"]);

/** When the server no longer knows the session, nobody is signed in, and the page shows the way in. */
export const queryClient = createQueryClient((error) => {
  if (error instanceof ApiError && error.status === 401 && !ABOUT_A_CODE.has(error.code)) forgetSession();
});

/** Leaves nothing of the person in the page. */
export function forgetSession(): void {
  queryClient.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] !== "me" && queryKey[0] !== "config",
  });
  void queryClient.resetQueries(questions.me);
}

export async function startSession(): Promise<void> {
  await queryClient.resetQueries(questions.me);
}

export const changed = (...what: Array<{ queryKey: readonly unknown[] }>) =>
  Promise.all(what.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
