import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiError } from "./api-client.ts";
import { createQueryClient } from "./query-client.ts";
import { forgetDrafts } from "./unsaved.tsx";

export interface SessionOptions {
  /** The query that tells who is signed in; its data is null for nobody. */
  readonly identity: { readonly queryKey: QueryKey };
  /** What may stay in the page when nobody is signed in, by the first word of its key. */
  readonly publicKeys: readonly string[];
  /** Which refusals mean that the session has ended. */
  readonly hasEnded: (error: ApiError) => boolean;
}

export interface Session {
  readonly queryClient: QueryClient;
  /** The person signs out: nothing of theirs stays in the page or in the browser. */
  readonly leave: () => void;
  /** Whether nobody is signed in because the person left, not because the session ended. */
  readonly useHasLeft: () => boolean;
  /** Asks anew for what something has changed. */
  readonly changed: (...what: ReadonlyArray<{ queryKey: QueryKey }>) => Promise<unknown>;
}

/** Who is signed in, as far as this page knows. When the server no longer knows the session, the page finds out at its next question. */
export function createSession({ identity, publicKeys, hasEnded }: SessionOptions): Session {
  const listeners = new Set<() => void>();
  let left = false;
  const queryClient = createQueryClient((error) => {
    if (error instanceof ApiError && hasEnded(error) && queryClient.getQueryData(identity.queryKey)) {
      setLeft(false);
      queryClient.setQueryData(identity.queryKey, null);
    }
  });
  const setLeft = (next: boolean) => {
    left = next;
    for (const listener of listeners) listener();
  };
  // Whoever signs in after that has not left.
  queryClient.getQueryCache().subscribe(({ query }) => {
    if (left && query.queryKey[0] === identity.queryKey[0] && query.state.data) setLeft(false);
  });
  return {
    queryClient,
    leave: () => {
      setLeft(true);
      forgetDrafts();
      queryClient.setQueryData(identity.queryKey, null);
      queryClient.removeQueries({
        predicate: ({ queryKey }) =>
          !publicKeys.includes(String(queryKey[0])) && queryKey[0] !== identity.queryKey[0],
      });
    },
    useHasLeft: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        () => left,
      ),
    changed: (...what) =>
      Promise.all(what.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey }))),
  };
}
