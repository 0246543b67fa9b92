import { useCallback, useEffect, useRef, useState } from "react";
import { useConfirm } from "./confirm.tsx";
import { guardLeaving } from "./leave-guard.ts";

/** Drafts are kept this long; older ones belong to work that nobody remembers. */
const MAX_AGE_MS = 14 * 24 * 3_600_000;
const PREFIX = "frontdesk-draft:";

interface Draft<T> {
  readonly value: T;
  /** The version of what was being edited when the draft was begun; null: the one that was written last and is not known yet. */
  readonly base: string | null;
  readonly at: number;
}

export interface Unsaved<T> {
  readonly value: T;
  readonly set: (next: T | ((before: T) => T)) => void;
  readonly isDirty: boolean;
  /** The draft was begun on another version than the one that is stored now. */
  readonly isOutdated: boolean;
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
 * each change is kept in the browser; leaving asks first. `key` names what is edited and for whom.
 */
export function useUnsaved<T>(
  key: string,
  stored: { readonly value: T; readonly version: string },
  { asksOnLeaving = true } = {},
): Unsaved<T> {
  const place = `${PREFIX}${key}`;
  const [found] = useState(() => readDraft<T>(place));
  const [draft, setDraft] = useState(found);
  // After a write succeeded, until what is stored is asked for anew: what was written, not what it was before.
  const [written, setWritten] = useState<{ value: T; over: string }>();
  const isBehind = written !== undefined && written.over === JSON.stringify(stored);
  const value = draft ? draft.value : isBehind ? written.value : stored.value;
  const isDirty = draft !== undefined && JSON.stringify(draft.value) !== JSON.stringify(stored.value);
  const latest = useRef({ value, stored, draft });
  latest.current = { value, stored, draft };

  const forget = useCallback(() => {
    localStorage.removeItem(place);
    latest.current = { ...latest.current, draft: undefined };
    setDraft(undefined);
  }, [place]);
  const set = useCallback(
    (next: T | ((before: T) => T)) => {
      const { value: before, stored: base, draft: current } = latest.current;
      const changed = typeof next === "function" ? (next as (before: T) => T)(before) : next;
      const kept = { value: changed, base: current?.base ?? base.version, at: Date.now() };
      latest.current = { ...latest.current, value: changed, draft: kept };
      writeDraft(place, kept);
      setDraft(kept);
    },
    [place],
  );

  const rebase = useCallback(() => {
    const { stored: base, draft: current } = latest.current;
    if (!current) return;
    const kept = { ...current, base: base.version };
    writeDraft(place, kept);
    setDraft(kept);
  }, [place]);

  const saved = useCallback(
    (value: T) => {
      const { value: shown, stored: over } = latest.current;
      setWritten({ value, over: JSON.stringify(over) });
      if (JSON.stringify(shown) === JSON.stringify(value)) return forget();
      const kept = { value: shown, base: null, at: Date.now() };
      writeDraft(place, kept);
      setDraft(kept);
    },
    [forget, place],
  );
  // What was typed during a write is an edit of what was written, once that is known.
  useEffect(() => {
    if (!isBehind && latest.current.draft?.base === null) rebase();
  }, [isBehind, rebase]);

  const confirm = useConfirm();
  useEffect(() => {
    if (!isDirty || !asksOnLeaving) return;
    return guardLeaving(async () => {
      // Saved in this very turn, and on the way to another page because of that.
      if (!latest.current.draft) return true;
      return confirm({
        title: "Leave without saving?",
        body: "What you changed is kept in this browser as a draft, and is here when you come back.",
        action: "Leave",
      });
    });
  }, [isDirty, asksOnLeaving, confirm]);

  return {
    value,
    set,
    isDirty,
    isOutdated: isDirty && draft.base !== null && draft.base !== stored.version,
    base: draft?.base ?? stored.version,
    wasRestored: found !== undefined && draft === found && isDirty,
    rebase,
    discard: forget,
    saved,
  };
}

/** Forgets every draft: whoever signs out leaves nothing in the browser. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

function readDraft<T>(place: string): Draft<T> | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(place) ?? "null") as Draft<T> | null;
    if (draft && Date.now() - draft.at < MAX_AGE_MS) return draft;
    localStorage.removeItem(place);
  } catch {
    // Storage that is shut off or spoiled: there is no draft.
  }
  return undefined;
}

function writeDraft(place: string, draft: Draft<unknown>): void {
  try {
    localStorage.setItem(place, JSON.stringify(draft));
  } catch {
    // Full or shut off: the edit goes on, only a reload would lose it.
  }
}
