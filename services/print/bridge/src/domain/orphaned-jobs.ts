import type { Log } from "@frontdesk/kit/log";
import type { Wait } from "./backend.ts";
import { advance } from "./job-machine.ts";
import type { Journal } from "./journal.ts";

/**
 * Ends the jobs of printers that were removed: nothing would send them before another printer came by that name. Answers
 * with the way to look for such jobs; an end that the disk refuses is written later.
 */
export function createOrphanedJobs(options: {
  readonly journal: Pick<Journal, "commit" | "unfinished">;
  readonly hasPrinter: (printer: string) => boolean;
  readonly wait: Wait;
  readonly retryMs: number;
  readonly giveUpMs: number;
  readonly log: Log;
  readonly closing: AbortSignal;
}): () => void {
  const { journal, log, closing } = options;
  /** Jobs whose end is being written. */
  const ending = new Set<string>();
  let isEndingLater = false;

  function endThem(): void {
    if (closing.aborted) return;
    const moment = { now: 0, unreachableSince: undefined, giveUpMs: options.giveUpMs };
    for (const job of journal.unfinished()) {
      const { id, printer } = job;
      if (options.hasPrinter(printer) || ending.has(id)) continue;
      const change = advance(job, { type: "removed", count: job.count }, moment)?.change;
      if (!change) continue;
      ending.add(id);
      journal
        .commit([{ kind: "changed", job: id, change }])
        .then(() => log.info({ job: id, printer, state: change.state }, "job of a removed printer ended"))
        .catch((error: unknown) => {
          log.error({ err: error, job: id, printer }, "job's end not written; trying again");
          void endLater();
        })
        .finally(() => ending.delete(id));
    }
  }

  async function endLater(): Promise<void> {
    if (isEndingLater) return;
    isEndingLater = true;
    await options.wait(options.retryMs, closing);
    isEndingLater = false;
    endThem();
  }

  return endThem;
}
