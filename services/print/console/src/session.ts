import { ApiError, createQueryClient } from "@frontdesk/ui";
import { questions } from "./api.ts";

/** When the bridge no longer knows the session, nobody is signed in, and the page shows the way in. */
export const queryClient = createQueryClient((error) => {
  if (error instanceof ApiError && error.code === "AUTH_REQUIRED") forgetSession();
});

/** Leaves nothing of the bridge's in the page. */
export function forgetSession(): void {
  queryClient.setQueryData(questions.session.queryKey, false);
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
}

/** Asks again for what an order has changed. */
export const changed = (...what: Array<{ queryKey: readonly unknown[] }>) =>
  Promise.all(what.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
