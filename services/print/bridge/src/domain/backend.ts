import type { JobOutcome, JobProgress } from "./job-machine.ts";
import type { DeviceStatus } from "./printer.ts";

/** What a backend is given of a job. */
export interface JobDocument {
  readonly id: string;
  readonly data: Uint8Array;
  readonly copies: number;
  readonly labels: number;
  readonly rfid: boolean;
  /** The printer's label counter before the first byte, where it was known. */
  readonly odometer: number | undefined;
  /** Why it was held when the bridge ended. */
  readonly reasons?: readonly string[];
  /** What a spooler calls the job, where one has it. */
  readonly spoolerJob: string | undefined;
}

export type Report = (progress: JobProgress) => void;

/** A job that was given to a backend. Neither promise ever rejects. */
export interface Transmission {
  /** The next job may be sent; with "not-sent" this one has to be tried again before. */
  readonly taken: Promise<Extract<JobOutcome, { type: "not-sent" }> | undefined>;
  readonly outcome: Promise<JobOutcome>;
}

/**
 * Brings jobs to one device and tells what became of them: one for each kind of feedback a device gives.
 * Before `send` is called the job has been marked, durably, as one of which a byte may have left.
 */
export interface Backend {
  /** Whether a job could be sent this moment, with nothing to wait for. */
  isReady(): boolean;
  /** The printer's label counter as last seen, where it has one. */
  odometer(): number | undefined;
  /**
   * Asks the device how it is, without sending a byte of a job. A device that is connected and silent is
   * "unknown". Throws PRINTER_OFFLINE when it cannot be reached, and TRANSPORT_TIMEOUT when another program
   * has it.
   */
  status(): Promise<DeviceStatus>;
  /** The same, to send a job next: waits for what the connection is still needed for, and connects. */
  prepare(): Promise<DeviceStatus>;
  send(job: JobDocument, report: Report): Transmission;
  /** Finds out what became of a job of which a byte may have left when the bridge ended. */
  recover(job: JobDocument, report: Report): Transmission;
  /** A job ended in an earlier run, and nobody knows how much of it the device has: a part of it may still be there. */
  expectHalf?(data: Uint8Array): void;
  /** Sends a question that prints nothing and answers with what came back, where the device can answer. */
  query?(question: Uint8Array): Promise<Uint8Array>;
  /** Nothing waits: the connection may be given back. */
  idle(): void;
  /** Lets what is being sent come to its end, for a while, and closes the connection. */
  close(): Promise<void>;
}

/** Waiting comes in from outside, and ends early when the signal says so. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Why a wait ended early. A reason of our own spares the making of an error that nobody sees. */
export const OVER = Symbol("over");

/** A transmission whose end is also when the next job may be sent. */
export function untilItEnds(outcome: Promise<JobOutcome>): Transmission {
  return { outcome, taken: outcome.then((ended) => (ended.type === "not-sent" ? ended : undefined)) };
}
