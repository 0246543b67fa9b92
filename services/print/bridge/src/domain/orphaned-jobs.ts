import type { Log } from "@frontdesk/kit/log";
import type { Wait } from "./backend.ts";
import type { Job } from "./job.ts";
import { advance } from "./job-machine.ts";
import type { Journal } from "./journal.ts";

/** The jobs of printers that were removed: nothing sends them, also where another printer comes by that name. */
export interface OrphanedJobs {
  /**
   * Ends what the journal has of a printer, or of those that had its name before that generation; an end that the disk
   * refuses is written later.
   */
  end(printer: string, before?: number): void;
  /** Whether a job's end is still being written. */
  has(job: string): boolean;
}

export function createOrphanedJobs(options: {
  readonly journal: Pick<Journal, "commit" | "unfinished">;
  readonly wait: Wait;
  readonly retryMs: number;
  readonly giveUpMs: number;
  readonly log: Log;
  readonly closing: AbortSignal;
}): OrphanedJobs {
  const { journal, log, closing } = options;
  const orphans = new Set<string>();

  async function endJob(job: Job): Promise<void> {
    const { id, printer } = job;
    const moment = { now: 0, unreachableSince: undefined, giveUpMs: options.giveUpMs };
    const change = advance(job, { type: "removed", count: job.count }, moment)?.change;
    if (!change) return;
    orphans.add(id);
    while (!closing.aborted) {
      try {
        await journal.commit([{ kind: "changed", job: id, change }]);
        log.info({ job: id, printer, state: change.state }, "job of a removed printer ended");
        orphans.delete(id);
        return;
      } catch (error) {
        log.error({ err: error, job: id, printer }, "job's end not written; trying again");
        await options.wait(options.retryMs, closing);
      }
    }
  }

  return {
    end: (printer, before) => {
      if (closing.aborted) return;
      for (const job of journal.unfinished()) {
        const isOfNext = before !== undefined && (job.generation ?? before) >= before;
        if (job.printer === printer && !isOfNext && !orphans.has(job.id)) void endJob(job);
      }
    },
    has: (job) => orphans.has(job),
  };
}
