import { isSilent, type Snapshot } from "../zpl/status-dialogue.ts";
import { createCancelledLabels } from "./cancelled-labels.ts";
import { createLabelsLeft, type LabelsLeft, type LabelsLeftOptions } from "./labels-left.ts";

/** So many questions in a row without an answer are a stop that somebody had the time to end; fewer may be a slow line. */
const SILENT_ROUNDS = 3;

/** The labels that are counted: those of a job, or of one format of it. */
export interface TallyOptions extends LabelsLeftOptions {
  /** The printer's counter before the first byte, where it was known. */
  readonly odometer: number | undefined;
  /** Whether the printer was silent when an earlier run of the bridge ended, which may have counted the stop. */
  readonly wasSilent: boolean;
}

/** What the printer's label counter says: how far it has moved, and how many of the labels are out. */
export interface Tallied {
  /** Undefined where the printer or the time before the job has no counter, and while labels of others are printed. */
  readonly moved: number | undefined;
  /** The same, if no stop cut off a label that nobody was told of. */
  readonly movedAtMost: number | undefined;
  readonly printed: number;
  /** Whether the counter is where it was before the job: then nothing came out, whatever the printer said of stops. */
  readonly isUnmoved: boolean;
}

const UNTOLD: Tallied = { moved: undefined, movedAtMost: undefined, printed: 0, isUnmoved: false };

/**
 * Counts labels by the printer's counter. A label that trouble cuts off moves the counter, and moves it again when it is
 * printed again: so many moves are of no label of the job. Where a stop does not tell whether it cut one off, it is taken
 * to have done so until the printer tells what it has left: a label too few is found out, one too many is not.
 */
export interface LabelTally {
  /** The counter before the first byte, with the spoilt labels added: what the next start of the bridge counts from. */
  readonly odometer: number | undefined;
  /** Whether a label was or may have been cut off, or others came first: labels that the counter lacks may be out then. */
  readonly hasSpoilt: boolean;
  begin(odometer: number | undefined): void;
  /** The connection was made anew, or the bridge started: nobody knows for how long the printer has been silent. */
  resume(): void;
  /** Answers, and questions that had none. `voids`: labels that were voided since the first byte, which moved the counter too. */
  hear(snapshot: Snapshot, voids?: number): Tallied;
}

export function createLabelTally(options: TallyOptions): LabelTally {
  const { labels } = options;
  const readLeft = createLabelsLeft(options);
  const wereCancelled = createCancelledLabels(options);
  let { odometer } = options;
  let before = odometer;
  let isBehindOthers = options.start === "behind-others";
  /** Whether the job was ever behind others: from where it is counted is then not certain enough to call labels missing. */
  let wasBehind = isBehindOthers;
  /** Whether the printer has told what it has left. */
  let isTold = false;
  let hasSpoilt = false;
  /** Of the spoilt labels, those that nobody was told of. */
  let assumed = options.wasSilent ? 1 : 0;
  let silentRounds = 0;
  /** Whether the present stop has been counted, and of one that had cut off nothing, by which counter. */
  let isCounted = false;
  let nothingCutOffAt: number | undefined;
  /** Whether the printer said that nothing is left when the counter had moved by every label: no stop can cut one off. */
  let isAllOut = false;
  let atStop: { readonly counter: number; readonly left: number } | undefined;
  /** Whether the job's labels were cancelled at the printer, which prints others now. */
  let isCancelled = false;

  function add(spoilt: number): void {
    if (odometer !== undefined) odometer += spoilt;
  }

  /** A label that was in motion when the stop was counted may have been cut off since. */
  function assumeSpoilt(counter?: number): void {
    const hasMoved = counter !== undefined && nothingCutOffAt !== undefined && counter > nothingCutOffAt;
    if ((isCounted && !hasMoved) || isAllOut || isBehindOthers || odometer === undefined) return;
    isCounted = true;
    nothingCutOffAt = undefined;
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
   * Begins to count when the printer has no more than the job: what was before it is out then. The first answer tells of
   * what others sent just before the job.
   */
  function noteOthers({ left, isExact, hasOthers }: LabelsLeft, counter: number): void {
    isBehindOthers ||= hasOthers && !isTold;
    wasBehind ||= isBehindOthers;
    isTold = true;
    if (!isBehindOthers || left === 0 || !isExact) return;
    isBehindOthers = false;
    odometer = Math.max(odometer ?? counter, counter - (labels - left));
    before = odometer;
  }

  /**
   * Only a printer at rest tells its counter and what it has left of the same moment, so it has to say the same twice.
   * While it prints, the counter is read after what is left: it may be ahead of it, never behind.
   */
  function noteSpoilt(
    snapshot: Snapshot,
    { left, isExact }: LabelsLeft,
    counter: number,
    voids: number,
  ): void {
    const spoilt = () => counter - voids - (odometer ?? counter) - (labels - left);
    // A label may be voided before it moves the counter.
    const isOfOneMoment = snapshot.isCounterNewest && voids === 0;
    if (isExact && isOfOneMoment && left > 0) takeBack(-spoilt());
    if (!isTroubled(snapshot)) return;
    const isAtRest = atStop?.counter === counter && atStop.left === left;
    atStop = { counter, left };
    if (!isAtRest) return;
    const cutOff = spoilt();
    if (cutOff < 0 && voids > 0) return;
    if (!isExact || cutOff < 0) assumeSpoilt(counter);
    else {
      isCounted = true;
      nothingCutOffAt = cutOff === 0 ? counter : undefined;
      hasSpoilt ||= cutOff > 0;
      add(cutOff);
    }
  }

  /** Whether it goes on, and of a stop that does not tell what is left, that it may have cut off a label. */
  function noteStop(snapshot: Snapshot): void {
    silentRounds = isSilent(snapshot) ? silentRounds + 1 : 0;
    if (snapshot.isComplete && !isTroubled(snapshot)) {
      isCounted = false;
      nothingCutOffAt = undefined;
      atStop = undefined;
    } else if (!tellsLeft(snapshot) && (isTroubled(snapshot) || silentRounds >= SILENT_ROUNDS))
      assumeSpoilt();
  }

  if (options.wasSilent) assumeSpoilt();

  return {
    get odometer() {
      return isBehindOthers || isCancelled ? undefined : odometer;
    },
    get hasSpoilt() {
      return hasSpoilt || assumed > 0 || wasBehind;
    },
    begin: (counter) => {
      odometer = counter;
      before = counter;
    },
    resume: () => {
      silentRounds = 1;
    },
    hear: (snapshot, voids = 0) => {
      noteStop(snapshot);
      const counter = snapshot.odometer;
      if (odometer === undefined || counter === undefined) return UNTOLD;
      const told = tellsLeft(snapshot) ? readLeft(snapshot) : undefined;
      const isMissing = isBehindOthers || counter - voids - odometer < labels;
      const isStopped = snapshot.reasons.length > 0;
      if (told) isCancelled = wereCancelled(told, { counter, isMissing, isStopped });
      if (isCancelled) return UNTOLD;
      if (told) noteOthers(told, counter);
      if (isBehindOthers) return UNTOLD;
      if (told) noteSpoilt(snapshot, told, counter, voids);
      const moved = counter - voids - odometer;
      if (told && !isTroubled(snapshot)) isAllOut = told.left === 0 && moved >= labels;
      // An answer that lacks what others told says nothing of labels; where none ever tells it, the counter does.
      const out = told ? labels - told.left : snapshot.tellsWaiting ? 0 : labels;
      return {
        moved,
        movedAtMost: moved + assumed,
        printed: Math.max(0, Math.min(moved, out)),
        isUnmoved: counter === before && !wasBehind,
      };
    },
  };
}

/** A pause spoils nothing: the printer finishes the label first. */
const isTroubled = (snapshot: Snapshot) => snapshot.reasons.some((reason) => reason !== "paused");

/** Whether the answer tells what is left to print. */
const tellsLeft = (snapshot: Snapshot) => snapshot.isComplete && snapshot.tellsWaiting;
