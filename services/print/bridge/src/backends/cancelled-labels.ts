import type { LabelsLeft, LabelsLeftOptions } from "./labels-left.ts";

/** The counter as it was told with what is left, whether it lacks labels of the job, and whether the printer is stopped. */
interface Counted {
  readonly counter: number;
  readonly isMissing: boolean;
  readonly isStopped: boolean;
}

/**
 * Tells whether a job's labels were cancelled at the printer, and others' are printed: one that had labels left, and then
 * twice none though some of the job's are missing, prints no more of them. What it has left after that is not the job's; nor
 * is what moves the counter after a stop at which it was so: others may be out before they were seen to wait.
 */
export function createCancelledLabels({
  start,
}: Pick<LabelsLeftOptions, "start">): (told: LabelsLeft, counted: Counted) => boolean {
  /** After a restart it has had labels of the job, where any came to it. */
  let hadLeft = start === "restarted";
  let emptyAt: number | undefined;
  let wasEmptied = false;
  /** The counter at a stop at which nothing was left: no label of the job is in motion then. */
  let restsAt: number | undefined;
  let isCancelled = false;

  return ({ left }, { counter, isMissing, isStopped }) => {
    isCancelled ||= (wasEmptied && left > 0) || (restsAt !== undefined && counter > restsAt);
    const isEmpty = hadLeft && left === 0 && isMissing;
    const isStill = isEmpty && counter === emptyAt;
    wasEmptied ||= isStill;
    if (isStill && isStopped) restsAt ??= counter;
    emptyAt = isEmpty ? counter : undefined;
    hadLeft ||= left > 0;
    return isCancelled;
  };
}
