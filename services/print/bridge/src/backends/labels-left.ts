import type { Snapshot } from "../zpl/status-dialogue.ts";

/** What an answer tells of a job's labels. */
export interface LabelsLeft {
  /** So many are left at most. */
  readonly left: number;
  readonly isExact: boolean;
  /** Whether the printer has more than the job. Firmware that counts the format in hand among those that wait seems to. */
  readonly hasOthers: boolean;
}

export interface LabelsLeftOptions {
  readonly labels: number;
  /** What the printer had besides the job when that was sent: nothing, something of others, or after a restart nobody knows. */
  readonly start: "alone" | "behind-others" | "restarted";
  /** How many labels each format has. Asked when it is needed: not before the first byte. */
  readonly formats: () => readonly number[];
}

/**
 * Reads what is left of a job. A printer tells how many labels its present format has left, and of the others only how many
 * wait: they are the last of the job. Firmware may or may not count formats that print nothing: where a job has such, the first
 * answer after it tells which, if only one of both fits.
 */
export function createLabelsLeft({
  labels,
  start,
  formats,
}: LabelsLeftOptions): (told: Snapshot) => LabelsLeft {
  /** The formats as firmware may count them. */
  let ways: ReadonlyArray<readonly number[]> | undefined;
  let isFirst = start === "alone";
  let lastExact: number | undefined;
  /** Whether others have sent something since: what waits is then not the job's alone. */
  let hasOthersBehind = false;

  function readings(told: Snapshot): Array<number | undefined> {
    if (told.formatsWaiting === 0) return [told.labelsRemaining > labels ? undefined : told.labelsRemaining];
    ways ??= waysToCount(formats());
    const fitting = ways.filter((way) => leftOf(way, told) !== undefined);
    if (isFirst && fitting.length > 0) ways = fitting;
    return ways.map((way) => leftOf(way, told));
  }

  return (told) => {
    const read = readings(told);
    isFirst = false;
    const fitting = read.filter((left) => left !== undefined);
    const hasOthers = fitting.length === 0;
    const left = hasOthers ? labels : Math.max(...fitting);
    hasOthersBehind ||= lastExact !== undefined && (hasOthers || left > lastExact);
    const isExact = !hasOthersBehind && read.every((other) => other === left);
    if (isExact) lastExact = left;
    return { left, isExact, hasOthers };
  };
}

function waysToCount(formats: readonly number[]): ReadonlyArray<readonly number[]> {
  const printing = formats.filter((labels) => labels > 0);
  return printing.length === formats.length ? [formats] : [formats, printing];
}

/** What is left where the printer has the last of these formats; undefined where it cannot be these. */
function leftOf(
  formats: readonly number[],
  { formatsWaiting, labelsRemaining }: Snapshot,
): number | undefined {
  const waiting = formats.length - formatsWaiting;
  const inHand = labelsRemaining > 0 ? (formats[waiting - 1] ?? 0) : 0;
  if (waiting < 0 || labelsRemaining > inHand) return undefined;
  return formats.slice(waiting).reduce((sum, labels) => sum + labels, labelsRemaining);
}
