import type { DeviceStatus } from "./printer.ts";

/** Nothing of a document was taken, and it may be handed over again later. */
export class NotTaken extends Error {
  override name = "NotTaken";
  /** Why, as a job's reason. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How a spooler says a job stands. */
export interface SpoolerJob {
  readonly state: "waiting" | "held" | "done" | "failed" | "gone";
  readonly reasons: readonly string[];
}

/**
 * A queue of another program that takes whole documents and answers for them. A signal ends what is under way as
 * if the spooler had broken off, where the way to it allows that.
 */
export interface Spooler {
  /**
   * Hands over a document; answers with the spooler's name for the job. Throws NotTaken when nothing of it was
   * taken for now, and BridgeError when it was refused, or with TRANSPORT_TIMEOUT when nobody can tell whether
   * it was taken.
   */
  submit(title: string, data: Uint8Array, copies: number, signal?: AbortSignal): Promise<string>;
  job(name: string, signal?: AbortSignal): Promise<SpoolerJob>;
  status(signal?: AbortSignal): Promise<DeviceStatus>;
}
