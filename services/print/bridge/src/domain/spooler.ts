import { BridgeError } from "./errors.ts";
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
  /** The title of the document that has this name, where the spooler tells it: names are given again. */
  readonly title?: string | undefined;
}

/** So much of a title a spooler has to keep for it to be known by it. */
const MIN_KEPT = 28;

/** Whether a job can be the one of a title. Some spoolers cut titles off, or tell none. */
export function isTitled({ title = "" }: SpoolerJob, expected: string): boolean {
  return title === "" || title === expected || (title.length >= MIN_KEPT && expected.startsWith(title));
}

/**
 * A queue of another program that takes whole documents and answers for them. A signal ends what is under way as
 * if the spooler had broken off, where the way to it allows that.
 */
export interface Spooler {
  /** Whether asking costs next to nothing, so that nobody need ask less often. */
  readonly isCheap?: boolean;
  /**
   * Hands over a document; answers with the spooler's name for the job. Throws NotTaken when nothing of it was
   * taken for now, and BridgeError when it was refused, or with TRANSPORT_TIMEOUT when nobody can tell whether
   * it was taken.
   */
  submit(title: string, data: Uint8Array, copies: number, signal?: AbortSignal): Promise<string>;
  /** How jobs stand. One that is not in the answer could not be asked after this time. */
  jobs(names: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, SpoolerJob>>;
  /** What became of the job whose name the last one that was handed over got, where the spooler gives names again. */
  formerly?(name: string): SpoolerJob | undefined;
  status(signal?: AbortSignal): Promise<DeviceStatus>;
}

/** For spoolers that are asked after each job by itself: one after another, and one that is refused costs no other. */
export async function oneByOne(
  names: readonly string[],
  job: (name: string) => Promise<SpoolerJob>,
): Promise<Map<string, SpoolerJob>> {
  const told = new Map<string, SpoolerJob>();
  for (const name of names) {
    try {
      told.set(name, await job(name));
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      // A spooler that does not answer this question will not answer the next: what was told is told.
      if (error.code === "TRANSPORT_TIMEOUT") break;
    }
  }
  return told;
}
