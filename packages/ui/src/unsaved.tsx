import { useCallback, useEffect, useRef, useState } from "react";
import { useConfirm } from "./confirm.tsx";
import { type Draft, forgetDraft, holdDraft, keepDraft, takeDraft } from "./drafts.ts";
import { guardLeaving } from "./leave-guard.ts";
import { t } from "./words/frame.ts";

export interface Unsaved<T> {
  readonly value: T;
  readonly set: (next: T | ((before: T) => T)) => void;
  readonly isDirty: boolean;
  /** The draft was begun on another version than the one that is stored now. */
  readonly isOutdated: boolean;
  /** What was stored when the edit was begun: what is another than in it was changed here. */
  readonly from: T;
  /** The version the edit is based on: what a write must name. */
  readonly base: string;
  /** A draft of an earlier visit was found and is shown. */
  readonly wasRestored: boolean;
  /** Keeps the draft, as an edit of what is stored now. */
  readonly rebase: () => void;
  /** Takes what is stored and forgets the draft. */
  readonly discard: () => void;
  /** Call after a write succeeded, with what was written: what was typed meanwhile stays unsaved. */
  readonly saved: (written: T) => void;
}

/**
 * What a person is editing. It survives leaving the page, a reload, an expired session and a server that is away, since
 * each change is kept in the browser; leaving asks first. `key` names what is edited and for whom. `isRemoved`: it is stored
 * no more, and what is on the page is there alone. `isSecret`: it is kept while the page is open, and not in the browser.
 */
export function useUnsaved<T>(
  key: string,
  stored: { readonly value: T; readonly version: string },
  { asksOnLeaving = true, isRemoved = false, isSecret = false } = {},
): Unsaved<T> {
  const [found] = useState(() => takeDraft<T>(key, { isSecret }));
  const [draft, setDraft] = useState(found);
  // After a write succeeded, until what is stored is asked for anew: what was written, not what it was before.
  const [written, setWritten] = useState<{ value: T; over: string }>();
  const isBehind = written !== undefined && written.over === JSON.stringify(stored);
  // Once something else was stored, what was written is past: the same may be stored again later, and is then what counts.
  if (written !== undefined && !isBehind) setWritten(undefined);
  const value = draft ? draft.value : isBehind ? written.value : stored.value;
  const isDirty = draft !== undefined && !isEqual(draft.value, stored.value);
  /** The version before the last write. */
  const overwritten = useRef(stored.version);
  const latest = useRef({ value, stored, draft, isBehind, isRemoved });
  latest.current = { value, stored, draft, isBehind, isRemoved };

  const keep = useCallback(
    (next: Draft<T> | undefined) => {
      const { stored: base } = latest.current;
      latest.current = { ...latest.current, draft: next, value: next ? next.value : base.value };
      if (next) keepDraft(key, next, { isSecret });
      else forgetDraft(key);
      setDraft(next);
    },
    [key, isSecret],
  );
  const forget = useCallback(() => keep(undefined), [keep]);
  useEffect(() => holdDraft(key, forget), [key, forget]);
  const set = useCallback(
    (next: T | ((before: T) => T)) => {
      const { value: before, stored: base, draft: current } = latest.current;
      const changed = typeof next === "function" ? (next as (before: T) => T)(before) : next;
      // What was changed back is no work to be kept.
      const isUndone =
        !latest.current.isBehind &&
        !latest.current.isRemoved &&
        (current?.base ?? base.version) === base.version &&
        isEqual(changed, base.value);
      keep(
        isUndone ? undefined : { ...(current ?? { base: base.version, from: base.value }), value: changed },
      );
    },
    [keep],
  );

  const rebase = useCallback(() => {
    const { stored: base, draft: current } = latest.current;
    if (current) keep({ value: current.value, base: base.version, from: base.value });
  }, [keep]);

  const saved = useCallback(
    (value: T) => {
      const { value: shown, stored: over } = latest.current;
      setWritten({ value, over: JSON.stringify(over) });
      overwritten.current = over.version;
      keep(isEqual(shown, value) ? undefined : { value: shown, base: null, from: value });
    },
    [keep],
  );
  // What was typed during a write is an edit of what was written, once the version of that is known. Where something
  // else is stored by then, somebody saved after us: the draft stays behind that.
  useEffect(() => {
    const { draft: current, stored: now } = latest.current;
    if (isBehind || current?.base !== null) return;
    if (isEqual(current.from, now.value)) rebase();
    else keep({ ...current, base: overwritten.current });
  }, [isBehind, rebase, keep]);

  const confirm = useConfirm();
  useEffect(() => {
    if (!isDirty || !asksOnLeaving) return;
    return guardLeaving(async (leaving) => {
      // Saved in this very turn, and on the way to another page because of that. Signing out asks for all drafts at once.
      if (!latest.current.draft || leaving === "session") return true;
      return confirm({
        title: t.leaveWithoutSaving,
        body: isSecret ? t.whatYouChangedIsKeptInThePage : t.whatYouChangedIsKeptIn,
        action: t.leave,
      });
    });
  }, [isDirty, asksOnLeaving, isSecret, confirm]);

  const base = draft?.base ?? stored.version;
  // A version that changed nothing of what is edited here is no other one.
  const isOutdated = isDirty && base !== stored.version && !isEqual(draft.from, stored.value);
  return {
    value,
    set,
    isDirty,
    isOutdated,
    from: draft?.from ?? stored.value,
    base: isOutdated ? base : stored.version,
    wasRestored: found !== undefined && draft === found && isDirty,
    rebase,
    discard: forget,
    saved,
  };
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
