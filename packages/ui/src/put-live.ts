import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** Not at once: where changes come quickly, the server is asked a few times a second and no more. */
const ASK_AGAIN_MS = 300;
/** Where the server could not answer, it is given time. */
const ASK_FAILED_MS = 2_000;
const askedAgain = new WeakSet<Query>();

/**
 * Writes what the server just told into the answers that are shown. An answer that is on its way may have been made
 * before that, and would overwrite it: when it has come it is asked for once more. One that lacks something is not added to, for
 * it would pass for fresh, and what it lacks would never be asked for.
 */
export function putLive<Answer>(
  queries: QueryClient,
  queryKey: QueryKey,
  change: (before: Answer, queryKey: QueryKey) => Answer,
): void {
  for (const query of queries.getQueryCache().findAll({ queryKey })) {
    const { data, fetchStatus } = query.state;
    const isLacking = lacksSomething(query);
    if (data !== undefined && !isLacking)
      queries.setQueryData(query.queryKey, change(data as Answer, query.queryKey));
    if (fetchStatus !== "idle" || (data !== undefined && isLacking)) askAgain(queries, query);
  }
}

/** It could not be read again, or is to be read when somebody looks at it. */
const lacksSomething = ({ state }: Query) =>
  hasFailed(state) || (state.isInvalidated && state.fetchStatus === "idle");

/** Also while it is tried again. */
const hasFailed = ({ status, fetchFailureCount }: Query["state"]) =>
  status === "error" || fetchFailureCount > 0;

/**
 * Asks for what has changed. What is on its way is let come first and asked for after that: where changes come more
 * quickly than answers, each would otherwise take the place of the one before, and none would ever come.
 */
export function askAnew(queries: QueryClient, ...what: ReadonlyArray<{ queryKey: QueryKey }>): void {
  for (const query of what.flatMap(({ queryKey }) => queries.getQueryCache().findAll({ queryKey })))
    askInTurn(queries, query);
}

function askInTurn(queries: QueryClient, query: Query): void {
  if (query.state.fetchStatus === "idle")
    void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  else askAgain(queries, query);
}

function askAgain(queries: QueryClient, query: Query): void {
  if (askedAgain.has(query)) return;
  askedAgain.add(query);
  const ask = () =>
    setTimeout(
      () => {
        askedAgain.delete(query);
        // It may have been asked for since: that answer is let come, too.
        askInTurn(queries, query);
      },
      hasFailed(query.state) ? ASK_FAILED_MS : ASK_AGAIN_MS,
    );
  // One that was put there was never asked for.
  (query.promise ?? Promise.resolve()).then(ask, ask);
}
