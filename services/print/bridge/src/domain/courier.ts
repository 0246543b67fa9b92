import type { JobFailure, Tally, Verification } from "./job.ts";
import type { Look } from "./printer.ts";

/** One job on its way to one printer. */
export interface Parcel {
  readonly id: string;
  readonly data: Uint8Array;
  readonly copies: number;
  readonly labels: number;
  readonly rfid: boolean;
  readonly baseline: number | undefined;
  /** What a spooler gave for it, where it had one. */
  readonly receipt: string | undefined;
}

/** How it goes, while it goes. */
export interface Progress {
  readonly state: "Printing" | "Held";
  readonly tally: Tally;
  readonly reasons: readonly string[];
  readonly baseline?: number;
  readonly receipt?: string;
}

export interface Ending {
  readonly state: "Done" | "Failed" | "Unknown";
  readonly verification: Verification;
  readonly tally: Tally;
  readonly error?: JobFailure;
}

export interface Delivery {
  /** The next job may be sent. Rejects with NothingSent when this one has to be tried again first. */
  readonly handedOver: Promise<void>;
  /** Rejects where `handedOver` does, and when the bridge closes. */
  readonly ending: Promise<Ending>;
}

/**
 * Brings jobs to one printer and tells what became of them. Before `deliver` is called the job has
 * been marked, durably, as one of which a byte may have left.
 */
export interface Courier {
  /** Whether a job could be sent this moment, with nothing to wait for. */
  isReady(): boolean;
  /** The printer's label counter as last seen, where it has one. */
  baseline(): number | undefined;
  /**
   * Gets ready without sending a byte of a job: answers with what it saw. Throws PRINTER_OFFLINE or
   * TRANSPORT_TIMEOUT when the device cannot be reached.
   */
  prepare(): Promise<Look>;
  deliver(parcel: Parcel, tell: (progress: Progress) => void): Delivery;
  /** Finds out what became of a job that was under way when the bridge ended. */
  recover(parcel: Parcel, tell: (progress: Progress) => void): Promise<Ending>;
  /** Looks at the printer now. Throws as `prepare` does. */
  look(): Promise<Look>;
  /** Sends a question that prints nothing and answers with what came back, where the device can answer. */
  query?(question: Uint8Array): Promise<Uint8Array>;
  /** Nothing waits: the line may be given back. */
  rest(): void;
  close(): Promise<void>;
}

/** The bridge is closing: what the job is, it stays, and the next start finds out. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/**
 * Nothing of the job was taken: the line was found dead before the first byte, or the whole was refused for
 * now, for a reason that a person would want to know. The job goes back to its place.
 */
export class NothingSent extends Error {
  override name = "NothingSent";
  readonly reason: string | undefined;

  constructor(reason?: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Waiting comes in from outside, and ends early when the signal says so. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Why a wait ended early. A reason of our own spares the making of an error that nobody sees. */
export const OVER = Symbol("over");
