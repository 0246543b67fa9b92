import type { ZplFormat } from "../zpl/formats.ts";
import { isIdle, type Snapshot } from "../zpl/status-dialogue.ts";
import { awaitsMore } from "./zpl-outcome.ts";

/** How many labels of one format are out, asked with each answer to a question that was put after it. */
export type FormatMoves = (snapshot: Snapshot) => number;

/**
 * By what the printer has left to do and by its label counter, where it has one. A label that trouble cuts off moves the
 * counter, and so may one that is voided: a printer that stands still with labels left tells how many such moves there were.
 */
export function createFormatMoves({ labels }: ZplFormat, odometer: number | undefined): FormatMoves {
  let spoilt = 0;
  let atStop = { moved: Number.NaN, left: 0 };

  function noteSpoilt(snapshot: Snapshot, moved: number, left: number): void {
    const isStopped = snapshot.reasons.some((reason) => reason !== "paused") && left > 0;
    // Said twice, so that counter and labels left are of the same moment.
    if (isStopped && atStop.moved === moved && atStop.left === left)
      spoilt = Math.max(0, moved - (labels - left));
    atStop = isStopped ? { moved, left } : { moved: Number.NaN, left: 0 };
  }

  return (snapshot) => {
    const left = snapshot.labelsRemaining + snapshot.formatsWaiting;
    const moved =
      odometer === undefined || snapshot.odometer === undefined ? undefined : snapshot.odometer - odometer;
    if (snapshot.isComplete && moved !== undefined) noteSpoilt(snapshot, moved, left);
    if (!snapshot.isComplete || snapshot.formatsWaiting > 0) return 0;
    // The last one is out when nothing is wrong and nothing is left to do.
    const isOver = isIdle(snapshot) || awaitsMore(snapshot);
    const byLeft = labels - (isOver ? 0 : Math.max(1, left));
    return Math.max(0, Math.min(byLeft, (moved ?? labels) - spoilt));
  };
}
