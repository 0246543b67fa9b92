/** Drafts are kept this long; older ones belong to work that nobody remembers. */
const MAX_AGE_MS = 14 * 24 * 3_600_000;
/** A tab that crashed gives nothing back: after this time its drafts are anybody's. */
const MAX_HELD_MS = 3_600_000;
const PREFIX = "frontdesk-draft:";
const TAB_PLACE = "frontdesk-tab";

export interface Draft<T> {
  readonly value: T;
  /** The version of what was being edited when the draft was begun; null: the one that was written last and is not known yet. */
  readonly base: string | null;
  /** What was stored in that version. */
  readonly from: T;
}

interface Kept<T> extends Draft<T> {
  readonly at: number;
  /** The form is open in a tab, which alone may change the draft. */
  readonly held: boolean;
}

/** Each tab has drafts of its own, which a reload finds again. A tab that is duplicated is another one. */
const tab = takeTab();
const open = new Set<string>();
const placeOf = (key: string) => `${PREFIX}${tab} ${key}`;
const keyOf = (place: string) => place.slice(place.indexOf(" ") + 1);

/** The draft of this tab; where there is none, the newest that a tab has left behind, which becomes this one's. */
export function takeDraft<T>(key: string): Draft<T> | undefined {
  const own = read<T>(placeOf(key));
  if (own) return own;
  const [left] = places()
    .filter((place) => keyOf(place) === key)
    .flatMap((place) => {
      const kept = read<T>(place);
      return kept && !isHeld(kept) ? [{ place, kept }] : [];
    })
    .sort((one, other) => other.kept.at - one.kept.at);
  if (!left) return undefined;
  localStorage.removeItem(left.place);
  write(placeOf(key), left.kept);
  return left.kept;
}

export const keepDraft = <T>(key: string, draft: Draft<T>) =>
  write(placeOf(key), { ...draft, at: Date.now(), held: open.has(key) });

export const forgetDraft = (key: string) => localStorage.removeItem(placeOf(key));

/** The form is open here; answers with how to say that it no longer is. */
export function holdDraft(key: string): () => void {
  open.add(key);
  setHeld(key, true);
  return () => {
    open.delete(key);
    setHeld(key, false);
  };
}

/** Whether anything in this browser is not saved, in whichever tab. */
export const hasDrafts = (): boolean => places().length > 0;

/** Forgets every draft: whoever signs out leaves nothing in the browser. */
export function forgetDrafts(): void {
  for (const place of places()) localStorage.removeItem(place);
}

const places = () => Object.keys(localStorage).filter((place) => place.startsWith(PREFIX));

const isHeld = ({ held, at }: Kept<unknown>) => held && Math.abs(Date.now() - at) < MAX_HELD_MS;

function setHeld(key: string, held: boolean): void {
  const kept = read(placeOf(key));
  if (kept) write(placeOf(key), { ...kept, held });
}

function read<T>(place: string): Kept<T> | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "null") as Kept<T> | null;
    if (kept && Date.now() - kept.at < MAX_AGE_MS) return kept;
    localStorage.removeItem(place);
  } catch {
    // Storage that is shut off or spoiled: there is no draft.
  }
  return undefined;
}

function write(place: string, kept: Kept<unknown>): void {
  try {
    localStorage.setItem(place, JSON.stringify(kept));
  } catch {
    // Full or shut off: the edit goes on, only a reload would lose it.
  }
}

function takeTab(): string {
  const fresh = Math.random().toString(36).slice(2);
  if (typeof window === "undefined") return fresh;
  const before = sessionStorage.getItem(TAB_PLACE);
  sessionStorage.removeItem(TAB_PLACE);
  const name = before ?? fresh;
  window.addEventListener("pagehide", () => {
    sessionStorage.setItem(TAB_PLACE, name);
    for (const key of open) setHeld(key, false);
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    sessionStorage.removeItem(TAB_PLACE);
    for (const key of open) setHeld(key, true);
  });
  return name;
}
