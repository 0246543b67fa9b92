import { type Backend, type JobDocument, OVER, type Report, untilItEnds } from "../domain/backend.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import { SILENT } from "../domain/printer.ts";
import { askOnce } from "../zpl/ask-once.ts";
import {
  ConnectionBroken,
  isIdle,
  ODOMETER,
  type Snapshot,
  type StatusDialogue,
} from "../zpl/status-dialogue.ts";
import { createZplLink, type ZplLinkOptions } from "./zpl-link.ts";
import {
  awaitsMore,
  countOf,
  done,
  labelsMissing,
  lost,
  nothingPrinted,
  printedSoFar,
  unfinished,
} from "./zpl-outcome.ts";
import { sendTags } from "./zpl-rfid.ts";

export interface ZplBackendOptions extends Omit<ZplLinkOptions, "isBusy"> {
  /** The longest time between two questions to a printer that works. */
  readonly pollMs: number;
  readonly maxVoids: number;
}

/** Drops a format whose end has not come; formats that are complete go on. */
const CANCEL_PARTIAL_FORMAT = Buffer.from("~JX", "latin1");
const PIECE = 64 * 1024;
const FIRST_POLL_MS = 5;
const DRAIN_MS = 3_000;
/** So many idle answers in a row, and what has not been printed will not be. */
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
  const { ask } = link;

  async function pause(milliseconds: number): Promise<void> {
    await options.wait(milliseconds, closing.signal);
    if (closing.signal.aborted) throw new Interrupted();
  }

  async function sendAndWatch(job: JobDocument, report: Report): Promise<JobOutcome> {
    const printer = link.dialogue;
    if (!printer || printer.broken) return { type: "not-sent" };
    let { odometer } = job;
    printer.expectOdometer((value) => {
      odometer = value;
    });
    try {
      await write(printer, job, report, allCopies(job));
      return await watch(printer, job, report, () => odometer);
    } catch (error) {
      if (!(error instanceof ConnectionBroken)) throw error;
      link.drop(printer);
      return await afterTheBreak({ ...job, odometer }, report, "broke");
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
    await options.wait(2 * options.pollMs, over.signal);
    if (!over.signal.aborted) {
      link.lastStatus = { ...SILENT, state: "stopped", reasons: ["not-taking-data"] };
      report({ type: "stopped", count: countOf(job, 0), reasons: ["not-taking-data"] });
    }
    await unlessClosing(written);
  }

  async function watch(
    printer: StatusDialogue,
    job: JobDocument,
    report: Report,
    odometerNow: () => number | undefined,
  ): Promise<JobOutcome> {
    let interval = FIRST_POLL_MS;
    let settled = 0;
    let silent = 0;
    let printed = 0;
    let unfinishedMs = 0;
    for (;;) {
      const snapshot = await ask(printer);
      const odometer = odometerNow();
      silent = snapshot.answered ? 0 : silent + 1;
      printed = Math.max(printed, printedSoFar(snapshot, job, odometer));
      const counted = odometer !== undefined && snapshot.odometer !== undefined;
      const enough = !counted || (snapshot.odometer as number) - (odometer as number) >= job.labels;
      settled = isIdle(snapshot) ? settled + 1 : 0;
      // A label that another program has begun and not ended is no business of this job.
      const printedAll = counted && enough && (isIdle(snapshot) || awaitsMore(snapshot));
      if (printedAll || (isIdle(snapshot) && !counted && settled > 1)) return done(job);
      if (settled >= SETTLED + 2) return labelsMissing(job, printed);
      unfinishedMs = awaitsMore(snapshot) ? unfinishedMs + interval : 0;
      if (unfinishedMs > options.recoverMs) {
        await printer.write(CANCEL_PARTIAL_FORMAT);
        return counted ? unfinished(job, printed) : lost(job, 0);
      }
      const told = { count: countOf(job, printed), odometer };
      if (silent > 1) report({ type: "stopped", reasons: SILENT.reasons, ...told });
      else if (snapshot.reasons.length > 0) report({ type: "stopped", reasons: snapshot.reasons, ...told });
      else if (interval > FIRST_POLL_MS && silent === 0) report({ type: "printing", ...told });
      await pause(interval);
      interval = Math.min(options.pollMs, interval * 2);
    }
  }

  /** The connection is gone, or the bridge was: only the printer's own counter can tell what came out. */
  async function afterTheBreak(
    job: JobDocument,
    report: Report,
    how: "broke" | "restarted",
  ): Promise<JobOutcome> {
    const { odometer } = job;
    if (odometer === undefined || job.rfid) return lost(job, 0);
    let heardAt = options.monotonic();
    let settled = 0;
    for (;;) {
      const snapshot = await askAgain();
      if (snapshot?.odometer !== undefined) {
        heardAt = options.monotonic();
        const moved = snapshot.odometer - odometer;
        settled = isIdle(snapshot) ? settled + 1 : 0;
        if (settled > 0 && moved === job.labels) return done(job);
        if (settled >= SETTLED) {
          if (moved === 0 && how === "broke") return nothingPrinted(job);
          return lost(job, Math.min(Math.max(0, moved), job.labels));
        }
        const count = countOf(job, printedSoFar(snapshot, job, odometer));
        const { reasons } = snapshot;
        report(reasons.length > 0 ? { type: "stopped", reasons, count } : { type: "printing", count });
      } else if (snapshot && !snapshot.answered) {
        // Connected and silent: it is stopped, and tells what came out when it goes on.
        heardAt = options.monotonic();
        report({ type: "stopped", reasons: SILENT.reasons, count: countOf(job, 0) });
      } else if (snapshot || options.monotonic() - heardAt > options.recoverMs) {
        return lost(job, 0);
      }
      await pause(options.pollMs);
    }
  }

  async function askAgain(): Promise<Snapshot | undefined> {
    try {
      return await ask(await link.connected());
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

  const { maxVoids, pollMs } = options;
  return {
    isReady: () => link.dialogue?.broken === false && !busy && link.lastStatus?.state === "ready",
    odometer: () => link.odometer,
    status: link.status,
    prepare: link.status,
    send: (job, report) =>
      untilItEnds(
        occupied(job, () =>
          job.rfid
            ? sendTags({ printer: link.dialogue, job, report, ask, pause, write, maxVoids, pollMs })
            : sendAndWatch(job, report),
        ),
      ),
    recover: (job, report) => untilItEnds(occupied(job, () => afterTheBreak(job, report, "restarted"))),
    query: (question) => askOnce(options, question),
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

/** The odometer's question, and every copy of the data. */
function* allCopies({ data, copies }: JobDocument): Generator<Uint8Array> {
  const odometer = Buffer.from(ODOMETER, "latin1");
  for (let copy = 0; copy < copies; copy++) {
    for (let at = 0; at < data.length; at += PIECE) {
      const piece = data.subarray(at, at + PIECE);
      yield copy === 0 && at === 0 ? Buffer.concat([odometer, piece]) : piece;
    }
  }
}

const noop = () => {};
