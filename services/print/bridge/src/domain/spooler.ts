import type { DeviceStatus } from "./printer.ts";

/** How a spooler says a job stands. */
export interface SpoolerJob {
  readonly state: "waiting" | "held" | "done" | "failed" | "gone";
  readonly reasons: readonly string[];
}

/** A queue of another program that takes whole documents and answers for them. */
export interface Spooler {
  /**
   * Hands over a document; answers with the spooler's name for the job. Throws BridgeError when it was not
   * taken: RATE_LIMITED when it is busy with another and can be asked again, TRANSPORT_TIMEOUT when nobody
   * can tell whether it was taken.
   */
  submit(title: string, data: Uint8Array, copies: number): Promise<string>;
  job(name: string): Promise<SpoolerJob>;
  status(): Promise<DeviceStatus>;
}
