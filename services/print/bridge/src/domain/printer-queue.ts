import type { Log } from "@frontdesk/kit/log";
import { type Backend, type JobDocument, OVER, type Transmission, type Wait } from "./backend.ts";
import { BridgeError } from "./errors.ts";
import type { Job } from "./job.ts";
import { advance, type JobEvent, type JobOutcome, type JobProgress, type JobStep } from "./job-machine.ts";
import { changesNothing, createJobWriter, type JobRecord } from "./job-writer.ts";
import type { Journal } from "./journal.ts";
import { type DeviceStatus, type Language, OFFLINE } from "./printer.ts";

export interface PrinterQueueOptions {
  readonly printer: string;
  /** What the printer is reached by: a label counter is that of one device. */
  readonly device: string;
  readonly backend: Backend;
  readonly journal: Pick<Journal, "commit" | "data" | "hasData" | "lastEnded">;
  readonly wait: Wait;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly log: Log;
  /** How long to wait before asking again a printer that cannot be reached, or is stopped. */
  readonly retryMs: number;
  /** How long the job at the head waits for a printer that cannot be reached. */
  readonly giveUpMs: number;
  readonly onStatus: (status: DeviceStatus) => void;
  /** Whether the printer, as it is described by now, speaks a language; any where it is left out. */
  readonly speaks?: (language: Language) => boolean;
}

interface Entry extends JobRecord {
  /** The data of a job that leaves at once, so that it need not be read back. */
  data?: Uint8Array | undefined;
  unreachableSince: number | undefined;
}

/** The jobs of one printer, one after another, in the order they came. */
export interface PrinterQueue {
  /** Whether a job that came now could leave now. */
  isFree(): boolean;
  /** What a job that left now would be marked with. */
  ready(): Extract<JobEvent, { type: "ready" }>;
  /** Takes a job that is in the journal; one that is marked as sending there leaves at once, with its data. */
  add(job: Job, data?: Uint8Array): void;
  /** Takes a job that an earlier run of the bridge left in the journal. */
  takeUp(job: Job): void;
  status(): Promise<DeviceStatus>;
  query(question: Uint8Array): Promise<Uint8Array>;
  /** Lets what is under way come to a point where it can be left, and closes the connection. */
  close(): Promise<void>;
}

const UNREADABLE: JobEvent = {
  type: "unreachable",
  reason: "data-unreadable",
  error: { code: "INTERNAL", message: "The job's data cannot be read; the log says why." },
};
/** What became of a job of an earlier run can be found out without its data. */
const NO_DATA = new Uint8Array();

export function createPrinterQueue(options: PrinterQueueOptions): PrinterQueue {
  const { journal, backend, log } = options;
  const closing = new AbortController();
  const { printer, wait, retryMs } = options;
  const writer = createJobWriter({ printer, journal, wait, retryMs, log, closing: closing.signal });
  const waiting: Entry[] = [];
  const underWay = new Set<Promise<unknown>>();
  let awake = Promise.withResolvers<void>();
  let busy = false;
  expectHalf();

  /** Where nobody knows what became of the last job, a part of it may be in the printer. */
  function expectHalf(): void {
    try {
      const last = journal.lastEnded(printer);
      if (last?.state !== "Unknown" || !isOfDevice(last)) return;
      backend.expectHalf?.(journal.hasData(last.id) ? journal.data(last.id) : NO_DATA);
    } catch (error) {
      log.error({ err: error, printer }, "the printer's last job not read");
      backend.expectHalf?.(NO_DATA);
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const head = waiting[0];
      if (!head) {
        backend.idle();
        awake = Promise.withResolvers();
        await awake.promise;
        continue;
      }
      busy = true;
      try {
        await serve(head);
      } catch (error) {
        log.error(
          { err: error, job: head.job.id, printer: options.printer },
          "job step failed; trying again",
        );
        await options.wait(options.retryMs, closing.signal);
      } finally {
        busy = false;
      }
    }
  }

  /** One step of the job at the head of the queue. */
  async function serve(entry: Entry): Promise<void> {
    if (entry.data) {
      waiting.shift();
      return follow(entry, backend.send(documentOf(entry, entry.data), reporter(entry)));
    }
    const ready: JobEvent = entry.job.started ? { type: "restarted" } : await readiness(entry.job);
    if (closing.signal.aborted) return;
    // Before the job is marked: one whose data cannot be read this moment has not been sent, and waits.
    const data = ready.type === "ready" || ready.type === "restarted" ? readData(entry) : undefined;
    const event: JobEvent = ready.type === "ready" && !data ? UNREADABLE : ready;
    const step = stepOf(entry, event);
    if (!step) return void waiting.shift();
    const written = await write(entry, step);
    if (closing.signal.aborted && step.action === "send") return withdraw(entry);
    if (!written || closing.signal.aborted) return;
    if (step.action === "retry-later") return options.wait(options.retryMs, closing.signal);
    if (step.action === "retry-now") return;
    waiting.shift();
    if (step.action === "end") return logEnd(entry);
    const document = documentOf(entry, data ?? NO_DATA);
    if (step.action === "send") await follow(entry, backend.send(document, reporter(entry)));
    if (step.action === "recover") await follow(entry, backend.recover(document, reporter(entry)));
  }

  function readData({ job }: Entry): Uint8Array | undefined {
    try {
      return journal.data(job.id);
    } catch (error) {
      log.error({ err: error, job: job.id, printer: options.printer }, "job data not read");
      return undefined;
    }
  }

  function ready(): Extract<JobEvent, { type: "ready" }> {
    return { type: "ready", odometer: backend.odometer(), device: options.device };
  }

  /** Whether the printer could take a job now, and why not; asked of the printer only where that is not known. */
  function readiness(job: Job): JobEvent | Promise<JobEvent> {
    // It would print the commands as text, page after page.
    if (job.language && options.speaks?.(job.language) === false) return { type: "unsuited" };
    return backend.isReady() ? ready() : askReadiness(job);
  }

  async function askReadiness({ rfid }: Job): Promise<JobEvent> {
    try {
      const status = await backend.prepare();
      options.onStatus(status);
      if (status.state === "stopped" || status.state === "unknown")
        return { type: "not-ready", reasons: status.reasons };
      // Tags are counted from a printer at rest.
      if (rfid && status.labelsRemaining > 0) return { type: "not-ready", reasons: ["busy"] };
      return ready();
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      if (!closing.signal.aborted) options.onStatus(OFFLINE);
      return { type: "unreachable", error: { code: error.code, message: error.message } };
    }
  }

  /** Waits until the next job may be sent; what became of this one is written whenever that is known. */
  async function follow(entry: Entry, { taken, outcome }: Transmission): Promise<void> {
    const concluded = conclude(entry, outcome);
    underWay.add(concluded);
    void concluded.then(() => underWay.delete(concluded));
    const notSent = await taken;
    if (!notSent) return;
    const step = stepOf(entry, notSent);
    // In its place before anything else moves: those behind it stay behind it.
    if (!step || !(await write(entry, step))) return;
    if (step.action === "end") return logEnd(entry);
    delete entry.data;
    waiting.unshift(entry);
    if (step.action === "retry-later") await options.wait(options.retryMs, closing.signal);
  }

  /** Marked as sending, and not sent because the bridge closes: the next start may send it. */
  async function withdraw(entry: Entry): Promise<void> {
    const step = stepOf(entry, { type: "withdrawn" });
    if (step) await write(entry, step);
  }

  async function conclude(entry: Entry, outcome: Promise<JobOutcome>): Promise<void> {
    const ended = await outcome;
    if (ended.type === "not-sent") return;
    const step = stepOf(entry, ended);
    if (step && (await write(entry, step)) && step.action === "end") logEnd(entry);
  }

  function logEnd({ job: { id, state, error } }: Entry): void {
    log.info({ job: id, printer: options.printer, state, code: error?.code }, "job ended");
  }

  function stepOf(entry: Entry, event: JobEvent): JobStep | undefined {
    const { giveUpMs } = options;
    const { unreachableSince } = entry;
    return advance(entry.job, event, { now: options.monotonic(), unreachableSince, giveUpMs });
  }

  function write(entry: Entry, { change, unreachableSince }: JobStep): true | Promise<boolean> {
    entry.unreachableSince = unreachableSince;
    return change === undefined || writer.write(entry, change);
  }

  /** Jobs of earlier versions do not tell of which they are. */
  function isOfDevice(job: Job): boolean {
    return (job.device ?? options.device) === options.device;
  }

  function documentOf({ job }: Entry, data: Uint8Array): JobDocument {
    const { id, copies, rfid, count, reasons } = job;
    // The counter of another device says nothing, nor does a job's number there.
    const { odometer, spoolerJob } = isOfDevice(job) ? job : { odometer: undefined, spoolerJob: undefined };
    return { id, copies, rfid, odometer, reasons, spoolerJob, labels: count.asked, data };
  }

  /** Writes progress as it comes. */
  function reporter(entry: Entry): (progress: JobProgress) => void {
    return (progress) => {
      const step = stepOf(entry, progress);
      if (!step?.change || changesNothing(entry.job, step.change)) return;
      const { asked, printed } = progress.count;
      const reasons = progress.type === "stopped" ? progress.reasons : [];
      options.onStatus({
        online: true,
        state: progress.type === "stopped" ? "stopped" : "printing",
        reasons,
        labelsRemaining: Math.max(0, asked - printed),
      });
      writer.note(entry, step.change);
    };
  }

  async function status(): Promise<DeviceStatus> {
    try {
      const seen = await backend.status();
      options.onStatus(seen);
      if (waiting.length === 0 && !busy) backend.idle();
      return seen;
    } catch (error) {
      if (error instanceof BridgeError && !closing.signal.aborted) options.onStatus(OFFLINE);
      throw error;
    }
  }

  /** All who ask at the same time are answered by one question to the device. */
  let asking: Promise<DeviceStatus> | undefined;
  const running = run();
  const push = (job: Job, data?: Uint8Array) => {
    waiting.push({ job, data, unreachableSince: undefined });
    awake.resolve();
  };
  return {
    isFree: () => waiting.length === 0 && !busy && backend.isReady(),
    ready,
    add: push,
    takeUp: (job) => push(job),
    status: () => {
      asking ??= status().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    query: async (question) => {
      if (!backend.query)
        throw new BridgeError("TRANSPORT_TIMEOUT", "This printer does not answer questions.");
      return backend.query(question);
    },
    close: async () => {
      closing.abort(OVER);
      awake.resolve();
      await backend.close();
      await running;
      await Promise.allSettled(underWay);
      await writer.settled();
      for (const entry of waiting) if (entry.data) await withdraw(entry);
    },
  };
}
