import { useCallback, useMemo, useSyncExternalStore } from "react";
import { draftNames, onDraftsChange, peekDraft } from "./drafts.ts";

export interface RemovedWork<T> {
  /** What the record was called: what follows the prefix in the key of its draft. */
  readonly name: string;
  /** What was stored when the edit was begun. */
  readonly from: T;
  readonly base: string;
  /** What is typed now, which changes without a word. */
  readonly typed: () => T;
}

/**
 * Edits of records that are not there any more: a record may be removed while somebody edits it, and what was typed stays
 * in reach all the same. `present` are the names of the records that are there; undefined: that is not known yet.
 */
export function useRemovedWork<T>(
  prefix: string,
  present: readonly string[] | undefined,
): ReadonlyArray<RemovedWork<T>> {
  // A text, which is the same as long as the names are.
  const names = useSyncExternalStore(
    onDraftsChange,
    useCallback(() => draftNames(prefix).join("\n"), [prefix]),
  );
  const there = present?.join("\n");
  return useMemo(() => {
    if (there === undefined) return [];
    const known = new Set(there.split("\n"));
    return (
      names
        .split("\n")
        // What was never stored was not removed.
        .filter((name) => name !== "" && !name.startsWith("~new") && !known.has(name))
        .flatMap((name) => {
          const draft = peekDraft<T>(prefix + name);
          if (!draft) return [];
          const typed = () => peekDraft<T>(prefix + name)?.value ?? draft.value;
          return [{ name, from: draft.from, base: draft.base, typed }];
        })
    );
  }, [prefix, names, there]);
}
