import { type Backend, type JobDocument, OVER, type Report, untilItEnds } from "../domain/backend.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import { SILENT } from "../domain/printer.ts";
import { askOnce, isAnsweredWhole } from "../zpl/ask-once.ts";
import { readZpl } from "../zpl/formats.ts";
import { longestPicture } from "../zpl/longest-picture.ts";
import {
  ConnectionBroken,
  isIdle,
  isSilent,
  type Snapshot,
  type StatusDialogue,
} from "../zpl/status-dialogue.ts";
import { createLabelTally, type LabelTally, type TallyOptions } from "./label-tally.ts";
import { createStandstill } from "./standstill.ts";
import { createZplLink, type ZplLinkOptions } from "./zpl-link.ts";
import {
  awaitsMore,
  countOf,
  done,
  IN_MOTION_MS,
  labelsMissing,
  lost,
  nothingPrinted,
  UNFINISHED_LABEL,
  unfinished,
} from "./zpl-outcome.ts";
import { sendTags } from "./zpl-rfid.ts";

export interface ZplBackendOptions extends Omit<ZplLinkOptions, "isBusy"> {
  /** The longest time between two questions to a printer that works. */
  readonly pollMs: number;
  readonly maxVoids: number;
}

const PIECE = 64 * 1024;
const FIRST_POLL_MS = 5;
const DRAIN_MS = 3_000;
/** So many answers in a row of which a part is older than the job, and the firmware has dropped some. */
const TORN = 3;
/** So many idle answers in a row, and after them so much time, and what has not been printed will not be. */
const SETTLED = 3;

/** The bridge is closing: what a job is, it stays. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** For printers that speak ZPL both ways: they tell how they are, and only that is believed. */
export function createZplBackend(options: ZplBackendOptions): Backend {
  const closing = new AbortController();
  let busy = false;
  let writing: Promise<void> = Promise.resolve();
  const link = createZplLink({ ...options, isBusy: () => busy });
  const { ask, renewed } = link;
  const expectHalf = ({ data }: Pick<JobDocument, "data">) => link.expectHalf(longestPicture(data));

  async function pause(milliseconds: number): Promise<void> {
    await options.wait(milliseconds, closing.signal);
    if (closing.signal.aborted) throw new Interrupted();
  }

  async function sendAndWatch(job: JobDocument, report: Report): Promise<JobOutcome> {
    const printer = link.dialogue;
    if (!printer || printer.broken) return { type: "not-sent" };
    const tally = tallyOf(job, link.isPrinting ? "behind-others" : "alone");
    const { bytes, forget } = printer.odometerQuestion(tally.begin);
    let isWritten = false;
    try {
      await write(printer, job, report, allCopies(job, bytes));
      isWritten = true;
      return await watch(printer, job, report, tally, forget);
    } catch (error) {
      if (!(error instanceof ConnectionBroken)) throw error;
      link.drop(printer);
      expectHalf(job);
      return await afterTheBreak(job, report, tally, isWritten ? "written" : "cut");
    } finally {
      forget();
    }
  }

  /** Writes as fast as the printer takes it. One that takes nothing for a while holds the job. */
  async function write(
    printer: StatusDialogue,
    job: JobDocument,
    report: Report,
    pieces: Iterable<Uint8Array>,
  ): Promise<void> {
    const written = (async () => {
      for (const piece of pieces) await printer.write(piece);
    })();
    writing = written.catch(noop);
    const over = new AbortController();
    void writing.then(() => over.abort(OVER));
    void tellStandstill(printer, job, report, over.signal);
    await unlessClosing(written);
  }

  async function tellStandstill(
    printer: StatusDialogue,
    job: JobDocument,
    report: Report,
    over: AbortSignal,
  ): Promise<void> {
    const standsStill = createStandstill(printer.progress);
    const count = countOf(job, 0);
    let told = false;
    for (;;) {
      await options.wait(2 * options.pollMs, over);
      if (over.aborted || closing.signal.aborted) return;
      const isStill = await standsStill().catch(() => false);
      if (over.aborted || isStill === told) continue;
      told = isStill;
      const reasons = isStill ? ["not-taking-data"] : [];
      link.lastStatus = { ...SILENT, state: isStill ? "stopped" : "printing", reasons };
      report(isStill ? { type: "stopped", count, reasons } : { type: "printing", count });
    }
  }

  /** `forget`: the counter that was asked for with the job can no longer be told from others. */
  async function watch(
    printer: StatusDialogue,
    job: JobDocument,
    report: Report,
    tally: LabelTally,
    forget: () => void,
  ): Promise<JobOutcome> {
    /** An answer to an earlier question says nothing of this job: the printer had not read it yet. */
    let firstQuestion = printer.asked + 1;
    let line = printer;
    let torn = 0;
    let interval = FIRST_POLL_MS;
    let settled = 0;
    let restsSince: number | undefined;
    let silent = 0;
    let printed = 0;
    for (;;) {
      const snapshot = await ask(line);
      if (snapshot.answered && snapshot.question < firstQuestion) {
        torn = snapshot.newest < firstQuestion ? 0 : torn + 1;
        if (torn > TORN) {
          forget();
          line = await renewed(line);
          // The printer has read the job: every answer there is of a later question.
          firstQuestion = 1;
        }
        await pause(interval);
        interval = Math.min(options.pollMs, interval * 2);
        continue;
      }
      if (!snapshot.answered) forget();
      silent = isSilent(snapshot) ? silent + 1 : 0;
      const tallied = tally.hear(snapshot);
      const counted = tallied.moved !== undefined;
      // A printer that has nothing left rests while its counter does.
      const rests = isIdle(snapshot) && tallied.printed <= printed;
      settled = rests ? settled + 1 : 0;
      restsSince = rests ? (restsSince ?? options.monotonic()) : undefined;
      printed = Math.max(printed, tallied.printed);
      // A label that another program has begun and not ended is no business of this job.
      const isOver = isIdle(snapshot) || awaitsMore(snapshot);
      if (isOver && tallied.moved !== undefined && tallied.moved >= job.labels) return done(job);
      // Only of firmware that has no counter is it enough to be idle: where one was left out, it proves nothing.
      if (settled > 1 && !counted && !link.hasCounter && !link.hasDropped)
        return snapshot.tellsWaiting ? done(job) : { ...done(job), verification: "none" };
      const patienceMs = snapshot.tellsWaiting ? IN_MOTION_MS : options.recoverMs;
      const restMs = options.monotonic() - (restsSince ?? options.monotonic());
      if (settled >= SETTLED + 2 && restMs >= patienceMs) {
        const isCertain =
          snapshot.tellsWaiting &&
          counted &&
          (!tally.hasSpoilt || tallied.isUnmoved) &&
          line.unanswered === 0;
        if (!isCertain) return lost(job, printed);
        return link.hasDropped ? unfinished(job, printed) : labelsMissing(job, printed);
      }
      const told = { count: countOf(job, printed), odometer: tally.odometer };
      if (silent > 1) report({ type: "stopped", reasons: SILENT.reasons, ...told });
      else if (snapshot.reasons.length > 0) report({ type: "stopped", reasons: snapshot.reasons, ...told });
      else if (interval > FIRST_POLL_MS && silent === 0) report({ type: "printing", ...told });
      await pause(interval);
      interval = Math.min(options.pollMs, interval * 2);
    }
  }

  /**
   * The connection is gone, or the bridge was: only the printer's own counter can tell what came out. Of a job that was
   * cut, whose last bytes were never written, not all can have. After a restart nobody knows how much was written.
   */
  async function afterTheBreak(
    job: JobDocument,
    report: Report,
    tally: LabelTally,
    how: "written" | "cut" | "restarted",
  ): Promise<JobOutcome> {
    if (tally.odometer === undefined || job.rfid) return lost(job, 0);
    // Counted from the first question that fails, not from the last that went well: the machine may have slept.
    let awaySince: number | undefined;
    tally.resume();
    let settled = 0;
    let idleSince: number | undefined;
    for (;;) {
      const snapshot = await askAgain(tally);
      awaySince = snapshot ? undefined : (awaySince ?? options.monotonic());
      if (snapshot?.odometer !== undefined) {
        const { moved = 0, printed, isUnmoved } = tally.hear(snapshot);
        // A counter that went back is that of another device; one that went too far has counted what others printed.
        const tells = moved >= 0 && moved <= (how === "cut" ? job.labels - 1 : job.labels);
        settled = isIdle(snapshot) ? settled + 1 : 0;
        const now = options.monotonic();
        idleSince = settled > 0 ? (idleSince ?? now) : undefined;
        if (settled > 0 && tells && moved === job.labels) return done(job);
        const isNothing = isUnmoved && how !== "restarted";
        if (settled >= SETTLED && !isNothing) return lost(job, tells ? printed : 0);
        // What the printer or a box before it had taken, and not read, comes out meanwhile.
        if (settled >= SETTLED && now - (idleSince ?? now) > options.recoverMs)
          return snapshot.tellsWaiting ? nothingPrinted(job) : lost(job, 0);
        const told = { count: countOf(job, tells ? printed : 0), odometer: tally.odometer };
        const silence = isSilent(snapshot) ? SILENT.reasons : snapshot.reasons;
        const reasons = awaitsMore(snapshot) ? UNFINISHED_LABEL : silence;
        report(reasons.length > 0 ? { type: "stopped", reasons, ...told } : { type: "printing", ...told });
      } else if (snapshot && isSilent(snapshot)) {
        // Connected and silent: it is stopped, and tells what came out when it goes on.
        tally.hear(snapshot);
        const { odometer } = tally;
        report({ type: "stopped", reasons: SILENT.reasons, count: countOf(job, 0), odometer });
      } else if (snapshot?.partialFormat) {
        // The end of a field that its question lies in is missing: it tells when the label is dropped.
        report({ type: "stopped", reasons: UNFINISHED_LABEL, count: countOf(job, 0) });
      } else if (awaySince === undefined || options.monotonic() - awaySince > options.recoverMs) {
        return lost(job, 0);
      }
      await pause(options.pollMs);
    }
  }

  /** Where a part of the answer is missing, it is asked on another connection. The part may tell of a stop that is over then. */
  async function askAgain(tally: LabelTally): Promise<Snapshot | undefined> {
    try {
      const snapshot = await ask(await link.connected());
      const { dialogue } = link;
      if (!snapshot.answered || !dialogue || dialogue.unanswered === 0) return snapshot;
      tally.hear(snapshot);
      return await ask(await renewed(dialogue));
    } catch {
      if (closing.signal.aborted) throw new Interrupted();
      return undefined;
    }
  }

  /** Leaves nothing behind at the signal, which outlives every job. */
  function unlessClosing<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(new Interrupted());
      closing.signal.addEventListener("abort", stop, { once: true });
      const tidy = () => closing.signal.removeEventListener("abort", stop);
      work.then(resolve, reject).finally(tidy);
    });
  }

  async function occupied(job: JobDocument, work: () => Promise<JobOutcome>): Promise<JobOutcome> {
    busy = true;
    try {
      const working = work();
      // Only now: the first bytes are on their way.
      link.keep();
      return await working;
    } catch (error) {
      if (error instanceof Interrupted) return { type: "interrupted" };
      const failure = { code: "INTERNAL", message: `The bridge failed: ${(error as Error).message}.` };
      return { type: "lost", verification: "none", count: countOf(job, 0), error: failure };
    } finally {
      busy = false;
    }
  }

  async function sendWithTags(job: JobDocument, report: Report): Promise<JobOutcome> {
    const { maxVoids, pollMs, monotonic } = options;
    const printer = link.dialogue;
    const work = { printer, job, report, link, pause, write, maxVoids, pollMs, monotonic };
    const outcome = await sendTags(work);
    if (outcome.type === "lost") expectHalf(job);
    return outcome;
  }

  async function recover(job: JobDocument, report: Report): Promise<JobOutcome> {
    expectHalf(job);
    return afterTheBreak(job, report, tallyOf(job, "restarted"), "restarted");
  }

  return {
    isReady: () => {
      const { dialogue, lastStatus } = link;
      return (
        dialogue?.broken === false && dialogue.unanswered === 0 && !busy && lastStatus?.state === "ready"
      );
    },
    odometer: () => link.odometer,
    status: link.status,
    prepare: link.status,
    send: (job, report) =>
      untilItEnds(occupied(job, () => (job.rfid ? sendWithTags(job, report) : sendAndWatch(job, report)))),
    recover: (job, report) => untilItEnds(occupied(job, () => recover(job, report))),
    expectHalf: (data) => expectHalf({ data }),
    query: async (question) => {
      let isWhole = false;
      try {
        const answer = await askOnce(options, question);
        isWhole = isAnsweredWhole(question, answer);
        return answer;
      } finally {
        if (!isWhole) link.expectStrayAnswers();
      }
    },
    idle: link.idle,
    close: async () => {
      // Half a job is worse than a late end: what is being written may be finished.
      const drained = new AbortController();
      await Promise.race([writing, options.wait(DRAIN_MS, drained.signal)]);
      drained.abort(OVER);
      closing.abort(OVER);
      await link.close();
    },
  };
}

function tallyOf(job: JobDocument, start: TallyOptions["start"]): LabelTally {
  const { labels, odometer, data, copies } = job;
  const formats = () => {
    const once = readZpl(Buffer.from(data).toString("latin1")).formats.map((format) => format.labels);
    return Array.from({ length: copies }, () => once).flat();
  };
  const wasSilent = job.reasons?.some((reason) => SILENT.reasons.includes(reason)) ?? false;
  return createLabelTally({ labels, odometer, start, wasSilent, formats });
}

/** A question, and every copy of the data. */
function* allCopies({ data, copies }: JobDocument, question: Uint8Array): Generator<Uint8Array> {
  for (let copy = 0; copy < copies; copy++) {
    for (let at = 0; at < data.length; at += PIECE) {
      const piece = data.subarray(at, at + PIECE);
      yield copy === 0 && at === 0 ? Buffer.concat([question, piece]) : piece;
    }
  }
}

const noop = () => {};
