import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import {
  type Courier,
  Interrupted,
  NothingSent,
  OVER,
  type Parcel,
  type Progress,
  type Wait,
} from "./courier.ts";
import { BridgeError } from "./errors.ts";
import type { Job } from "./job.ts";
import type { JobChange, Journal } from "./journal.ts";
import { type Look, OFFLINE } from "./printer.ts";

export interface LaneOptions {
  readonly printer: string;
  readonly courier: Courier;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly log: Log;
  /** How long to wait before trying again to reach a printer, or one that is stopped. */
  readonly retryMs: number;
  /** How long a job may wait for a printer that cannot be reached. */
  readonly giveUpMs: number;
  readonly onLook: (look: Look) => void;
}

interface Waiting {
  readonly job: Job;
  readonly how: "new" | "claimed" | "recover";
  /** The data of a job that leaves at once, so that it need not be read back. */
  readonly data?: Uint8Array | undefined;
}

/** The jobs of one printer, one after another, in the order they came. */
export interface Lane {
  /** Whether a job that came now could leave now. */
  isFree(): boolean;
  baseline(): number | undefined;
  /**
   * Takes a job that is in the journal: a new one, one already marked as sending because the lane was
   * free, or one that was under way when the bridge ended.
   */
  add(job: Job, how: Waiting["how"], data?: Uint8Array): void;
  readonly waiting: number;
  look(): Promise<Look>;
  query(question: Uint8Array): Promise<Uint8Array>;
  /** Lets what is under way come to a point where it can be left, and closes the line. */
  close(): Promise<void>;
}

export function createLane(options: LaneOptions): Lane {
  const { journal, courier, clock, log } = options;
  const closing = new AbortController();
  const queue: Waiting[] = [];
  const underWay = new Set<Promise<unknown>>();
  let awake = Promise.withResolvers<void>();
  let busy = false;

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const next = queue[0];
      if (!next) {
        courier.rest();
        awake = Promise.withResolvers();
        await awake.promise;
        continue;
      }
      busy = true;
      try {
        await advance(next);
      } catch (error) {
        if (error instanceof Interrupted) return;
        log.error(
          { err: error, job: next.job.id, printer: options.printer },
          "a job could not be carried on",
        );
        await options.wait(options.retryMs, closing.signal);
      } finally {
        busy = false;
      }
    }
  }

  async function advance({ job, how, data }: Waiting): Promise<void> {
    if (how === "recover") {
      queue.shift();
      return conclude(job, courier.recover(parcelOf(job), teller(job)));
    }
    if (how === "claimed") {
      queue.shift();
      return handOver(job, data);
    }
    if (!courier.isReady() && !(await reachable(job))) return;
    const change = { state: "Sending", started: true, reasons: [], baseline: courier.baseline() } as const;
    await journal.commit([{ kind: "changed", job: job.id, change }]);
    if (closing.signal.aborted) throw new Interrupted();
    queue.shift();
    return handOver(journal.job(job.id) as Job);
  }

  /** Gets the line open and the printer ready; tells why not, and says whether it is. */
  async function reachable(job: Job): Promise<boolean> {
    let look: Look;
    try {
      look = await courier.prepare();
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      options.onLook(OFFLINE);
      if (clock.now() - job.createdAt > options.giveUpMs) {
        const failure = { code: error.code, message: error.message };
        await persist(job, { state: "Failed", error: failure });
        queue.shift();
        return false;
      }
      await options.wait(options.retryMs, closing.signal);
      return false;
    }
    options.onLook(look);
    if (look.state !== "stopped") return true;
    await note(job, { state: "Held", reasons: look.reasons });
    await options.wait(options.retryMs, closing.signal);
    return false;
  }

  async function handOver(job: Job, data?: Uint8Array): Promise<void> {
    const delivery = courier.deliver(parcelOf(job, data), teller(job));
    const concluded = conclude(job, delivery.ending);
    underWay.add(concluded);
    void concluded.finally(() => underWay.delete(concluded));
    try {
      await delivery.handedOver;
    } catch (error) {
      if (!(error instanceof NothingSent)) throw error;
      await putBack(job, error.reason);
    }
  }

  /** In its place before anything else moves: those behind it stay behind it. */
  async function putBack(job: Job, reason: string | undefined): Promise<void> {
    const state = reason === undefined ? "Queued" : "Held";
    const change = { state, started: false, reasons: reason === undefined ? [] : [reason] } as const;
    await persist(job, change);
    queue.unshift({ job: journal.job(job.id) as Job, how: "new" });
    if (reason !== undefined) await options.wait(options.retryMs, closing.signal);
  }

  async function conclude(job: Job, ending: ReturnType<Courier["recover"]>): Promise<void> {
    let change: JobChange;
    try {
      const { state, verification, tally, error } = await ending;
      change = { state, verification, tally, reasons: [], ...(error ? { error } : {}) };
    } catch (error) {
      if (error instanceof Interrupted || error instanceof NothingSent) return;
      log.error({ err: error, job: job.id, printer: options.printer }, "delivery failed");
      const failure = { code: "INTERNAL", message: "The bridge failed while the job was under way." };
      change = { state: "Unknown", error: failure };
    }
    await persist(job, change);
  }

  /** What became of a job is written, however long the disk takes: until then the job has not ended. */
  async function persist(job: Job, change: JobChange): Promise<void> {
    do {
      try {
        return await journal.commit([{ kind: "changed", job: job.id, change }]);
      } catch (error) {
        log.error(
          { err: error, job: job.id, printer: options.printer },
          "journal write failed; trying again",
        );
        await options.wait(options.retryMs, closing.signal);
      }
    } while (!closing.signal.aborted);
  }

  function parcelOf(job: Job, data = journal.data(job.id)): Parcel {
    const { id, copies, rfid, baseline, receipt, tally } = job;
    return { id, copies, rfid, baseline, receipt, labels: tally.asked, data };
  }

  /** Remembers progress, but not what has been said already. */
  function teller(job: Job): (progress: Progress) => void {
    let said = "";
    return (progress) => {
      const words = JSON.stringify(progress);
      if (words === said) return;
      said = words;
      options.onLook({
        online: true,
        state: progress.state === "Held" ? "stopped" : "printing",
        reasons: progress.reasons,
        labelsRemaining: Math.max(0, progress.tally.asked - progress.tally.printed),
      });
      void note(job, progress);
    };
  }

  async function note(job: Job, change: Partial<Progress> & { state: Progress["state"] }): Promise<void> {
    const before = journal.job(job.id);
    const same = before?.state === change.state && String(before.reasons) === String(change.reasons);
    if (same && !change.tally) return;
    await journal.commit([{ kind: "changed", job: job.id, change }]).catch((error: unknown) => {
      log.error({ err: error, job: job.id }, "progress could not be remembered");
    });
  }

  async function look(): Promise<Look> {
    try {
      const seen = await courier.look();
      options.onLook(seen);
      return seen;
    } catch (error) {
      if (error instanceof BridgeError) {
        const deaf = error.code === "TRANSPORT_TIMEOUT";
        options.onLook(
          deaf ? { ...OFFLINE, online: true, state: "unknown", reasons: ["not-answering"] } : OFFLINE,
        );
      }
      throw error;
    }
  }

  /** All who ask at the same time are answered by one look. */
  let looking: Promise<Look> | undefined;
  const running = run();
  return {
    isFree: () => queue.length === 0 && !busy && courier.isReady(),
    baseline: () => courier.baseline(),
    add: (job, how, data) => {
      queue.push({ job, how, data });
      awake.resolve();
    },
    get waiting() {
      return queue.length;
    },
    look: () => {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    query: async (question) => {
      if (!courier.query)
        throw new BridgeError("TRANSPORT_TIMEOUT", "This printer does not answer questions.");
      return courier.query(question);
    },
    close: async () => {
      closing.abort(OVER);
      awake.resolve();
      await courier.close();
      await running;
      await Promise.allSettled(underWay);
    },
  };
}
