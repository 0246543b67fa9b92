import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { type Courier, OVER, type Wait } from "./courier.ts";
import { BridgeError } from "./errors.ts";
import type { Job } from "./job.ts";
import type { Journal, NewJob } from "./journal.ts";
import { createLane, type Lane } from "./lane.ts";
import { type Language, type Look, OFFLINE, type PrinterRecord, type PrinterStatus } from "./printer.ts";

export interface PrintQueueOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly wait: Wait;
  readonly log: Log;
  /** How to reach a printer; asked again when its description changes. */
  readonly courierFor: (printer: PrinterRecord) => Courier;
  readonly waitingLimit: number;
  readonly retryMs: number;
  readonly giveUpMs: number;
  /** How often a printer is looked at while nothing happens. */
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
}

export interface PrintQueue {
  /** Brings the lanes in line with the printers there are, and takes up what an earlier run left. */
  setPrinters(printers: readonly PrinterRecord[]): Promise<void>;
  /** Answers with the job's id once the job cannot be lost any more. */
  accept(request: JobRequest): Promise<string>;
  status(printer: string): Promise<PrinterStatus>;
  query(printer: string, question: Uint8Array): Promise<Uint8Array>;
  /** What is known without asking the device. */
  lastStatus(printer: string): PrinterStatus;
  close(): Promise<void>;
}

interface Line {
  readonly printer: PrinterRecord;
  readonly lane: Lane;
  readonly stopWatching: () => void;
}

export function createPrintQueue(options: PrintQueueOptions): PrintQueue {
  const { journal, clock, log } = options;
  const lines = new Map<string, Line>();
  const statuses = new Map<string, PrinterStatus>();
  /** Requests with the same key that are being accepted this moment. */
  const accepting = new Map<string, Promise<string>>();
  /** Jobs accepted for a printer and not yet in its lane. */
  const arriving = new Map<string, number>();
  let orphans = journal.unfinished();
  let closed = false;

  function saw(printer: string, look: Look): void {
    const before = statuses.get(printer);
    const status = {
      printer,
      online: look.online,
      state: look.state,
      reasons: [...look.reasons],
      labelsRemaining: look.labelsRemaining,
      checkedAt: new Date(clock.now()).toISOString(),
    };
    statuses.set(printer, status);
    const same = before && before.state === status.state && String(before.reasons) === String(status.reasons);
    // Which printers work this moment is told by their jobs; here only what a person would want to know.
    const dull =
      before && [before.state, status.state].every((state) => state === "ready" || state === "printing");
    if (same || dull || closed) return;
    journal.commit([{ kind: "status", status }]).catch((error: unknown) => {
      log.error({ err: error, printer }, "a printer's status could not be remembered");
    });
  }

  function startLine(printer: PrinterRecord): Line {
    const lane = createLane({
      printer: printer.id,
      courier: options.courierFor(printer),
      journal,
      clock,
      wait: options.wait,
      log,
      retryMs: options.retryMs,
      giveUpMs: options.giveUpMs,
      onLook: (look) => saw(printer.id, look),
    });
    const mine = orphans.filter((job) => job.printer === printer.id);
    orphans = orphans.filter((job) => job.printer !== printer.id);
    for (const job of mine) lane.add(job, job.started ? "recover" : "new");
    const watching = new AbortController();
    void watch(lane, watching.signal);
    return { printer, lane, stopWatching: () => watching.abort(OVER) };
  }

  async function watch(lane: Lane, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await lane.look().catch((error: unknown) => {
        if (!(error instanceof BridgeError)) log.error({ err: error }, "a printer could not be looked at");
      });
      await options.wait(options.watchMs, signal);
    }
  }

  async function stopLine(line: Line): Promise<void> {
    line.stopWatching();
    await line.lane.close();
  }

  async function accept(request: JobRequest): Promise<string> {
    if (request.key === undefined) return acceptNew(request);
    const place = `${request.origin}\n${request.key}`;
    const underWay = accepting.get(place);
    if (underWay) return underWay;
    const known = journal.jobByKey(request.origin, request.key);
    if (known) return known.id;
    const mine = acceptNew(request).finally(() => accepting.delete(place));
    accepting.set(place, mine);
    return mine;
  }

  async function acceptNew(request: JobRequest): Promise<string> {
    const line = lineOf(request.printer.id);
    if (statuses.get(request.printer.id)?.online !== true) await reachableNow(line);
    const { id: printer } = request.printer;
    const ahead = line.lane.waiting + (arriving.get(printer) ?? 0);
    if (ahead >= options.waitingLimit) {
      throw new BridgeError("RATE_LIMITED", `${ahead} jobs wait for this printer already.`, {
        waiting: ahead,
      });
    }
    // A free lane is claimed in the same commit: the job's first byte then waits for one disk write, not two.
    const claimed = line.lane.isFree() && !arriving.get(printer);
    const now = clock.now();
    const job: NewJob = {
      id: options.ids.next(),
      origin: request.origin,
      printer,
      alias: request.alias,
      state: claimed ? "Sending" : "Queued",
      started: claimed,
      verification: "none",
      language: request.language,
      copies: request.copies,
      rfid: request.rfid,
      tally: { asked: request.labels, printed: 0 },
      reasons: [],
      error: undefined,
      baseline: claimed ? line.lane.baseline() : undefined,
      createdAt: now,
      updatedAt: now,
      key: request.key,
    };
    arriving.set(printer, (arriving.get(printer) ?? 0) + 1);
    try {
      await journal.commit([{ kind: "accepted", job, data: request.data }]);
    } finally {
      arriving.set(printer, (arriving.get(printer) ?? 1) - 1);
    }
    // The printer may have been described anew while the disk was busy.
    const lane = lines.get(printer)?.lane;
    const { key: _key, ...accepted } = job;
    if (lane) lane.add(accepted, claimed ? "claimed" : "new", claimed ? request.data : undefined);
    else orphans.push(accepted);
    return job.id;
  }

  async function reachableNow(line: Line): Promise<void> {
    try {
      await line.lane.look();
    } catch (error) {
      // One that is there and says nothing may still print: the job waits for it.
      if (
        error instanceof BridgeError &&
        error.code === "TRANSPORT_TIMEOUT" &&
        statuses.get(line.printer.id)?.online
      )
        return;
      throw error;
    }
  }

  function lineOf(printer: string): Line {
    const line = lines.get(printer);
    if (!line) throw new BridgeError("PRINTER_UNBOUND", "No device stands behind this printer yet.");
    return line;
  }

  function lastStatus(printer: string): PrinterStatus {
    const unseen = { ...OFFLINE, reasons: ["not-looked-at"], state: "unknown" as const };
    return statuses.get(printer) ?? { printer, ...unseen, checkedAt: new Date(clock.now()).toISOString() };
  }

  return {
    async setPrinters(printers) {
      const wanted = new Map(
        printers.filter(({ address, transport }) => address || transport === "virtual").map((p) => [p.id, p]),
      );
      for (const [id, line] of lines) {
        const next = wanted.get(id);
        if (next && JSON.stringify(next) === JSON.stringify(line.printer)) continue;
        lines.delete(id);
        statuses.delete(id);
        await stopLine(line);
        const left = journal.unfinished().filter((job: Job) => job.printer === id);
        orphans = [...orphans.filter((job) => job.printer !== id), ...left];
      }
      for (const [id, printer] of wanted) if (!lines.has(id)) lines.set(id, startLine(printer));
    },
    accept,
    async status(printer) {
      await lineOf(printer).lane.look();
      return lastStatus(printer);
    },
    query: async (printer, question) => lineOf(printer).lane.query(question),
    lastStatus,
    async close() {
      closed = true;
      await Promise.all([...lines.values()].map(stopLine));
      lines.clear();
    },
  };
}
