import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** Not at once: where changes come quickly, the server is asked a few times a second and no more. */
const ASK_AGAIN_MS = 300;
const askedAgain = new WeakSet<Query>();

/**
 * Writes what the server just told into the answers that are shown. An answer that is on its way may have been made
 * before that, and would overwrite it: when it has come it is asked for once more.
 */
export function putLive<Answer>(
  queries: QueryClient,
  queryKey: QueryKey,
  change: (before: Answer, queryKey: QueryKey) => Answer,
): void {
  for (const query of queries.getQueryCache().findAll({ queryKey })) {
    if (query.state.data !== undefined)
      queries.setQueryData(query.queryKey, change(query.state.data as Answer, query.queryKey));
    if (query.state.fetchStatus !== "idle") askAgain(queries, query);
  }
}

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
    setTimeout(() => {
      askedAgain.delete(query);
      // It may have been asked for since: that answer is let come, too.
      askInTurn(queries, query);
    }, ASK_AGAIN_MS);
  query.promise?.then(ask, ask);
}
