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
  queryClient.setQueryData(questions.me.queryKey, null);
  queryClient.removeQueries({ predicate: ({ queryKey }) => !PUBLIC.has(queryKey[0]) });
}

const PUBLIC = new Set<unknown>(["me", "config", "styles"]);

export const startSession = () => queryClient.refetchQueries(questions.me);

/** Asks again for what an order has changed. */
export const changed = (...what: Array<{ queryKey: readonly unknown[] }>) =>
  Promise.all(what.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
