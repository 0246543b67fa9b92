import type { Channel, OpenChannel } from "./channel.ts";
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

const READY: Look = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };
const STUCK: Look = { online: true, state: "stopped", reasons: ["not-taking-data"], labelsRemaining: 0 };
const PIECE = 64 * 1024;
/** Jobs on one line that the device has not yet confirmed by hanging up in good order. */
const MOST_UNCONFIRMED = 64;
/** Where one job comes, the next is often near: so long the line waits for it before it hangs up. */
const LINGER_MS = 15;
/** Half a job is worse than a late end: so long the bridge waits, when it closes, for what is being sent. */
const DRAIN_MS = 3_000;

interface Unconfirmed {
  readonly parcel: Parcel;
  readonly tell: (progress: Progress) => void;
  readonly resolve: (ending: Ending) => void;
}

/**
 * Brings bytes to a device that says nothing. All there is to go by is that it took everything and
 * hung up in good order when told that nothing more comes: until then a job is not done.
 */
export function createPlainCourier(options: {
  readonly open: OpenChannel;
  readonly wait: Wait;
  readonly pollMs: number;
}): Courier {
  let line: Channel | undefined;
  let unconfirmed: Unconfirmed[] = [];
  /** A line that is being hung up. */
  let leaving: Channel | undefined;
  let confirming: Promise<void> | undefined;
  let sending: Promise<void> | undefined;
  /** What is being done with the device this moment, and whether it was told that it does not go on. */
  let working: { readonly jobs: readonly Unconfirmed[]; told: boolean } | undefined;
  let watching = false;
  const closing = new AbortController();
  let lingering = new AbortController();

  async function prepare(): Promise<Look> {
    await confirming;
    if (!line || line.broken) {
      line = await options.open();
      // What it says has no meaning here, and must not fill the line.
      line.onData(() => {});
    }
    return READY;
  }

  async function send(channel: Channel, parcel: Parcel): Promise<void> {
    for (let copy = 0; copy < parcel.copies; copy++) {
      for (let at = 0; at < parcel.data.length; at += PIECE) {
        await channel.write(parcel.data.subarray(at, at + PIECE));
      }
    }
  }

  /** Hangs up; what the device then answers decides all jobs that went over this line. */
  function confirm(): Promise<void> {
    const channel = line;
    if (!channel) return Promise.resolve();
    line = undefined;
    leaving = channel;
    const jobs = unconfirmed;
    unconfirmed = [];
    confirming = heldWhileStuck(jobs, channel.taken?.() ?? Promise.resolve())
      .then(() => channel.end())
      .then(
        () => settle(jobs, "Done"),
        () => settle(jobs, "Unknown"),
      );
    return confirming;
  }

  /** A device that takes nothing for a while has no paper, or its lid is open: its jobs wait. */
  async function heldWhileStuck(jobs: readonly Unconfirmed[], work: Promise<void>): Promise<void> {
    const mine = { jobs, told: false };
    working = mine;
    void watchWork();
    try {
      await work;
    } finally {
      if (working === mine) working = undefined;
    }
    if (mine.told) tellAll(jobs, "Printing", []);
  }

  /** One watch for all: most work is over long before it looks. */
  async function watchWork(): Promise<void> {
    if (watching) return;
    watching = true;
    for (let before = working; before; before = working) {
      await options.wait(2 * options.pollMs, closing.signal);
      if (closing.signal.aborted) break;
      if (working !== before || before.told) continue;
      before.told = true;
      tellAll(before.jobs, "Held", ["not-taking-data"]);
    }
    watching = false;
  }

  function tellAll(jobs: readonly Unconfirmed[], state: Progress["state"], reasons: readonly string[]): void {
    for (const { parcel, tell } of jobs) {
      tell({ state, reasons, tally: { asked: parcel.labels, printed: 0 } });
    }
  }

  function settle(jobs: readonly Unconfirmed[], state: "Done" | "Unknown"): void {
    confirming = undefined;
    leaving = undefined;
    for (const { parcel, resolve } of jobs) {
      const printed = state === "Done" ? parcel.labels : 0;
      const verification = state === "Done" ? "sent" : "none";
      resolve({ state, verification, tally: { asked: parcel.labels, printed } });
    }
  }

  function deliver(parcel: Parcel, tell: (progress: Progress) => void): Delivery {
    const channel = line;
    if (!channel || channel.broken) {
      const nothing = Promise.reject(new NothingSent());
      return { ending: nothing, handedOver: nothing };
    }
    lingering.abort(OVER);
    const { promise: ending, resolve, reject } = Promise.withResolvers<Ending>();
    const mine: Unconfirmed = { parcel, tell, resolve };
    unconfirmed.push(mine);
    sending = heldWhileStuck([mine], send(channel, parcel));
    const handedOver = sending
      .then(() => (unconfirmed.length >= MOST_UNCONFIRMED ? confirm() : undefined))
      .catch(() => {
        // Whatever went over this line before may be lost with it.
        channel.destroy();
        if (line === channel) line = undefined;
        const lost = unconfirmed;
        unconfirmed = [];
        if (closing.signal.aborted) reject(new Interrupted());
        settle(lost, "Unknown");
      });
    return { ending, handedOver };
  }

  return {
    isReady: () => line !== undefined && !line.broken && !confirming && unconfirmed.length < MOST_UNCONFIRMED,
    baseline: () => undefined,
    prepare,
    deliver,
    recover: async (parcel) => ({
      state: "Unknown",
      verification: "none",
      tally: { asked: parcel.labels, printed: 0 },
    }),
    look: async () => {
      if (line || confirming) return working?.told ? STUCK : READY;
      const probe = await options.open();
      probe.onData(() => {});
      void probe.end().catch(() => probe.destroy());
      return READY;
    },
    rest: () => {
      lingering.abort(OVER);
      lingering = new AbortController();
      const { signal } = lingering;
      void options.wait(LINGER_MS, signal).then(() => {
        if (!signal.aborted) void confirm();
      });
    },
    close: async () => {
      closing.abort(OVER);
      lingering.abort(OVER);
      const enough = new AbortController();
      const limit = options.wait(DRAIN_MS, enough.signal).then(() => "late" as const);
      const sent = await Promise.race([sending?.catch(noop), limit]);
      if (sent === "late") line?.destroy();
      await Promise.race([confirm(), limit]);
      enough.abort(OVER);
      // What is still on its way is left; the next start calls it unknown.
      leaving?.destroy();
      await confirming;
    },
  };
}

const noop = () => {};
