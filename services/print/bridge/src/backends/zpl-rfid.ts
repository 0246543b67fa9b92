import type { JobDocument, Report } from "../domain/backend.ts";
import type { JobFailure, LabelResult } from "../domain/job.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import { SILENT } from "../domain/printer.ts";
import { readZpl, type ZplFormat } from "../zpl/formats.ts";
import {
  ConnectionBroken,
  instrumentedFormat,
  isIdle,
  isSilent,
  type Snapshot,
  type StatusDialogue,
} from "../zpl/status-dialogue.ts";
import { createLabelTally } from "./label-tally.ts";
import type { ZplLink } from "./zpl-link.ts";
import { awaitsMore, IN_MOTION_MS } from "./zpl-outcome.ts";

export interface TagTransmission {
  readonly printer: StatusDialogue | undefined;
  readonly job: JobDocument;
  readonly report: Report;
  readonly link: ZplLink;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Writes, and holds the job while the printer takes nothing. */
  readonly write: (
    printer: StatusDialogue,
    job: JobDocument,
    report: Report,
    pieces: Iterable<Uint8Array>,
  ) => Promise<void>;
  /** Labels of one job that may be voided. */
  readonly maxVoids: number;
  readonly pollMs: number;
  readonly monotonic: () => number;
}

const FIRST_POLL_MS = 5;
const SETTLED = 4;
const MAX_RENEWALS = 3;

/** What has become of the tags so far. */
interface Tags {
  /** The connection in use. */
  line: StatusDialogue;
  readonly results: LabelResult[];
  /** The label that comes next, which a void is counted to. */
  next: number;
  /** Of those that were read back as something else than what was asked, the first. */
  mismatch: LabelResult | undefined;
  /** Whether a byte of the job may have left. */
  sent: boolean;
  /** How many formats have left. */
  formats: number;
  /** The printer's counters as they were last told: they count its whole life, so only differences mean anything. */
  counters: Counters;
}

type Counters = Pick<Snapshot, "odometer" | "voids">;

/** The printer does not answer, or prints what others sent, and no byte of the job has left. */
class NotReady extends Error {
  override name = "NotReady";
  readonly reason: string;

  constructor(reason: string) {
    super(`the printer is not ready: ${reason}`);
    this.reason = reason;
  }
}

/** The printer rests, and nobody can tell whether the last labels came out. */
class Uncertain extends Error {
  override name = "Uncertain";
}

/**
 * Labels with tags go one format at a time: each is read back before the next leaves, so that a bad
 * roll costs no more labels than the void limit.
 */
export async function sendTags(work: TagTransmission): Promise<JobOutcome> {
  const { job } = work;
  if (!work.printer || work.printer.broken) return { type: "not-sent" };
  const text = Buffer.from(job.data).toString("latin1");
  const { formats } = readZpl(text);
  const counters = { odometer: undefined, voids: undefined };
  const line = work.printer;
  const tags: Tags = { line, results: [], next: 0, mismatch: undefined, sent: false, formats: 0, counters };
  const count = () => countOf(job, tags);
  const failed = (error: JobFailure): JobOutcome => ({
    type: "failed",
    verification: "rfid",
    count: count(),
    error,
  });
  try {
    for (let copy = 0; copy < job.copies; copy++) {
      let at = 0;
      for (const [n, format] of formats.entries()) {
        const end = n === formats.length - 1 ? text.length : format.end;
        const pieces = {
          before: text.slice(at, format.start),
          format: text.slice(format.start, format.end),
          after: text.slice(format.end, end),
        };
        at = end;
        await untilItRests(work, tags);
        const problem = await sendFormat(work, format, pieces, tags);
        if (problem) return failed(problem);
      }
    }
  } catch (error) {
    if (error instanceof NotReady) return { type: "not-sent", reason: error.reason };
    if (!(error instanceof ConnectionBroken || error instanceof Uncertain)) throw error;
    if (!tags.sent) return { type: "not-sent" };
    return { type: "lost", verification: tags.results.length > 0 ? "rfid" : "none", count: count() };
  }
  const wrong = tags.mismatch;
  if (!wrong) return { type: "done", verification: "rfid", count: count() };
  return failed({ code: "RFID_MISMATCH", message: `Label ${wrong.index} reads back as ${wrong.epc}.` });
}

function countOf(job: JobDocument, { results }: Tags) {
  const printed = results.filter((tag) => tag.printed).length;
  return { asked: job.labels, printed, tags: [...results] };
}

const voidsOf = ({ results }: Tags) => results.filter(({ voided }) => voided).length;

/** Asks, and keeps what the printer tells of its counters. Tells how many labels it has voided since it last told. */
async function ask(
  work: TagTransmission,
  tags: Tags,
): Promise<{ readonly snapshot: Snapshot; readonly voids: number }> {
  const snapshot = await work.link.ask(tags.line);
  const { counters } = tags;
  const voids = tags.sent ? moved(counters.voids, snapshot.voids) : 0;
  tags.counters = {
    odometer: snapshot.odometer ?? counters.odometer,
    voids: snapshot.voids ?? counters.voids,
  };
  return { snapshot, voids };
}

/** Counts voids to the label that comes next. The counter is the printer's word: one over the limit ends the job, however far it jumps. */
function addVoids({ job, maxVoids }: TagTransmission, tags: Tags, counted: number): void {
  const voids = Math.min(counted, maxVoids + 1 - voidsOf(tags));
  const index = Math.min(tags.next, job.labels - 1);
  for (let nth = 0; nth < voids; nth++)
    tags.results.push({ index, printed: false, encoded: false, voided: true, epc: "" });
}

/**
 * The counters before a format leaves, and the connection for it. What is still printed then would move them too, so the
 * printer has to rest; one that is silent is stopped. The format waits until then.
 */
async function untilItRests(work: TagTransmission, tags: Tags): Promise<void> {
  for (let renewals = 0; ; ) {
    const { snapshot, voids } = await ask(work, tags);
    addVoids(work, tags, voids);
    // Firmware that leaves something out on each new connection does so on the next one too.
    if (snapshot.answered && tags.line.unanswered > 0 && renewals < MAX_RENEWALS) {
      tags.line = await work.link.renewed(tags.line);
      renewals++;
      continue;
    }
    const [reason = snapshot.isComplete ? "busy" : (SILENT.reasons[0] as string)] = snapshot.reasons;
    if (snapshot.isComplete && snapshot.formatsWaiting === 0 && snapshot.labelsRemaining === 0) return;
    if (!tags.sent) throw new NotReady(reason);
    work.report({ type: "stopped", reasons: [reason], count: countOf(work.job, tags) });
    await work.pause(work.pollMs);
  }
}

/** How far a counter has moved. One that the printer does not tell has not. */
function moved(from: number | undefined, to: number | undefined): number {
  return from === undefined || to === undefined ? 0 : to - from;
}

async function sendFormat(
  work: TagTransmission,
  format: ZplFormat,
  pieces: { readonly before: string; readonly format: string; readonly after: string },
  tags: Tags,
): Promise<JobFailure | undefined> {
  const { maxVoids } = work;
  const overLimit = () => voidsOf(tags) > maxVoids;
  if (overLimit()) return voidLimit(maxVoids);
  const tries = format.setsTries ? undefined : maxVoids - voidsOf(tags) + 1;
  const key = keyOf(work.job, tags.formats++);
  const zpl = format.encodesTag ? instrumentedFormat(pieces.format, { key, tries }) : pieces.format;
  const start = tags.counters;
  let renewals = 0;
  let firstQuestion = tags.line.asked + 1;
  tags.sent = true;
  const bytes = Buffer.from(pieces.before + zpl + pieces.after, "latin1");
  const report: Report = (progress) => work.report({ ...progress, count: countOf(work.job, tags) });
  await work.write(tags.line, work.job, report, [bytes]);
  if (format.labels === 0) return undefined;

  let interval = FIRST_POLL_MS;
  const first = tags.next;
  const end = first + format.labels;
  let settled = 0;
  let restsSince: number | undefined;
  let silent = 0;
  /** Tags that were read back, of labels that may not be out yet: many printers write a tag before they print its label. */
  let read: string[] = [];
  const { labels } = format;
  const { odometer } = start;
  const tally = createLabelTally({
    labels,
    odometer,
    start: "alone",
    wasSilent: false,
    formats: () => [labels],
  });
  const add = (encoded: boolean, epc: string) => {
    const tag = { index: tags.next++, printed: true, encoded, voided: false, epc };
    tags.results.push(tag);
    return tag;
  };
  const addRead = (out: number) => {
    for (const epc of read.splice(0, Math.max(0, first + out - tags.next))) {
      const encoded = format.epc !== undefined && matches(epc, format.epc);
      const tag = add(encoded, epc);
      // Where nobody can tell what the tag should hold, it is not called encoded, and not called wrong.
      if (!encoded && format.epc !== undefined) tags.mismatch ??= tag;
    }
  };
  for (;;) {
    // The answer counts every void that came before what had been read back when it was asked.
    const readBack = tags.line.takeTags(key);
    const { odometer: before } = tags.counters;
    const { snapshot, voids } = await ask(work, tags);
    // An answer to an earlier question was given before the printer had read this format.
    const isOfFormat = snapshot.question >= firstQuestion;
    const voided = Math.max(0, moved(start.voids, tags.counters.voids));
    const tallied = isOfFormat || !snapshot.answered ? tally.hear(snapshot, voided) : undefined;
    const left = snapshot.formatsWaiting + snapshot.labelsRemaining;
    const isOfNow = isOfFormat && snapshot.isComplete && snapshot.question === tags.line.asked;
    if (isOfNow && left > 0 && tags.next - first + read.length + readBack.length > labels - left)
      work.link.readsBackFirst = true;
    if (isOfNow && left >= labels && voided > 0 && moved(start.odometer, snapshot.odometer) > 0)
      work.link.countsVoids = true;
    const lacksCounter = start.odometer !== undefined && tallied?.moved === undefined;
    const out = tallied ? labelsOut(labels, snapshot, lacksCounter ? 0 : tallied.moved) : 0;
    addRead(out);
    addVoids(work, tags, voids);
    // A label that trouble spoilt is written and read back again: the last that was read is in its place.
    read = [...read, ...readBack].slice(-Math.max(1, end - tags.next));
    addRead(out);
    settled = isOfFormat && isIdle(snapshot) ? settled + 1 : 0;
    const rests = settled > 0 && voids === 0 && tags.counters.odometer === before;
    restsSince = rests ? (restsSince ?? work.monotonic()) : undefined;
    // A stop that may have cut off a label did not, where tags are read back no sooner than their labels are out. Nor did
    // voided labels move the counter in their place, where none was seen to.
    const isReadBack = !work.link.readsBackFirst && read.length >= end - tags.next;
    const movedAtMost = tallied?.movedAtMost ?? Number.NEGATIVE_INFINITY;
    const uncountedVoids = work.link.countsVoids ? 0 : voided;
    if (settled > 1 && isReadBack && movedAtMost + uncountedVoids >= labels) addRead(labels);
    // Firmware without a counter is believed when it rests.
    const isOut = work.link.hasCounter ? settled > 0 && (tallied?.moved ?? 0) >= labels : settled > 1;
    const untagged = isOut ? labels : tallied?.moved === undefined ? 0 : out;
    if (!format.encodesTag) while (tags.next < first + untagged) add(false, "");
    // Not before it rests: of a format of several labels more may come out. Nor with the first answer that says so: a tag
    // that was read back while it was asked is taken with the next.
    if (overLimit() && settled > 1) return voidLimit(maxVoids);
    // Firmware that told its voids before tells those of this format as well.
    const isTold = isOfFormat && (snapshot.voids !== undefined || start.voids === undefined);
    if (tags.next >= end && (isTold || settled >= SETTLED))
      return overLimit() ? voidLimit(maxVoids) : undefined;
    if (lacksCounter && settled > 1 && renewals < MAX_RENEWALS) {
      // Not before the printer rests: what it reads back comes on the connection that the format came on.
      tags.line = await work.link.renewed(tags.line);
      firstQuestion = 1;
      renewals++;
    }
    // Whether the counter moved by voided labels or by those whose tags were read back, nobody can tell.
    const mayBeOut = tally.hasSpoilt || (voided > 0 && read.length > 0);
    const isUncertain = lacksCounter || (mayBeOut && !tallied?.isUnmoved);
    const restMs = work.monotonic() - (restsSince ?? work.monotonic());
    if (settled >= SETTLED && restMs >= IN_MOTION_MS) {
      if (isUncertain) throw new Uncertain();
      return labelsMissing(tags.next + read.length < end);
    }
    silent = isSilent(snapshot) ? silent + 1 : 0;
    const reasons = silent > 1 ? SILENT.reasons : snapshot.reasons;
    const count = countOf(work.job, tags);
    work.report(reasons.length > 0 ? { type: "stopped", reasons, count } : { type: "printing", count });
    await work.pause(interval);
    interval = Math.min(work.pollMs, interval * 2);
  }
}

/**
 * How many labels of one format are out, by what the printer has left to do and by its label counter, where it has one.
 * The last one is when nothing is wrong and nothing is left to do.
 */
function labelsOut(labels: number, snapshot: Snapshot, moved = labels): number {
  if (!snapshot.isComplete || snapshot.formatsWaiting > 0) return 0;
  const isOver = isIdle(snapshot) || awaitsMore(snapshot);
  const left = isOver ? 0 : Math.max(1, snapshot.labelsRemaining);
  return Math.max(0, Math.min(labels - left, moved));
}

const labelsMissing = (isUnread: boolean): JobFailure => ({
  code: "LABELS_MISSING",
  message: isUnread
    ? "The printer is idle and did not read back every tag."
    : "The printer is idle and its counter did not move by every label whose tag it read back.",
});

const voidLimit = (maxVoids: number): JobFailure => ({
  code: "RFID_VOID_LIMIT",
  message: `More than ${maxVoids} labels were voided; the rest was not sent.`,
});

/** Unlike that of any other format whose tags may still be read back. */
const keyOf = (job: JobDocument, nth: number) => `${job.id.replace(/[^\dA-Za-z]/g, "").slice(-12)}x${nth}`;

/** A tag is longer than what was written to it: the rest of it is zeros. */
function matches(epc: string, asked: string): boolean {
  return epc.startsWith(asked) && /^0*$/.test(epc.slice(asked.length));
}
