import type { Job, JobState, ListedJob } from "./job.ts";
import type { PrinterStatus } from "./printer.ts";

export type JobChange = Partial<
  Pick<
    Job,
    | "state"
    | "started"
    | "verification"
    | "count"
    | "reasons"
    | "error"
    | "odometer"
    | "device"
    | "spoolerJob"
  >
>;

/** One thing to be remembered. Each makes one event, in the order they are committed. */
export type Entry =
  | {
      readonly kind: "accepted";
      readonly job: Job;
      /** What its origin knows it by, so that nothing is printed twice that was asked for twice. */
      readonly key?: string | undefined;
      readonly data: Uint8Array;
    }
  | { readonly kind: "changed"; readonly job: string; readonly change: JobChange }
  | { readonly kind: "status"; readonly status: PrinterStatus };

export interface JournalEvent {
  readonly seq: number;
  readonly event: "job.update" | "printer.status";
  /** Whose job it is; a printer's status is for everyone who may use the printer. */
  readonly origin: string | undefined;
  readonly printer: string;
  readonly job: Job | undefined;
  readonly status: PrinterStatus | undefined;
}

/** Which jobs are looked for. */
export interface JobSearch {
  readonly state?: JobState | undefined;
  readonly printer?: string | undefined;
  /** A part of a job's id, its origin or its printer. */
  readonly text?: string | undefined;
  /** Where an earlier page ended. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  readonly next: number | undefined;
  readonly total: number;
}

/** The bridge's memory. What `commit` has answered for survives a kill and a power cut. */
export interface Journal {
  /** Entries of one call are remembered together or not at all; calls are remembered in order. */
  commit(entries: readonly Entry[]): Promise<void>;
  /** A job as it stands on the disk: what a power cut could take back is told to nobody. */
  job(id: string): Job | undefined;
  jobByKey(origin: string, key: string): Job | undefined;
  /** What a job prints; throws where that is no longer kept, which it is for a while after the job has ended. */
  data(id: string): Uint8Array;
  hasData(id: string): boolean;
  /** How much a job prints; 0 where that is no longer kept. */
  bytes(id: string): number;
  /** Jobs that have not ended, oldest first. */
  unfinished(): Job[];
  /** The newest job of a printer that has ended. */
  lastEnded(printer: string): Job | undefined;
  /** The newest jobs, newest first, for the administrator. */
  recent(limit: number): ListedJob[];
  /** A page of the jobs that are kept and fit, newest first, and how many there are in all. */
  search(query: JobSearch): JobPage;
  /** The newest number given to an event. */
  readonly lastSeq: number;
  /** From this number on everything that happened can be told. */
  readonly firstSeq: number;
  /**
   * What happened after a number, oldest first, a page at a time: of each job and each printer the newest
   * state alone. Jobs are those of one origin. A page with many tags is shorter; only an empty one is the end.
   */
  eventsSince(seq: number, limit: number, origin: string): JournalEvent[];
  /** Throws with the reason when nothing can be written at the moment. */
  assertWritable(): Promise<void>;
  /** Hears of every event, once it is durable, in order. */
  listen(listener: (event: JournalEvent) => void): () => void;
}
