import { BridgeError } from "../domain/errors.ts";
import { NotTaken, type Spooler, type SpoolerJob } from "../domain/spooler.ts";

/** What the bridge asks of Windows' spooler. Every call throws when Windows refuses it. */
export interface Winspool {
  /** PRINTER_STATUS_* bits; nothing is wrong at 0. */
  printerStatus(printer: string): Promise<number>;
  /** Puts a document of the printer's own language into the queue; answers with the job's number. */
  submit(printer: string, title: string, pieces: Iterable<Uint8Array>): Promise<number>;
  /** The jobs that the queue has, by their numbers. */
  jobs(printer: string): Promise<ReadonlyMap<number, WinspoolJob>>;
}

export interface WinspoolJob {
  /** JOB_STATUS_* bits. */
  readonly status: number;
  /** Its document's name (pDocument). */
  readonly title: string;
}

export class WinspoolError extends Error {
  override name = "WinspoolError";
  /** Whether Windows may have some of the document: it prints while it still takes more. */
  readonly isBrokenOff: boolean;

  readonly call: string;

  constructor(call: string, { isBrokenOff = false } = {}) {
    super(`${call} was refused`);
    this.call = call;
    this.isBrokenOff = isBrokenOff;
  }
}

const JOB = {
  paused: 0x1,
  error: 0x2,
  deleting: 0x4,
  printing: 0x10,
  offline: 0x20,
  paperOut: 0x40,
  printed: 0x80,
  deleted: 0x100,
  blocked: 0x200,
  intervention: 0x400,
  complete: 0x1000,
} as const;

const HELD: ReadonlyArray<[bits: number, reason: string]> = [
  [JOB.paused, "paused"],
  [JOB.paperOut, "paper-out"],
  [JOB.offline, "offline"],
  [JOB.error | JOB.blocked, "error"],
  [JOB.intervention, "attention"],
];

/** PRINTER_STATUS_* bits that stop a printer, in our words. */
const STOPPED: ReadonlyArray<[bits: number, reason: string]> = [
  [0x1, "paused"],
  [0x2, "error"],
  [0x8, "paper-jam"],
  [0x10, "paper-out"],
  [0x40, "paper-problem"],
  [0x80, "offline"],
  [0x1000, "not-available"],
  [0x40000, "ribbon-out"],
  [0x100000, "attention"],
  [0x400000, "head-open"],
];
const PRINTING = 0x400;
const GONE_FROM_THE_NETWORK = 0x80;

const named = (table: ReadonlyArray<[number, string]>, bits: number) =>
  table.filter(([mask]) => (bits & mask) !== 0).map(([, reason]) => reason);

/** Jobs that Windows passes over, or has printed and keeps. */
const NOT_AWAITED = JOB.paused | JOB.printed | JOB.complete;

/** Whether a job that had its turn before this one is still there; one that was not seen came after all that were. */
function isBehindAny(
  job: number,
  before: readonly number[],
  inQueue: ReadonlyMap<number, WinspoolJob>,
): boolean {
  const at = before.indexOf(job);
  const ahead = at < 0 ? before : before.slice(0, at);
  return ahead.some(
    (other) => other !== job && ((inQueue.get(other)?.status ?? NOT_AWAITED) & NOT_AWAITED) === 0,
  );
}

/** A queue of Windows' spooler. */
export function createWindowsSpooler(printer: string, winspool: () => Promise<Winspool>): Spooler {
  /** Jobs that were in good order when last seen. Windows gives the numbers of jobs that have ended again. */
  const well = new Map<string, { readonly state: "waiting" | "printing"; readonly title?: string }>();
  /** Jobs that were printed, by their number, which the one that was handed over last has now. */
  const formerly = new Map<string, SpoolerJob>();
  let wasStopped = false;
  /** The numbers of all jobs at the last look, also those of other programs, in the order of their turns. */
  let lastQueue: readonly number[] = [];

  async function asked<T>(work: (spooler: Winspool) => Promise<T>): Promise<T> {
    try {
      return await work(await winspool());
    } catch (error) {
      if (!(error instanceof WinspoolError)) throw error;
      if (error.isBrokenOff)
        throw new BridgeError("TRANSPORT_TIMEOUT", `The Windows queue broke the job off: ${error.message}.`);
      throw new BridgeError("PRINTER_OFFLINE", `The Windows queue does not answer: ${error.message}.`);
    }
  }

  /** A document that was not begun may be handed over later: Windows refuses while a driver or its spooler changes. */
  async function handedOver<T>(work: (spooler: Winspool) => Promise<T>): Promise<T> {
    try {
      return await asked(work);
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== "PRINTER_OFFLINE") throw error;
      throw new NotTaken("offline", error.message);
    }
  }

  /**
   * A job that is printing leaves the queue by being printed. So may one that was still waiting when last seen, if its
   * turn had come; otherwise, or where it was never seen by this bridge, somebody may have deleted it.
   */
  function stateOf(name: string, job: WinspoolJob | undefined, hasTurn: boolean): SpoolerJob {
    const before = well.get(name);
    if (!job || (before?.title !== undefined && before.title !== job.title)) {
      well.delete(name);
      const isPrinted = before?.state === "printing" || (before?.state === "waiting" && hasTurn);
      return { state: isPrinted ? "done" : "gone", reasons: [] };
    }
    const { status: bits, title } = job;
    const reasons = named(HELD, bits);
    const doomed = (bits & (JOB.deleting | JOB.deleted)) !== 0;
    const isDone = (bits & (JOB.printed | JOB.complete)) !== 0;
    if (isDone || doomed || reasons.length > 0) well.delete(name);
    else well.set(name, { state: bits & JOB.printing ? "printing" : "waiting", title });
    if (isDone) return { state: "done", reasons: [], title };
    if (doomed) return { state: "failed", reasons: ["deleted"], title };
    return { state: reasons.length > 0 ? "held" : "waiting", reasons, title };
  }

  /** Jobs have their turns in the order they were handed over, which is that of the names. */
  async function jobs(names: readonly string[]): Promise<ReadonlyMap<string, SpoolerJob>> {
    const known = new Map(well);
    const [inQueue, isStopped] = await asked(async (spooler) => [
      await spooler.jobs(printer),
      named(STOPPED, await spooler.printerStatus(printer)).length > 0,
    ]);
    let hasTurn = !isStopped && !wasStopped;
    wasStopped = isStopped;
    const before = lastQueue;
    lastQueue = [...inQueue.keys()];
    const told = new Map<string, SpoolerJob>();
    for (const name of names) {
      // A job that was handed over meanwhile was given the number: what was seen is of the earlier one.
      if (well.get(name) !== known.get(name)) {
        hasTurn = false;
        continue;
      }
      const number = Number(name);
      const state = stateOf(name, inQueue.get(number), hasTurn && !isBehindAny(number, before, inQueue));
      told.set(name, state);
      hasTurn &&= state.state === "done";
    }
    return told;
  }

  return {
    isCheap: true,
    submit: async (title, data, copies) => {
      const pieces = Array.from({ length: copies }, () => data);
      const name = String(await handedOver((spooler) => spooler.submit(printer, title, pieces)));
      if (well.get(name)?.state === "printing") formerly.set(name, { state: "done", reasons: [] });
      else formerly.delete(name);
      well.set(name, { state: "waiting" });
      return name;
    },
    formerly: (name) => formerly.get(name),
    jobs,
    status: async () => {
      const bits = await asked((spooler) => spooler.printerStatus(printer));
      const reasons = named(STOPPED, bits);
      const state = reasons.length > 0 ? "stopped" : bits & PRINTING ? "printing" : "ready";
      return { online: (bits & GONE_FROM_THE_NETWORK) === 0, state, reasons, labelsRemaining: 0 };
    },
  };
}
