import type { JobDocument } from "../domain/backend.ts";
import { readZpl } from "../zpl/formats.ts";
import type { Snapshot } from "../zpl/status-dialogue.ts";

/** So many questions in a row without an answer are a stop that somebody had the time to end; fewer may be a slow line. */
const SILENT_ROUNDS = 3;

/** What the printer's label counter says of a job: how far it has moved, and how many of the labels are out. */
export interface Tallied {
  /** Undefined where the printer or the time before the job has no counter. */
  readonly moved: number | undefined;
  readonly printed: number;
  /** Whether the counter is where it was before the job: then nothing came out, whatever the printer said of stops. */
  readonly isUnmoved: boolean;
}

/**
 * Counts the labels of one job by the printer's counter. A label that trouble cuts off moves the counter, and moves it
 * again when it is printed again: so many moves are of no label of the job. Where a stop does not tell whether it cut
 * one off, it is taken to have done so until the printer tells what it has left: a label too few is found out, one too
 * many is not.
 */
export interface LabelTally {
  /** The counter before the first byte, with the spoilt labels added: what the next start of the bridge counts from. */
  readonly odometer: number | undefined;
  /** Whether a label was or may have been cut off: what the counter says then proves nothing unless the printer went on. */
  readonly hasSpoilt: boolean;
  begin(odometer: number | undefined): void;
  /** Answers, and questions that had none. */
  hear(snapshot: Snapshot): Tallied;
}

export function createLabelTally(job: JobDocument): LabelTally {
  let { odometer } = job;
  let before = job.odometer;
  /** Found out when it is needed: not before the first byte. */
  let oneLabelEach: boolean | undefined;
  let hasSpoilt = false;
  /** Of the spoilt labels, those that nobody was told of. */
  let assumed = 0;
  let silentRounds = 0;
  /** Whether the present stop has been counted. */
  let isCounted = false;
  let atStop: { readonly moved: number; readonly left: number } | undefined;

  function add(spoilt: number): void {
    if (odometer !== undefined) odometer += spoilt;
  }

  function assumeSpoilt(): void {
    if (isCounted || odometer === undefined) return;
    isCounted = true;
    assumed++;
    add(1);
  }

  /** Takes back what was assumed, where the printer has more left to print than that would leave. */
  function takeBack(tooMany: number): void {
    const back = Math.min(assumed, Math.max(0, tooMany));
    assumed -= back;
    add(-back);
  }

  /**
   * Only a printer at rest tells its counter and what it has left of the same moment, so it has to say the same twice.
   * While it prints, the counter is read after what is left: it may be ahead of it, never behind. A pause spoils nothing:
   * the printer finishes the label first.
   */
  function noteSpoilt(snapshot: Snapshot, counter: number, from: number): void {
    const left = leftOf(snapshot);
    if (snapshot.formatsWaiting > 0) oneLabelEach ??= hasOneLabelEach(job);
    const isExact = snapshot.formatsWaiting === 0 || oneLabelEach === true;
    const spoilt = () => counter - (odometer ?? from) - (job.labels - left);
    const isOfOneMoment = snapshot.isComplete && snapshot.question === snapshot.newest;
    if (isExact && isOfOneMoment && left > 0) takeBack(-spoilt());
    const isStopped = snapshot.isComplete && snapshot.reasons.some((reason) => reason !== "paused");
    if (!isStopped) {
      isCounted = false;
      atStop = undefined;
      return;
    }
    const isAtRest = atStop?.moved === counter && atStop.left === left;
    atStop = { moved: counter, left };
    if (!isAtRest) return;
    const cutOff = spoilt();
    if (!isExact || cutOff < 0) assumeSpoilt();
    else {
      isCounted = true;
      hasSpoilt ||= cutOff > 0;
      add(cutOff);
    }
  }

  return {
    get odometer() {
      return odometer;
    },
    get hasSpoilt() {
      return hasSpoilt || assumed > 0;
    },
    begin: (counter) => {
      odometer = counter;
      before = counter;
    },
    hear: (snapshot) => {
      silentRounds = snapshot.answered ? 0 : silentRounds + 1;
      if (silentRounds >= SILENT_ROUNDS) assumeSpoilt();
      if (odometer === undefined || snapshot.odometer === undefined)
        return { moved: undefined, printed: 0, isUnmoved: false };
      noteSpoilt(snapshot, snapshot.odometer, odometer);
      const moved = snapshot.odometer - odometer;
      const printed = Math.max(0, Math.min(moved, job.labels - leftOf(snapshot)));
      return { moved, printed, isUnmoved: snapshot.odometer === before };
    },
  };
}

const leftOf = (snapshot: Snapshot) => snapshot.labelsRemaining + snapshot.formatsWaiting;

/** A printer tells how many labels its present format has left, and of the others only how many there are. */
function hasOneLabelEach({ data }: JobDocument): boolean {
  return readZpl(Buffer.from(data).toString("latin1")).formats.every(({ labels }) => labels <= 1);
}
