import { useCallback, useEffect, useRef, useState } from "react";
import { useConfirm } from "./confirm.tsx";
import {
  type Draft,
  dropDraft,
  forgetDraft,
  holdDraft,
  keepDraft,
  peekDraft,
  takeDraft,
  UNKNOWN_VERSION,
} from "./drafts.ts";
import { useIsMounted } from "./is-mounted.ts";
import { guardLeaving } from "./leave-guard.ts";
import { whenWriteRefused } from "./refused-writes.ts";
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
  /** Call as soon as a write succeeded: what was typed meanwhile stays unsaved, as an edit of what was written. */
  readonly saved: (written: T, made: Made<T>) => void;
  /** Makes what is not saved an edit of another record, which was made from this form. */
  readonly moveTo: (key: string, edited: (typed: T) => T) => void;
}

/** What a write made: its version, or where the reply has none, what is stored now. */
export type Made<T> = { readonly version: string } | { readonly value: T };

/** After a write succeeded, until what is stored is asked for anew: what was written, not what it was before. */
interface Written<T> {
  readonly value: T;
  readonly version: string;
  /** The versions that came before it. */
  readonly over: readonly string[];
}

/** The forms on the page by their keys, each with how it is told of a write. */
const forms = new Map<string, (value: unknown, made: Made<unknown>) => void>();
/** Several records are made under one key: a form that is open with it need not be about the one that was written. */
const isOfOne = (key: string) => !/[ :]~new/.test(key);

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
  const [written, setWritten] = useState<Written<T>>();
  const isBehind = written?.over.includes(stored.version) ?? false;
  // Once something else was stored, what was written is past: the same may be stored again later, and is then what counts.
  if (written !== undefined && !isBehind) setWritten(undefined);
  // So it is where a write was refused: the version before the last write may have been brought back meanwhile.
  useEffect(() => whenWriteRefused(() => setWritten(undefined)), []);
  const known = written !== undefined && isBehind ? written : stored;
  const value = draft ? draft.value : known.value;
  const isDirty = draft !== undefined && !isEqual(draft.value, known.value);
  const base = draft?.base ?? known.version;
  // A version that changed nothing of what is edited here is no other one.
  const isOutdated = isDirty && base !== known.version && !isEqual(draft.from, known.value);
  const rendered = { value, known, stored, draft, written, isOutdated, isRemoved };
  const latest = useRef(rendered);
  latest.current = rendered;
  /** What was changed back to what is stored: while a save is under way, it is another thing than what is being written. */
  const changedBack = useRef<Draft<T>>(undefined);

  const keep = useCallback(
    (next: Draft<T> | undefined) => {
      const { known } = latest.current;
      latest.current = { ...latest.current, draft: next, value: next ? next.value : known.value };
      changedBack.current = undefined;
      if (next) keepDraft(key, next, { isSecret });
      else forgetDraft(key);
      setDraft(next);
    },
    [key, isSecret],
  );
  const forget = useCallback(() => keep(undefined), [keep]);
  useEffect(() => holdDraft(key, forget), [key, forget]);
  // What was changed back, or is stored meanwhile, is no work to be kept.
  const isNoWork = draft !== undefined && !isDirty && !isRemoved;
  useEffect(() => {
    if (!isNoWork) return;
    const { draft: back } = latest.current;
    forget();
    if (isOfOne(key)) changedBack.current = back;
  }, [isNoWork, forget, key]);
  const set = useCallback(
    (next: T | ((before: T) => T)) => {
      const { value: before, known, draft: current } = latest.current;
      const changed = typeof next === "function" ? (next as (before: T) => T)(before) : next;
      keep({ ...(current ?? { base: known.version, from: known.value }), value: changed });
    },
    [keep],
  );

  const rebase = useCallback(() => {
    const { known, draft: current } = latest.current;
    if (current) keep({ value: current.value, base: known.version, from: known.value });
  }, [keep]);

  const isMounted = useIsMounted();
  const saved = useCallback(
    (value: T, made: Made<T>) => {
      const next = { value, version: UNKNOWN_VERSION, ...made };
      const typed = latest.current.draft ?? changedBack.current;
      const edit = typed && { value: typed.value, base: next.version, from: next.value };
      if (!isMounted.current) {
        // The form was closed meanwhile. Where it is open again, what was typed in it since is an edit of what was written.
        const reopened = isOfOne(key) ? forms.get(key) : undefined;
        const kept = peekDraft<T>(key) ?? changedBack.current;
        if (reopened) reopened(value, made as Made<unknown>);
        else if (isEqual(kept?.value, value)) dropDraft(key);
        // So is what was typed in it before it was closed; not what another tab has left.
        else if (edit && isOfOne(key) && isEqual(kept?.value, edit.value)) keepDraft(key, edit, { isSecret });
        return;
      }
      const { stored: now, known, written: before, isOutdated: isOvertaken } = latest.current;
      const isThere = "version" in made ? now.version === made.version : isEqual(now.value, made.value);
      const over = [...(before?.over ?? []), known.version, now.version].filter(
        (each) => each !== next.version,
      );
      const after = isThere || isOvertaken ? undefined : { ...next, over };
      setWritten(after);
      latest.current = { ...latest.current, written: after, known: after ?? now };
      keep(isEqual(edit?.value, value) ? undefined : edit);
    },
    [keep, key, isMounted, isSecret],
  );
  useEffect(() => {
    const told = saved as (value: unknown, made: Made<unknown>) => void;
    forms.set(key, told);
    return () => {
      if (forms.get(key) === told) forms.delete(key);
    };
  }, [key, saved]);
  const moveTo = useCallback(
    (to: string, edited: (typed: T) => T) => {
      // The form was closed meanwhile: what is typed in it since is of another record.
      if (!isMounted.current) return;
      const { draft: current } = latest.current;
      if (current)
        keepDraft(to, { ...current, value: edited(current.value), from: edited(current.from) }, { isSecret });
      forget();
    },
    [forget, isSecret, isMounted],
  );

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

  return {
    value,
    set,
    isDirty,
    isOutdated,
    from: draft?.from ?? known.value,
    base: isOutdated ? base : known.version,
    wasRestored: found !== undefined && draft === found && isDirty,
    rebase,
    discard: forget,
    saved,
    moveTo,
  };
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
