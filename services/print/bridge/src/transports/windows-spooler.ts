import { BridgeError } from "../domain/errors.ts";
import type { Spooler, SpoolerJob } from "../domain/spooler.ts";

/** What the bridge asks of Windows' spooler. Every call throws when Windows refuses it. */
export interface Winspool {
  /** PRINTER_STATUS_* bits; nothing is wrong at 0. */
  printerStatus(printer: string): Promise<number>;
  /** Puts a document of the printer's own language into the queue; answers with the job's number. */
  submit(printer: string, title: string, pieces: Iterable<Uint8Array>): Promise<number>;
  /** JOB_STATUS_* bits, or nothing when the queue has no such job. */
  jobStatus(printer: string, job: number): Promise<number | undefined>;
}

export class WinspoolError extends Error {
  override name = "WinspoolError";

  constructor(call: string) {
    super(`${call} was refused`);
  }
}

const JOB = {
  paused: 0x1,
  error: 0x2,
  deleting: 0x4,
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

/** A queue of Windows' spooler. */
export function createWindowsSpooler(printer: string, winspool: () => Promise<Winspool>): Spooler {
  /** Jobs that were in good order when last seen: such a one leaves the queue by being printed. */
  const well = new Set<string>();

  async function asked<T>(work: (spooler: Winspool) => Promise<T>): Promise<T> {
    try {
      return await work(await winspool());
    } catch (error) {
      if (!(error instanceof WinspoolError)) throw error;
      throw new BridgeError("PRINTER_OFFLINE", `The Windows queue does not answer: ${error.message}.`);
    }
  }

  return {
    submit: async (title, data, copies) => {
      const pieces = Array.from({ length: copies }, () => data);
      const name = String(await asked((spooler) => spooler.submit(printer, title, pieces)));
      well.add(name);
      return name;
    },
    job: async (name): Promise<SpoolerJob> => {
      const bits = await asked((spooler) => spooler.jobStatus(printer, Number(name)));
      if (bits === undefined) {
        // One that was not well, or was never seen by this bridge, may have been thrown away as well.
        return { state: well.delete(name) ? "done" : "gone", reasons: [] };
      }
      const reasons = named(HELD, bits);
      const doomed = (bits & (JOB.deleting | JOB.deleted)) !== 0;
      if (doomed || reasons.length > 0) well.delete(name);
      else well.add(name);
      if ((bits & (JOB.printed | JOB.complete)) !== 0) return { state: "done", reasons: [] };
      if (doomed) return { state: "failed", reasons: ["deleted"] };
      return { state: reasons.length > 0 ? "held" : "waiting", reasons };
    },
    status: async () => {
      const bits = await asked((spooler) => spooler.printerStatus(printer));
      const reasons = named(STOPPED, bits);
      const state = reasons.length > 0 ? "stopped" : bits & PRINTING ? "printing" : "ready";
      return { online: (bits & GONE_FROM_THE_NETWORK) === 0, state, reasons, labelsRemaining: 0 };
    },
  };
}
