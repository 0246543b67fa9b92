import type { Log } from "@frontdesk/kit/log";
import type { Wait } from "./backend.ts";
import { isFinal, type Job } from "./job.ts";
import type { JobChange, Journal } from "./journal.ts";

/** A job in memory: the journal's words about it, or what is about to be written there. */
export interface JobRecord {
  job: Job;
}

/** Brings what happens to the jobs of one printer to the journal, again and again where the disk refuses it. */
export interface JobWriter {
  /**
   * Writes a change, however long the disk takes: until it is written it has not happened. False where the
   * bridge closes first; the next start finds the job as it was.
   */
  write(record: JobRecord, change: JobChange): Promise<boolean>;
  /** Writes progress, for which nothing waits. */
  note(record: JobRecord, change: JobChange): void;
  /** Resolves when nothing is being written any more. */
  settled(): Promise<void>;
}

export function createJobWriter(options: {
  readonly printer: string;
  readonly journal: Pick<Journal, "commit">;
  readonly wait: Wait;
  readonly retryMs: number;
  readonly log: Log;
  readonly closing: AbortSignal;
}): JobWriter {
  const { journal, closing, log } = options;
  /** What of each job's progress the disk has refused. */
  const refused = new Map<JobRecord, Set<keyof JobChange>>();
  const notes = new Set<Promise<void>>();

  function commit({ job }: JobRecord, change: JobChange): Promise<boolean> {
    return journal.commit([{ kind: "changed", job: job.id, change }]).then(
      () => true,
      (error: unknown) => {
        log.error(
          { err: error, job: job.id, printer: options.printer },
          "journal write failed; trying again",
        );
        return false;
      },
    );
  }

  async function note(record: JobRecord, change: JobChange): Promise<void> {
    if (await commit(record, change)) return;
    const names = Object.keys(change) as Array<keyof JobChange>;
    const waiting = refused.get(record);
    if (waiting) for (const name of names) waiting.add(name);
    else await noteAgain(record, new Set(names));
  }

  /** What was refused is written as it is by then. The end of a job is written by itself, and makes up for it. */
  async function noteAgain(record: JobRecord, names: Set<keyof JobChange>): Promise<void> {
    refused.set(record, names);
    while (names.size > 0 && !closing.aborted) {
      await options.wait(options.retryMs, closing);
      if (isFinal(record.job.state)) break;
      const change = Object.fromEntries([...names].map((name) => [name, record.job[name]]));
      names.clear();
      if (!(await commit(record, change)))
        for (const name of Object.keys(change)) names.add(name as keyof JobChange);
    }
    refused.delete(record);
  }

  return {
    write: async (record, change) => {
      if (changesNothing(record.job, change)) return true;
      record.job = { ...record.job, ...change };
      // Once more when the bridge closes: a job that was not sent must not be found as one that may have been.
      while (!(await commit(record, change))) {
        if (closing.aborted) return false;
        await options.wait(options.retryMs, closing);
      }
      return true;
    },
    note: (record, change) => {
      record.job = { ...record.job, ...change };
      const noting = note(record, change);
      notes.add(noting);
      void noting.finally(() => notes.delete(noting));
    },
    settled: async () => void (await Promise.allSettled(notes)),
  };
}

/** Whether a change says what is known already. Tags are only ever added, so their number tells. */
export function changesNothing(job: Job, change: JobChange): boolean {
  // Until the first that differs: nearly every change has a new state, which comes first.
  for (const name in change) if (!isSame(name as keyof JobChange, job, change)) return false;
  return true;
}

function isSame(name: keyof JobChange, job: Job, change: JobChange): boolean {
  if (name === "count") {
    const { count = job.count } = change;
    return count.printed === job.count.printed && count.tags?.length === job.count.tags?.length;
  }
  if (name === "reasons") return String(change.reasons ?? job.reasons) === String(job.reasons);
  return job[name] === change[name];
}
