import type { Clock } from "@frontdesk/kit/clock";
import type { OpenChannel } from "./channel.ts";
import {
  type Courier,
  type Delivery,
  type Ending,
  Interrupted,
  NothingSent,
  OVER,
  type Parcel,
  type Progress,
  type Wait,
} from "./courier.ts";
import type { Look } from "./printer.ts";
import { deliverTags } from "./rfid-delivery.ts";
import {
  type Conversation,
  converse,
  isIdle,
  LineBroken,
  ODOMETER,
  type Snapshot,
  silence,
} from "./zpl-conversation.ts";
import { askOnce } from "./zpl-question.ts";
import {
  awaitsMore,
  done,
  lookOf,
  missing,
  nothingPrinted,
  printedSoFar,
  tallyOf,
  unfinished,
  unknown,
} from "./zpl-verdict.ts";

export interface ZplCourierOptions {
  readonly open: OpenChannel;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly rfid: boolean;
  /** The longest time between two looks at a printer that works. */
  readonly pollMs: number;
  readonly readMs: number;
  /** How long the line is kept when nothing waits. */
  readonly restMs: number;
  /** How long a printer may be away before a job that was under way is given up as unknown. */
  readonly recoverMs: number;
  readonly voidLimit: number;
}

/** Drops a format whose end has not come; formats that are complete go on. */
const CANCEL_PARTIAL_FORMAT = "~JX";
const PIECE = 64 * 1024;
const FIRST_POLL_MS = 5;
const DRAIN_MS = 3_000;
/** So many idle looks in a row, and what has not been printed will not be. */
const SETTLED = 3;

/** Brings ZPL to a printer that tells how it fares, and believes only what it tells. */
export function createZplCourier(options: ZplCourierOptions): Courier {
  const closing = new AbortController();
  let line: Conversation | undefined;
  let opening: Promise<Conversation> | undefined;
  let lastOdometer: number | undefined;
  let lastLook: Look | undefined;
  let busy = false;
  let writing: Promise<void> = Promise.resolve();
  let resting = new AbortController();

  async function connected(): Promise<Conversation> {
    if (line && !line.broken) return line;
    opening ??= options
      .open()
      .then((channel) => {
        line = converse(channel, options);
        return line;
      })
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  async function ask(conversation: Conversation): Promise<Snapshot> {
    const snapshot = await conversation.ask();
    lastOdometer = snapshot.odometer ?? lastOdometer;
    lastLook = lookOf(snapshot);
    return snapshot;
  }

  async function pause(milliseconds: number): Promise<void> {
    await options.wait(milliseconds, closing.signal);
    if (closing.signal.aborted) throw new Interrupted();
  }

  async function look(): Promise<Look> {
    // While a job is under way its own polls look, and a second asker would only confuse the answers.
    if (busy && lastLook) return lastLook;
    let conversation = await connected();
    let snapshot: Snapshot;
    try {
      snapshot = await ask(conversation);
    } catch (error) {
      // The printer hung up on a line that was kept: a fresh one tells more.
      if (!(error instanceof LineBroken)) throw error;
      conversation = await connected();
      snapshot = await ask(conversation);
    }
    if (!busy) rest();
    if (!snapshot.answered) throw silence();
    return lookOf(snapshot);
  }

  async function sendAndWatch(parcel: Parcel, tell: (progress: Progress) => void): Promise<Ending> {
    const conversation = line;
    if (!conversation || conversation.broken) throw new NothingSent();
    let baseline = parcel.baseline;
    const counter = conversation.expectCounter().then((value) => {
      baseline = value;
    });
    try {
      await writeAll(conversation, parcel, () =>
        tell({ state: "Held", tally: tallyOf(parcel, 0), reasons: ["not-taking-data"] }),
      );
      return await watch(conversation, parcel, tell, () => baseline);
    } catch (error) {
      if (!(error instanceof LineBroken)) throw error;
      drop(conversation);
      return await afterTheBreak({ ...parcel, baseline }, tell, "broke");
    } finally {
      void counter;
    }
  }

  /** Writes the odometer's question and every copy of the data, as fast as the printer takes it. */
  async function writeAll(conversation: Conversation, parcel: Parcel, stalled: () => void): Promise<void> {
    const written = (async () => {
      const first = Buffer.concat([Buffer.from(ODOMETER, "latin1"), parcel.data.subarray(0, PIECE)]);
      for (let copy = 0; copy < parcel.copies; copy++) {
        for (let at = 0; at < parcel.data.length; at += PIECE) {
          await conversation.write(copy === 0 && at === 0 ? first : parcel.data.subarray(at, at + PIECE));
        }
      }
    })();
    const done = new AbortController();
    void written.then(
      () => done.abort(OVER),
      () => done.abort(OVER),
    );
    await options.wait(2 * options.pollMs, done.signal);
    if (!done.signal.aborted) stalled();
    writing = written.catch(noop);
    await Promise.race([written, closed()]);
  }

  async function watch(
    conversation: Conversation,
    parcel: Parcel,
    tell: (progress: Progress) => void,
    baselineNow: () => number | undefined,
  ): Promise<Ending> {
    let interval = FIRST_POLL_MS;
    let settled = 0;
    let silent = 0;
    let printed = 0;
    let unfinishedMs = 0;
    for (;;) {
      const snapshot = await ask(conversation);
      const baseline = baselineNow();
      silent = snapshot.answered ? 0 : silent + 1;
      printed = Math.max(printed, printedSoFar(snapshot, parcel, baseline));
      const counted = baseline !== undefined && snapshot.odometer !== undefined;
      const enough = !counted || (snapshot.odometer as number) - (baseline as number) >= parcel.labels;
      settled = isIdle(snapshot) ? settled + 1 : 0;
      if (isIdle(snapshot) && enough && (counted || settled > 1)) return done(parcel, parcel.labels);
      if (settled >= SETTLED + 2) return missing(parcel, printed);
      unfinishedMs = awaitsMore(snapshot) ? unfinishedMs + interval : 0;
      if (unfinishedMs > options.recoverMs) {
        await conversation.write(Buffer.from(CANCEL_PARTIAL_FORMAT, "latin1"));
        return unfinished(parcel, printed);
      }
      if (silent > 1 || snapshot.reasons.length > 0) {
        const reasons = silent > 1 ? ["not-answering"] : snapshot.reasons;
        tell({ state: "Held", tally: tallyOf(parcel, printed), reasons, ...known(baseline) });
      } else if (interval > FIRST_POLL_MS) {
        tell({ state: "Printing", tally: tallyOf(parcel, printed), reasons: [], ...known(baseline) });
      }
      await pause(interval);
      interval = Math.min(options.pollMs, interval * 2);
    }
  }

  /** The line is gone, or the bridge was: only the printer's own counter can tell what came out. */
  async function afterTheBreak(
    parcel: Parcel,
    tell: (progress: Progress) => void,
    how: "broke" | "restarted",
  ): Promise<Ending> {
    const { baseline } = parcel;
    if (baseline === undefined || parcel.rfid) return unknown(parcel, 0);
    let deadline = options.clock.now() + options.recoverMs;
    let settled = 0;
    for (;;) {
      const snapshot = await askAgain();
      if (snapshot?.odometer !== undefined) {
        deadline = options.clock.now() + options.recoverMs;
        const moved = snapshot.odometer - baseline;
        settled = isIdle(snapshot) ? settled + 1 : 0;
        if (settled > 0 && moved === parcel.labels) return done(parcel, parcel.labels);
        if (settled >= SETTLED) {
          if (moved === 0 && how === "broke") return nothingPrinted(parcel);
          return unknown(parcel, Math.min(Math.max(0, moved), parcel.labels));
        }
        const printed = printedSoFar(snapshot, parcel, baseline);
        const held = snapshot.reasons.length > 0;
        tell({
          state: held ? "Held" : "Printing",
          tally: tallyOf(parcel, printed),
          reasons: snapshot.reasons,
        });
      } else if (snapshot?.answered || options.clock.now() > deadline) {
        return unknown(parcel, 0);
      }
      await pause(options.pollMs);
    }
  }

  async function askAgain(): Promise<Snapshot | undefined> {
    try {
      return await ask(await connected());
    } catch {
      if (closing.signal.aborted) throw new Interrupted();
      return undefined;
    }
  }

  function closed(): Promise<never> {
    return new Promise((_, reject) => {
      closing.signal.addEventListener("abort", () => reject(new Interrupted()), { once: true });
    });
  }

  function drop(conversation: Conversation): void {
    conversation.destroy();
    if (line === conversation) line = undefined;
  }

  function rest(): void {
    const conversation = line;
    resting.abort(OVER);
    resting = new AbortController();
    const { signal } = resting;
    void options.wait(options.restMs, AbortSignal.any([signal, closing.signal])).then(() => {
      if (signal.aborted || busy || !conversation || line !== conversation) return;
      line = undefined;
      conversation.end().catch(() => conversation.destroy());
    });
  }

  async function occupied<T>(work: () => Promise<T>): Promise<T> {
    busy = true;
    try {
      const working = work();
      // Only now: the first bytes are on their way.
      resting.abort(OVER);
      return await working;
    } finally {
      busy = false;
    }
  }

  return {
    isReady: () => line !== undefined && !line.broken && !busy && lastLook?.state === "ready",
    baseline: () => lastOdometer,
    prepare: look,
    look,
    deliver: (parcel, tell): Delivery => {
      const ending = occupied(() =>
        parcel.rfid && line && !line.broken
          ? deliverTags({
              conversation: line,
              parcel,
              tell,
              ask,
              pause,
              voidLimit: options.voidLimit,
              pollMs: options.pollMs,
            })
          : sendAndWatch(parcel, tell),
      );
      const handedOver = ending.then(noop, (error: unknown) => {
        if (error instanceof NothingSent) throw error;
      });
      return { ending, handedOver };
    },
    recover: (parcel, tell) => occupied(() => afterTheBreak(parcel, tell, "restarted")),
    query: (question) => askOnce(options, question),
    rest,
    close: async () => {
      // Half a job is worse than a late end: what is being written may be finished.
      const drained = new AbortController();
      await Promise.race([writing, options.wait(DRAIN_MS, drained.signal)]);
      drained.abort(OVER);
      closing.abort(OVER);
      resting.abort(OVER);
      const conversation = line;
      line = undefined;
      await conversation?.end().catch(() => conversation.destroy());
    },
  };
}

const noop = () => {};
const known = (baseline: number | undefined) => (baseline === undefined ? {} : { baseline });
