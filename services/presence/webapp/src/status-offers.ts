import { tellUndoable, withdrawUndoable } from "@frontdesk/ui";
import { isSameStatus } from "./board-events.ts";
import type { Member } from "./shapes.ts";

type Shown = Member["status"];

/** Of these the stream may tell later than the answer did. */
const MAX_REMEMBERED = 10;
const setHere = new Map<string, readonly Shown[]>();
const aboutOf = (memberId: string) => `status ${memberId}`;

/** Every one that was set here, also where a newer change followed at once: the stream tells of each. */
export function rememberSet({ id, status }: Member): void {
  setHere.set(id, [...(setHere.get(id) ?? []), status].slice(-MAX_REMEMBERED));
}

/** Says that a status was set, with the way to take it back. */
export const offerUndo = (words: string, memberId: string, undo: () => void): void =>
  tellUndoable(words, aboutOf(memberId), undo);

/** The offer is past: something else is being made of that member's status. */
export const withdrawOffer = (memberId: string): void => withdrawUndoable(aboutOf(memberId));

/** The stream tells of a status: one that was not set here is past what could be taken back here. */
export function withdrawOfferAfter(memberId: string, told: Shown): void {
  if (!setHere.get(memberId)?.some((each) => isSameStatus(each, told))) withdrawOffer(memberId);
}
