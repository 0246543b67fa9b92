import type { JobDocument } from "../domain/backend.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import { type DeviceStatus, SILENT } from "../domain/printer.ts";
import { isSilent, type Snapshot } from "../zpl/status-dialogue.ts";

/**
 * So long one label may take. Nothing says that firmware counts the label in motion among those that are left: where the
 * printer says that none is, and its counter lacks labels of the job, they are missing only after this time.
 */
export const IN_MOTION_MS = 5_000;

export const countOf = (job: JobDocument, printed: number) => ({ asked: job.labels, printed });

/** `mayHoldHalf`: an unfinished label may be one of ours, whose end will not come. */
export function statusOf(snapshot: Snapshot, mayHoldHalf: boolean): DeviceStatus {
  if (isSilent(snapshot)) return SILENT;
  // Also while it still prints what came before: what it is sent now would be in the half.
  const isHalf = mayHoldHalf && snapshot.partialFormat && snapshot.reasons.length === 0;
  const reasons = isHalf ? UNFINISHED_LABEL : snapshot.reasons;
  const working = snapshot.labelsRemaining > 0 || snapshot.formatsWaiting > 0 || snapshot.partialFormat;
  return {
    online: true,
    state: reasons.length > 0 ? "stopped" : working ? "printing" : "ready",
    reasons,
    labelsRemaining: snapshot.labelsRemaining,
  };
}

export const UNFINISHED_LABEL: readonly string[] = ["unfinished-label"];

/** The printer has printed everything but a format that it has not seen the end of. */
export const awaitsMore = (snapshot: Snapshot) =>
  snapshot.isComplete &&
  snapshot.partialFormat &&
  snapshot.reasons.length === 0 &&
  snapshot.formatsWaiting === 0 &&
  snapshot.labelsRemaining === 0;

export const done = (job: JobDocument): Extract<JobOutcome, { type: "done" }> => ({
  type: "done",
  verification: "printer",
  count: countOf(job, job.labels),
});

export const lost = (job: JobDocument, printed: number): JobOutcome => ({
  type: "lost",
  verification: printed > 0 ? "printer" : "none",
  count: countOf(job, printed),
});

const failed = (job: JobDocument, printed: number, code: string, message: string): JobOutcome => ({
  type: "failed",
  verification: "printer",
  count: countOf(job, printed),
  error: { code, message },
});

export const nothingPrinted = (job: JobDocument) =>
  failed(
    job,
    0,
    "LINE_BROKEN",
    "The connection broke, and the printer's counter says that nothing was printed.",
  );

export const labelsMissing = (job: JobDocument, printed: number) =>
  failed(
    job,
    printed,
    "LABELS_MISSING",
    `The printer is idle and its counter moved by ${printed} of ${job.labels} labels.`,
  );

export const unfinished = (job: JobDocument, printed: number) =>
  failed(
    job,
    printed,
    "LABELS_MISSING",
    "The printer waited for the end of a label that never came; the unfinished label was dropped.",
  );
