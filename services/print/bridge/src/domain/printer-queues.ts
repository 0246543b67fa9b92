import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { type Backend, OVER, type Wait } from "./backend.ts";
import { BridgeError } from "./errors.ts";
import type { Job } from "./job.ts";
import { advance, type JobEvent } from "./job-machine.ts";
import type { Journal } from "./journal.ts";
import { createOrphanedJobs } from "./orphaned-jobs.ts";
import type { Language, PrinterRecord, PrinterStatus } from "./printer.ts";
import { createPrinterQueue, type PrinterQueue } from "./printer-queue.ts";
import { createPrinterStatuses } from "./printer-statuses.ts";
import type { Registry } from "./registry.ts";
import { sameDevice } from "./same-device.ts";
import { createShares, type Shares } from "./shares.ts";
import { createWaitingJobs } from "./waiting-jobs.ts";

export interface PrinterQueuesOptions {
  readonly registry: Pick<Registry, "printers" | "origins" | "revision">;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly monotonic: () => number;
  readonly ids: Ids;
  readonly wait: Wait;
  readonly log: Log;
  /** How to reach a printer; asked again when that changes. */
  readonly backendFor: (printer: PrinterRecord) => Backend;
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
  readonly retryMs: number;
  readonly giveUpMs: number;
  /** How often a printer is asked how it is while nothing happens. */
  readonly watchMs: number;
}

export interface JobRequest {
  readonly origin: string;
  readonly alias: string;
  readonly printer: PrinterRecord;
  readonly data: Uint8Array;
  readonly copies: number;
  readonly labels: number;
  readonly language: Language | undefined;
  readonly rfid: boolean;
  readonly key: string | undefined;
  /** Judges the job again where something was decided anew while it waited for its printer; throws where it must not print. */
  readonly assertStill: () => void;
}

/** The queues of all printers. They follow the registry: whoever asks finds every printer that was added before. */
export interface PrinterQueues {
  /** The job that an origin's key stands for, once it cannot be lost any more; undefined where the key is new. */
  accepted(origin: string, key: string | undefined): Promise<string> | undefined;
  /** Answers with the job's id once the job cannot be lost any more. */
  accept(request: JobRequest): Promise<string>;
  status(printer: string): Promise<PrinterStatus>;
  query(origin: string, printer: string, question: Uint8Array): Promise<Uint8Array>;
  /** What is known without asking the device. */
  lastStatus(printer: string): PrinterStatus;
  /** Brings the queues in line with the printers there are. Returns whether anything was changed since. */
  refresh(): boolean;
  close(): Promise<void>;
}

interface Line {
  printer: PrinterRecord;
  /** Another where the printer was removed and one was added by its name. */
  readonly generation: number;
  /** Comes when the queue that was there before has let go of the device. */
  readonly queue: Promise<PrinterQueue>;
  readonly watching: AbortController;
  /** Jobs that are being written, each of which is in the queue when its promise resolves. */
  readonly arriving: Set<Promise<void>>;
  /** Jobs that came while the printer was not known to be there, and wait to hear of it. */
  asking: number;
  /** Questions of pages that are being asked: each has a connection of its own. */
  readonly questions: Shares;
}

const MAX_QUESTIONS = 4;

export function createPrinterQueues(options: PrinterQueuesOptions): PrinterQueues {
  const { journal, clock, log, registry } = options;
  const lines = new Map<string, Line>();
  /** Queues of printers that were removed, while they close. */
  const leaving = new Map<string, Promise<void>>();
  const waiting = createWaitingJobs(options);
  /** Requests with the same key that are being accepted this moment. */
  const accepting = new Map<string, Promise<string>>();
  const closing = new AbortController();
  const statuses = createPrinterStatuses({
    ...options,
    recordOf: (printer) => lines.get(printer)?.printer,
    closing: closing.signal,
  });
  const orphans = createOrphanedJobs({ ...options, closing: closing.signal });
  let revision = -1;

  function open(printer: PrinterRecord): Line {
    const watching = new AbortController();
    const generation = registry.printers.generation(printer.id);
    const queue = (leaving.get(printer.id) ?? Promise.resolve()).then(() => {
      const opened = createPrinterQueue({
        printer: printer.id,
        device: `${printer.transport} ${printer.address}`,
        backend: options.backendFor(printer),
        journal,
        wait: options.wait,
        monotonic: options.monotonic,
        log,
        retryMs: options.retryMs,
        giveUpMs: options.giveUpMs,
        onStatus: (status) => statuses.heard(printer.id, status),
        speaks: (language) => (lines.get(printer.id)?.printer ?? printer).languages.includes(language),
      });
      orphans.end(printer.id, generation);
      for (const job of journal.unfinished())
        if (job.printer === printer.id && !orphans.has(job.id)) opened.takeUp(job);
      void watch(printer.id, opened, watching.signal);
      return opened;
    });
    // Whoever asks for this printer is told; the others print.
    queue.catch((error: unknown) => {
      log.error({ err: error, printer: printer.id, address: printer.address }, "printer cannot be used");
    });
    return {
      printer,
      generation,
      queue,
      watching,
      arriving: new Set(),
      asking: 0,
      questions: createShares(MAX_QUESTIONS),
    };
  }

  function shut(id: string, line: Line, { isRemoved }: { readonly isRemoved: boolean }): void {
    lines.delete(id);
    statuses.forget(id);
    line.watching.abort(OVER);
    const gone = Promise.allSettled(line.arriving)
      .then(() => line.queue)
      .then((queue) => queue.close())
      .catch((error: unknown) => log.error({ err: error, printer: id }, "printer queue not closed"))
      .finally(() => {
        if (leaving.get(id) === gone) leaving.delete(id);
        // Before the next printer of that name takes up what the journal has.
        if (isRemoved) orphans.end(id);
      });
    leaving.set(id, gone);
  }

  async function watch(printer: string, queue: PrinterQueue, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await queue.status().catch((error: unknown) => {
        if (!(error instanceof BridgeError)) log.error({ err: error, printer }, "printer status not read");
      });
      await options.wait(options.watchMs, signal);
    }
  }

  function refresh(): boolean {
    const now = registry.revision();
    if (now === revision || closing.signal.aborted) return false;
    const bound = registry.printers.all().filter(isBound);
    const wanted = new Map(bound.map((printer) => [printer.id, printer]));
    for (const [id, line] of lines) {
      const next = wanted.get(id);
      const isRemoved = !next || registry.printers.generation(id) !== line.generation;
      if (!isRemoved && sameDevice(next, line.printer)) line.printer = next;
      else shut(id, line, { isRemoved });
    }
    for (const [id, printer] of wanted) if (!lines.has(id)) lines.set(id, open(printer));
    revision = now;
    for (const printer of new Set(journal.unfinished().map((job) => job.printer)))
      if (!lines.has(printer) && !leaving.has(printer)) orphans.end(printer);
    return true;
  }

  function lineOf(printer: string): Line {
    refresh();
    const line = lines.get(printer);
    if (!line) throw new BridgeError("PRINTER_UNBOUND", "No device stands behind this printer yet.");
    return line;
  }

  function accepted(origin: string, key: string | undefined): Promise<string> | undefined {
    if (key === undefined) return undefined;
    const underWay = accepting.get(placeOf(origin, key));
    if (underWay) return underWay;
    const known = journal.jobByKey(origin, key);
    return known && Promise.resolve(known.id);
  }

  async function accept(request: JobRequest): Promise<string> {
    if (request.key === undefined) return await acceptNew(request);
    const known = accepted(request.origin, request.key);
    if (known) return known;
    const place = placeOf(request.origin, request.key);
    const mine = acceptNew(request).finally(() => accepting.delete(place));
    accepting.set(place, mine);
    return mine;
  }

  async function acceptNew(request: JobRequest): Promise<string> {
    const { id: printer } = request.printer;
    const line = lineOf(printer);
    const judgedAt = registry.revision();
    const queue = await line.queue;
    // None overtakes those that came before it and wait for the printer's answer.
    if (!statuses.isOnline(printer) || line.asking > 0) {
      line.asking++;
      await queue.status().finally(() => line.asking--);
    }
    // Its origin may have been let out meanwhile, and the printer described anew.
    if (registry.revision() !== judgedAt) request.assertStill();
    if (lines.get(printer) !== line) return acceptNew(request);
    waiting.assertRoom(request.origin, printer, request.data.length);
    // A free queue sends it at once, in the same commit: its first byte waits for one disk write, not two.
    const leavesNow = queue.isFree() && line.arriving.size === 0;
    const job = newJob(request, line.generation, leavesNow ? queue.ready() : undefined);
    waiting.enter(job, request.data.length);
    const written = journal
      .commit([{ kind: "accepted", job, key: request.key, data: request.data }])
      .then(() => queue.add(job, leavesNow ? request.data : undefined));
    line.arriving.add(written);
    try {
      await written;
      log.info({ job: job.id, printer, origin: job.origin, labels: request.labels }, "job accepted");
      return job.id;
    } catch (error) {
      waiting.leave(job.id);
      log.error({ err: error, printer }, "job not written");
      throw new BridgeError("INTERNAL", `The job could not be stored: ${(error as Error).message}.`);
    } finally {
      line.arriving.delete(written);
    }
  }

  /** With `leaving` it is marked as one of which a byte may have left. */
  function newJob(request: JobRequest, generation: number, leaving: JobEvent | undefined): Job {
    const now = clock.now();
    const job: Job = {
      id: options.ids.next(),
      origin: request.origin,
      printer: request.printer.id,
      generation,
      alias: request.alias,
      state: "Queued",
      started: false,
      verification: "none",
      language: request.language,
      copies: request.copies,
      rfid: request.rfid,
      count: { asked: request.labels, printed: 0 },
      reasons: [],
      error: undefined,
      odometer: undefined,
      createdAt: now,
      updatedAt: now,
    };
    if (!leaving) return job;
    const moment = { now: 0, unreachableSince: undefined, giveUpMs: options.giveUpMs };
    return { ...job, ...advance(job, leaving, moment)?.change };
  }

  return {
    accepted,
    accept,
    async status(printer) {
      const status = await (await lineOf(printer).queue).status();
      if (status.state === "unknown")
        throw new BridgeError("TRANSPORT_TIMEOUT", "The printer is connected and did not answer in time.");
      return statuses.last(printer);
    },
    query: async (origin, printer, question) => {
      const { queue, questions } = lineOf(printer);
      if (!questions.hasRoom(origin, 1, () => waiting.isShared(origin, printer)))
        throw new BridgeError("RATE_LIMITED", `${questions.taken} questions wait for this printer already.`);
      questions.take(origin, 1);
      try {
        return await (await queue).query(question);
      } finally {
        questions.giveBack(origin, 1);
      }
    },
    lastStatus: statuses.last,
    refresh,
    async close() {
      closing.abort(OVER);
      waiting.close();
      for (const [id, line] of lines) shut(id, line, { isRemoved: false });
      await Promise.all(leaving.values());
    },
  };
}

const placeOf = (origin: string, key: string) => `${origin}\n${key}`;

const isBound = ({ address, transport }: PrinterRecord) => address !== "" || transport === "virtual";
