import { type Static, Type } from "typebox";
import type { Language } from "./printer.ts";

export const JobState = Type.Enum(["Queued", "Sending", "Printing", "Held", "Done", "Failed", "Unknown"]);
export type JobState = Static<typeof JobState>;

export const FINAL_STATES = ["Done", "Failed", "Unknown"] as const satisfies JobState[];
export const isFinal = (state: JobState) => (FINAL_STATES as readonly JobState[]).includes(state);

export const Verification = Type.Enum(["none", "sent", "printer", "rfid"]);
export type Verification = Static<typeof Verification>;

export const LabelResult = Type.Object({
  index: Type.Integer({
    description: "Which of the labels asked for, from 0; a voided try carries the same index.",
  }),
  printed: Type.Boolean(),
  encoded: Type.Boolean(),
  voided: Type.Boolean(),
  epc: Type.String(),
});
export type LabelResult = Static<typeof LabelResult>;

export const JobFailure = Type.Object({ code: Type.String(), message: Type.String() });
export type JobFailure = Static<typeof JobFailure>;

export const JobStatus = Type.Object({
  job_id: Type.String(),
  printer: Type.String(),
  state: JobState,
  verification: Verification,
  labels: Type.Array(LabelResult),
  reasons: Type.Array(Type.String(), { description: "Why a job waits." }),
  error: Type.Optional(JobFailure),
  created_at: Type.String({ format: "date-time" }),
  updated_at: Type.String({ format: "date-time" }),
});
export type JobStatus = Static<typeof JobStatus>;

/**
 * How far the labels of a job are. Labels without a tag print in order, so a count says it all;
 * what happened to tags is told label by label, and so is which labels of a virtual printer could not be drawn. Tags are
 * only ever added.
 */
export interface LabelCount {
  readonly asked: number;
  readonly printed: number;
  readonly tags?: readonly LabelResult[];
}

export interface Job {
  readonly id: string;
  readonly origin: string;
  readonly printer: string;
  /** Which of the printers that had its id, one after the other; unknown of jobs of earlier versions. */
  readonly generation?: number;
  /** The name under which the origin knows the printer. */
  readonly alias: string;
  readonly state: JobState;
  /** Whether a byte may have left: such a job is never sent again. */
  readonly started: boolean;
  readonly verification: Verification;
  readonly language: Language | undefined;
  readonly copies: number;
  readonly rfid: boolean;
  readonly count: LabelCount;
  readonly reasons: readonly string[];
  readonly error: JobFailure | undefined;
  /** The printer's label counter before the first byte, where it has one. */
  readonly odometer: number | undefined;
  /** The device whose counter that is. */
  readonly device?: string | undefined;
  /** What a spooler calls the job, where one has it. */
  readonly spoolerJob?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A job for a list: its tags are counted, not told one by one. */
export type ListedJob = Omit<Job, "count"> & {
  readonly count: { readonly asked: number; readonly printed: number; readonly voided: number };
};

export function listedJob(job: Job): ListedJob {
  const { asked, printed, tags } = job.count;
  return { ...job, count: { asked, printed, voided: tags?.filter((tag) => tag.voided).length ?? 0 } };
}

export function labelResults({ asked, printed, tags }: LabelCount): LabelResult[] {
  if (tags) return [...tags];
  return Array.from({ length: asked }, (_, index) => ({
    index,
    printed: index < printed,
    encoded: false,
    voided: false,
    epc: "",
  }));
}

export function jobStatus(job: Job): JobStatus {
  return {
    job_id: job.id,
    printer: job.alias,
    state: job.state,
    verification: job.verification,
    labels: labelResults(job.count),
    reasons: [...job.reasons],
    ...(job.error ? { error: job.error } : {}),
    created_at: new Date(job.createdAt).toISOString(),
    updated_at: new Date(job.updatedAt).toISOString(),
  };
}
