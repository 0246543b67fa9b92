import {
  type Backend,
  type JobDocument,
  OVER,
  type Report,
  type Transmission,
  untilItEnds,
  type Wait,
} from "../domain/backend.ts";
import { BridgeError } from "../domain/errors.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import { isTitled, NotTaken, type Spooler, type SpoolerJob } from "../domain/spooler.ts";
import { createSpoolerWatch, GONE } from "./spooler-watch.ts";

/** How long closing waits for a document that is being handed over. */
const DRAIN_MS = 3_000;

/**
 * Why a document is not taken for now that counts towards giving up, and what the job then failed of. IPP's temporary
 * error is also that of a document that is larger than the printer's memory (RFC 8011, B.1.5.6): it would never be taken.
 */
const GIVEN_UP: Readonly<Record<string, string>> = {
  offline: "PRINTER_OFFLINE",
  "temporary-error": "SPOOLER",
};

const titleOf = (job: JobDocument) => `frontdesk ${job.id}`;

/** For printers behind a spooler, which is believed in what it says of a job. */
export function createSpoolerBackend(options: {
  readonly spooler: Spooler;
  readonly monotonic: () => number;
  readonly wait: Wait;
  readonly pollMs: number;
  readonly recoverMs: number;
}): Backend {
  const { spooler, monotonic } = options;
  const closing = new AbortController();
  /** Ends documents that are being handed over. */
  const drained = new AbortController();
  let submitting: Promise<unknown> = Promise.resolve();

  const watch = createSpoolerWatch({ ...options, closing: closing.signal });

  function follow(job: JobDocument, name: string, report: Report): Promise<JobOutcome> {
    const nothing = { asked: job.labels, printed: 0 };
    // Its name is written before anything else is asked: after a restart it is asked for by that.
    report({ type: "printing", count: nothing, spoolerJob: name });
    let untoldSince: number | undefined;
    let before = "";
    const { promise, resolve, reject } = Promise.withResolvers<JobOutcome>();

    function outcomeOf(now: SpoolerJob | undefined): JobOutcome | undefined {
      // Counted from the first question that fails, not from the last that went well: the machine may have slept.
      untoldSince = now ? undefined : (untoldSince ?? monotonic());
      if (now?.state === "done")
        return { type: "done", verification: "sent", count: { asked: job.labels, printed: job.labels } };
      if (now?.state === "failed") {
        const message = `The spooler gave the job up: ${now.reasons.join(", ") || "no reason"}.`;
        const error = { code: "SPOOLER", message };
        return { type: "failed", verification: "sent", count: nothing, error };
      }
      const isAway = untoldSince !== undefined && monotonic() - untoldSince > options.recoverMs;
      return now?.state === "gone" || isAway
        ? { type: "lost", verification: "none", count: nothing }
        : undefined;
    }

    watch.add(name, {
      hear: (told) => {
        // A spooler that was started anew may have given the number to another's document.
        const now = told && !isTitled(told, titleOf(job)) ? GONE : told;
        const outcome = outcomeOf(now);
        if (outcome) {
          resolve(outcome);
          return "ended";
        }
        const known = { count: nothing, spoolerJob: name };
        report(
          now?.state === "held"
            ? { type: "stopped", reasons: now.reasons, ...known }
            : { type: "printing", ...known },
        );
        const said = now ? `${now.state} ${now.reasons}` : "";
        const changed = said !== before;
        before = said;
        return changed ? "changed" : "same";
      },
      fail: reject,
      interrupt: () => resolve({ type: "interrupted" }),
    });
    return promise;
  }

  function send(job: JobDocument, report: Report): Transmission {
    const { promise: taken, resolve } = Promise.withResolvers<Awaited<Transmission["taken"]>>();
    const outcome = (async (): Promise<JobOutcome> => {
      let name: string;
      try {
        const submitted = spooler.submit(titleOf(job), job.data, job.copies, drained.signal);
        submitting = submitted.catch(() => {});
        name = await submitted;
      } catch (error) {
        const refused = refusal(job, error);
        resolve(refused.type === "not-sent" ? refused : undefined);
        return refused;
      }
      resolve(undefined);
      return follow(job, name, report);
    })();
    return { taken, outcome: outcome.catch((error: unknown) => lost(job, error)) };
  }

  /** Refused whole is refused; a connection that broke in the middle may have been taken. */
  function refusal(job: JobDocument, error: unknown): JobOutcome {
    if (error instanceof NotTaken) {
      const { reason, message } = error;
      const code = GIVEN_UP[reason];
      return { type: "not-sent", reason, ...(code ? { error: { code, message } } : {}) };
    }
    if (!(error instanceof BridgeError)) return lost(job, error);
    const failure = { code: error.code, message: error.message };
    const count = { asked: job.labels, printed: 0 };
    return error.code === "TRANSPORT_TIMEOUT"
      ? { type: "lost", verification: "none", count, error: failure }
      : { type: "failed", verification: "sent", count, error: failure };
  }

  function lost(job: JobDocument, error: unknown): JobOutcome {
    const failure = { code: "INTERNAL", message: `The bridge failed: ${(error as Error).message}.` };
    return { type: "lost", verification: "none", count: { asked: job.labels, printed: 0 }, error: failure };
  }

  return {
    isReady: () => false,
    odometer: () => undefined,
    status: () => spooler.status(closing.signal),
    prepare: () => spooler.status(closing.signal),
    send,
    recover: (job, report) => {
      const name = job.spoolerJob;
      const nothing = { asked: job.labels, printed: 0 };
      if (name === undefined)
        return untilItEnds(Promise.resolve({ type: "lost", verification: "none", count: nothing }));
      const outcome = follow(job, name, report).catch((error: unknown) => lost(job, error));
      // The spooler keeps the order itself: the next job need not wait for this one.
      return { taken: Promise.resolve(undefined), outcome };
    },
    idle: () => {},
    close: async () => {
      closing.abort(OVER);
      const enough = new AbortController();
      await Promise.race([submitting, options.wait(DRAIN_MS, enough.signal)]);
      enough.abort(OVER);
      drained.abort(OVER);
    },
  };
}
