import type { Ending, Parcel } from "./courier.ts";
import type { Look } from "./printer.ts";
import type { Snapshot } from "./zpl-conversation.ts";

export const tallyOf = (parcel: Parcel, printed: number) => ({ asked: parcel.labels, printed });

/** A label printed again after trouble moves the counter twice; what remains keeps that honest. */
export function printedSoFar(snapshot: Snapshot, parcel: Parcel, baseline: number | undefined): number {
  if (baseline === undefined || snapshot.odometer === undefined) return 0;
  const moved = snapshot.odometer - baseline;
  const left = snapshot.labelsRemaining + snapshot.formatsWaiting;
  return Math.max(0, Math.min(moved, parcel.labels - left));
}

export function lookOf(snapshot: Snapshot): Look {
  const stopped = snapshot.reasons.length > 0;
  const working = snapshot.labelsRemaining > 0 || snapshot.formatsWaiting > 0;
  return {
    online: true,
    state: !snapshot.answered ? "unknown" : stopped ? "stopped" : working ? "printing" : "ready",
    reasons: snapshot.answered ? snapshot.reasons : ["not-answering"],
    labelsRemaining: snapshot.labelsRemaining,
  };
}

export const done = (parcel: Parcel, printed: number): Ending => ({
  state: "Done",
  verification: "printer",
  tally: tallyOf(parcel, printed),
});

export const unknown = (parcel: Parcel, printed: number): Ending => ({
  state: "Unknown",
  verification: printed > 0 ? "printer" : "none",
  tally: tallyOf(parcel, printed),
});

export const nothingPrinted = (parcel: Parcel): Ending => ({
  state: "Failed",
  verification: "printer",
  tally: tallyOf(parcel, 0),
  error: {
    code: "LINE_BROKEN",
    message: "The line broke, and the printer's counter says that nothing was printed.",
  },
});

export const missing = (parcel: Parcel, printed: number): Ending => ({
  state: "Failed",
  verification: "printer",
  tally: tallyOf(parcel, printed),
  error: {
    code: "LABELS_MISSING",
    message: `The printer is idle and its counter moved by ${printed} of ${parcel.labels} labels.`,
  },
});

/** The printer has printed everything but a format that it has not seen the end of. */
export const awaitsMore = (snapshot: Snapshot) =>
  snapshot.answered &&
  snapshot.partialFormat &&
  snapshot.reasons.length === 0 &&
  snapshot.formatsWaiting === 0 &&
  snapshot.labelsRemaining === 0;

export const unfinished = (parcel: Parcel, printed: number): Ending => ({
  state: "Failed",
  verification: "printer",
  tally: tallyOf(parcel, printed),
  error: {
    code: "LABELS_MISSING",
    message: "The printer waited for the end of a label that never came; the unfinished label was dropped.",
  },
});
