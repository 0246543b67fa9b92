import { browserStorage, tabStorage } from "./storage.ts";

/** Drafts are kept this long; older ones belong to work that nobody remembers. */
const MAX_AGE_MS = 14 * 24 * 3_600_000;
/** A tab that crashed gives nothing back: after this time without a sign of life its drafts are any tab's. */
const MAX_HELD_MS = 3_600_000;
const PREFIX = "frontdesk-draft:";
const TAB_PLACE = "frontdesk-tab";
/** The base of a draft where no version is known: only what it was begun on tells whether something else is stored. */
export const UNKNOWN_VERSION = "";

export interface Draft<T> {
  readonly value: T;
  /** The version of what was being edited when the draft was begun. */
  readonly base: string;
  /** What was stored in that version. */
  readonly from: T;
}

interface Kept<T> extends Draft<T> {
  readonly at: number;
  /** The form is open in a tab, which alone may change the draft. */
  readonly held: boolean;
  /** When that tab gave a sign of life, if nothing was typed since. */
  readonly heldAt?: number;
}

/** Each tab has drafts of its own, which a reload finds again. A tab that is duplicated is another one. */
const tab = takeTab();
/** Where the draft of each form lies that is open: its owner may be another one before it is closed. */
const open = new Map<string, string>();
/** How the form of each draft is told that it is dropped. */
const dropped = new Map<string, () => void>();
/** Drafts that may hold secrets: localStorage outlives the session and lies unencrypted on the disk, so they stay in the page. */
const inPage = new Map<string, string>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of [...listeners]) listener();
};
/** Several people may use one browser: nobody is shown, or signs away, what another has typed. Undefined: who it was has left. */
let owner: string | undefined = "";
const placeOf = (key: string) => `${PREFIX}${tab} ${owner} ${key}`;

/** From now on drafts are those of this person; of nobody, none are kept. */
export function setDraftOwner(who: string | undefined): void {
  owner = who === undefined ? undefined : encodeURIComponent(who);
}

export const draftOwner = (): string | undefined => owner;

export interface DraftOptions {
  /** It may hold a secret: it is kept for as long as the page is open, and never in the browser's storage. */
  readonly isSecret?: boolean;
}

/** The draft of this tab; where there is none, the newest that a tab has left behind, which becomes this one's. */
export function takeDraft<T>(key: string, { isSecret = false }: DraftOptions = {}): Draft<T> | undefined {
  const place = placeOf(key);
  const own = read<T>(place);
  if (own) {
    // Of a release that kept it in the browser.
    if (isSecret) write(place, own, true);
    return own;
  }
  const left = newestLeft<T>(key);
  if (!left) return undefined;
  remove(left.place);
  write(place, left.kept, isSecret);
  return left.kept;
}

/** The draft that `takeDraft` would answer with; it stays whose it is. */
export const peekDraft = <T>(key: string): Draft<T> | undefined =>
  read<T>(placeOf(key)) ?? newestLeft<T>(key)?.kept;

/** What follows the prefix in the keys of the drafts that this tab can take. */
export function draftNames(prefix: string): string[] {
  const names = ownPlaces()
    .map((place) => place.slice(place.indexOf(" ", place.indexOf(" ") + 1) + 1))
    .filter((key) => key.startsWith(prefix) && peekDraft(key) !== undefined)
    .map((key) => key.slice(prefix.length));
  return [...new Set(names)].sort();
}

/** Tells of drafts that this tab begins or forgets. */
export function onDraftsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function newestLeft<T>(key: string): { place: string; kept: Kept<T> } | undefined {
  const [left] = places()
    .filter((place) => place.slice(place.indexOf(" ")) === ` ${owner} ${key}`)
    .flatMap((place) => {
      const kept = read<T>(place);
      return kept && !isHeld(kept) ? [{ place, kept }] : [];
    })
    .sort((one, other) => other.kept.at - one.kept.at);
  return left;
}

export function keepDraft<T>(key: string, draft: Draft<T>, { isSecret = false }: DraftOptions = {}): void {
  if (owner === undefined) return;
  write(placeOf(key), { ...draft, at: Date.now(), held: open.get(key) === placeOf(key) }, isSecret);
  tell();
}

export function forgetDraft(key: string): void {
  remove(placeOf(key));
  tell();
}

/** Forgets a draft, also in the form that is open with it: whoever removes a record wants nothing of it kept. */
export function dropDraft(key: string): void {
  dropped.get(key)?.();
  forgetDraft(key);
}

/** The form is open here, and is told when its draft is dropped; answers with how to say that it no longer is. */
export function holdDraft(key: string, onDrop: () => void = () => {}): () => void {
  const place = placeOf(key);
  open.set(key, place);
  dropped.set(key, onDrop);
  setHeld(place, true);
  return () => {
    if (open.get(key) === place) open.delete(key);
    if (dropped.get(key) === onDrop) dropped.delete(key);
    setHeld(place, false);
  };
}

/** Whether the person has anything in this browser that is not saved, in whichever tab. */
export const hasDrafts = (): boolean => ownPlaces().some((place) => read(place) !== undefined);

/** Forgets every draft of the person: whoever signs out leaves nothing in the browser. */
export function forgetDrafts(): void {
  for (const place of ownPlaces()) remove(place);
  tell();
}

const places = () =>
  [...inPage.keys(), ...browserStorage.places()].filter((place) => place.startsWith(PREFIX));

const ownPlaces = () => places().filter((place) => place.split(" ")[1] === owner);

const isHeld = ({ held, at, heldAt = at }: Kept<unknown>) =>
  held && Math.abs(Date.now() - heldAt) < MAX_HELD_MS;

function setHeld(place: string, held: boolean): void {
  const kept = read(place);
  if (kept) write(place, { ...kept, held, heldAt: Date.now() }, inPage.has(place));
}

function read<T>(place: string): Kept<T> | undefined {
  try {
    const kept = JSON.parse(inPage.get(place) ?? browserStorage.get(place) ?? "null") as Kept<T> | null;
    // An earlier release kept null for a version that it did not know.
    if (kept && Date.now() - kept.at < MAX_AGE_MS) return { ...kept, base: kept.base ?? UNKNOWN_VERSION };
    remove(place);
  } catch {
    // What is kept there is spoiled: there is no draft.
  }
  return undefined;
}

function write(place: string, kept: Kept<unknown>, isSecret: boolean): void {
  remove(place);
  if (isSecret) inPage.set(place, JSON.stringify(kept));
  else browserStorage.set(place, JSON.stringify(kept));
}

function remove(place: string): void {
  inPage.delete(place);
  browserStorage.remove(place);
}

/**
 * The name of this tab. It lies in the tab's own storage only while nobody looks: a phone may end the tab then without a
 * word and load it anew later, but a copy of a tab that is looked at finds no name and takes one of its own.
 */
function takeTab(): string {
  const fresh = Math.random().toString(36).slice(2);
  if (typeof window === "undefined") return fresh;
  const name = tabStorage.get(TAB_PLACE) ?? fresh;
  const lay = () => {
    if (document.visibilityState === "hidden") tabStorage.set(TAB_PLACE, name);
    else tabStorage.remove(TAB_PLACE);
  };
  lay();
  document.addEventListener("visibilitychange", lay);
  const holdOpen = (held: boolean) => {
    for (const place of open.values()) setHeld(place, held);
  };
  window.setInterval(() => holdOpen(true), MAX_HELD_MS / 4);
  window.addEventListener("pagehide", () => {
    tabStorage.set(TAB_PLACE, name);
    holdOpen(false);
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    lay();
    holdOpen(true);
  });
  return name;
}
