import {
  type QueryClient,
  type QueryFilters,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiError } from "./api-client.ts";
import { forgetDrafts, setDraftOwner } from "./drafts.ts";
import { dropGuards } from "./leave-guard.ts";
import { createQueryClient } from "./query-client.ts";
import { tellWriteRefused } from "./refused-writes.ts";
import { signedInBefore } from "./signed-in-before.ts";
import { tellLeft } from "./when-left.ts";

export interface SessionOptions<Identity, Key extends QueryKey> {
  /** The query that tells who is signed in; its data is null for nobody. */
  readonly identity: UseQueryOptions<Identity | null, Error, Identity | null, Key> & {
    readonly queryKey: Key;
  };
  /** Tells one person from another. */
  readonly who: (identity: Identity) => string;
  /** What the person may do and read, where that can change: answers to one who might do less, or more, are asked for anew. */
  readonly rights?: (identity: Identity) => string;
  /** What may stay in the page when nobody is signed in, by the first word of its key. */
  readonly publicKeys: readonly string[];
  /** Which refusals mean that the session has ended. */
  readonly hasEnded: (error: ApiError) => boolean;
}

export interface Session<Identity> {
  readonly queryClient: QueryClient;
  readonly useIdentity: () => UseQueryResult<Identity | null>;
  readonly who: (identity: Identity) => string;
  /**
   * The person leaves by an order to the server that ends the session: afterwards nothing of theirs stays in the page or in the browser.
   * A request that is on its way meanwhile and comes too late is no session that has ended by itself.
   */
  readonly leave: (order: () => Promise<unknown>) => Promise<void>;
  /** The same by an order that does nothing else: a session that has ended is as the person wants it, whatever the order was answered. */
  readonly signOut: (order: () => Promise<unknown>) => Promise<void>;
  /** Whether nobody is signed in because the person left or is about to, not because the session ended. */
  readonly useHasLeft: () => boolean;
  /** Has a refusal looked at that no query and no mutation has met: it may say that the session has ended. */
  readonly heed: (refusal: ApiError) => void;
  /** Asks anew for what something has changed. */
  readonly changed: (...what: ReadonlyArray<{ queryKey: QueryKey }>) => Promise<unknown>;
}

/** Who is signed in, as far as this page knows. When the server no longer knows the session, the page finds out at its next question. */
export function createSession<Identity, Key extends QueryKey>(
  options: SessionOptions<Identity, Key>,
): Session<Identity> {
  const { identity, who, rights = () => "", publicKeys, hasEnded } = options;
  const queryKey: QueryKey = identity.queryKey;
  const listeners = new Set<() => void>();
  let left = false;
  let leaving = false;
  let known: { readonly name: string; readonly rights: string } | undefined;
  let wasSignedIn: boolean | undefined;
  const queryClient = createQueryClient((error) => {
    // Somebody else has written meanwhile: what is shown is no longer what is stored.
    if (error instanceof ApiError && error.status === 412)
      void queryClient.invalidateQueries().then(tellWriteRefused);
    // The person may do less than before: the page offers it no longer. Where that cannot be asked, it is not asked for ever.
    const isAskable = queryClient.getQueryState(queryKey)?.status === "success";
    if (error instanceof ApiError && error.status === 403 && isAskable)
      void queryClient.invalidateQueries({ queryKey });
    if (error instanceof ApiError) heed(error);
  });
  const heed = (refusal: ApiError) => {
    if (leaving || !hasEnded(refusal) || !queryClient.getQueryData(identity.queryKey)) return;
    setLeft(false);
    queryClient.setQueryData(queryKey, null);
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const setLeft = (next: boolean) => {
    left = next;
    tell();
  };
  const answers: QueryFilters = {
    predicate: ({ queryKey }) =>
      !publicKeys.includes(String(queryKey[0])) && queryKey[0] !== identity.queryKey[0],
  };
  const forgetAnswers = () => queryClient.removeQueries(answers);
  queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] !== identity.queryKey[0] || query.state.data === undefined) return;
    const isSignedIn = query.state.data !== null;
    // Only what is new here: what another tab has learnt meanwhile is not taken back.
    if (isSignedIn !== wasSignedIn) {
      const hasLeft = signedInBefore.get() === "left";
      signedInBefore.set(isSignedIn ? "yes" : hasLeft ? "left" : "no");
    }
    wasSignedIn = isSignedIn;
    if (!query.state.data) return;
    // Whoever signs in after leaving has not left.
    if (left) setLeft(false);
    // Where a session ended and another person signs in, nothing of the one before is shown to them.
    const before = known;
    const person = query.state.data as Identity;
    known = { name: who(person), rights: rights(person) };
    if (before !== undefined && before.name !== known.name) {
      forgetAnswers();
      tellLeft();
    } else if (before !== undefined && before.rights !== known.rights) {
      // The page stays, and with it what was typed.
      void queryClient.resetQueries(answers);
    }
    setDraftOwner(known.name);
  });
  const beLeft = () => {
    // An answer that is on its way says who was signed in before.
    void queryClient.cancelQueries({ queryKey });
    setLeft(true);
    signedInBefore.set("left");
    forgetDrafts();
    // What comes too late, or is still being typed, is kept for nobody.
    setDraftOwner(undefined);
    dropGuards();
    tellLeft();
    queryClient.setQueryData(queryKey, null);
    forgetAnswers();
  };
  // Tabs share the session: one that was signed in or out in another knows it at once.
  signedInBefore.onChangeElsewhere(() => {
    if (leaving) return;
    if (signedInBefore.get() === "left") beLeft();
    else void queryClient.invalidateQueries({ queryKey });
  });
  const leave = async (order: () => Promise<unknown>) => {
    leaving = true;
    tell();
    try {
      await order();
      beLeft();
    } catch (error) {
      // What was refused meanwhile was not looked at.
      void queryClient.invalidateQueries({ queryKey: identity.queryKey });
      throw error;
    } finally {
      leaving = false;
      tell();
    }
  };
  const isSomebody = () =>
    queryClient.fetchQuery({ ...identity, staleTime: 0, retry: false }).then(
      (now) => now !== null,
      () => true,
    );
  return {
    queryClient,
    useIdentity: () => useQuery(identity),
    who,
    heed,
    leave,
    signOut: (order) =>
      leave(() =>
        order().catch(async (error: unknown) => {
          if (error instanceof ApiError && hasEnded(error)) return;
          // The answer may be lost of an order that was done.
          if (await isSomebody()) throw error;
        }),
      ),
    useHasLeft: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        () => left || leaving,
      ),
    changed: (...what) =>
      Promise.all(what.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey }))),
  };
}
