import {
  type Backend,
  type JobDocument,
  OVER,
  type Report,
  type Transmission,
  untilItEnds,
  type Wait,
} from "../domain/backend.ts";
import type { Connect, Connection, Ending } from "../domain/connection.ts";
import type { JobOutcome } from "../domain/job-machine.ts";
import type { DeviceStatus } from "../domain/printer.ts";
import { createStandstill } from "./standstill.ts";

const READY: DeviceStatus = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };
const NOT_TAKING_DATA: DeviceStatus = { ...READY, state: "stopped", reasons: ["not-taking-data"] };
const PIECE = 64 * 1024;
/** Jobs on one connection that the device has not yet confirmed by hanging up in order. */
const MAX_UNCONFIRMED = 64;
/** Where one job comes, the next is often near: so long the connection waits for it before it is ended. */
const LINGER_MS = 15;
/** Half a job is worse than a late end: so long the bridge waits, when it closes, for what is being sent. */
const DRAIN_MS = 3_000;

interface Unconfirmed {
  readonly job: JobDocument;
  readonly report: Report;
  readonly resolve: (outcome: JobOutcome) => void;
}

/** What is being done with the device, for which jobs, and whether it was told that it does not go on. */
interface Work {
  readonly jobs: readonly Unconfirmed[];
  readonly isStuck: () => Promise<boolean>;
  told: boolean;
}

/**
 * For devices that tell nothing. All there is to go by is that the device took everything and hung up in
 * order when told that nothing more comes: until then a job is not done.
 */
export function createNoFeedbackBackend(options: {
  readonly connect: Connect;
  readonly wait: Wait;
  readonly pollMs: number;
}): Backend {
  let connection: Connection | undefined;
  let connecting: Promise<void> | undefined;
  let unconfirmed: Unconfirmed[] = [];
  /** A connection that is being ended. */
  let ending: Connection | undefined;
  let confirming: Promise<void> | undefined;
  let sending: Promise<void> | undefined;
  let working: Work | undefined;
  let watching = false;
  const closing = new AbortController();
  let lingering = new AbortController();

  async function status(): Promise<DeviceStatus> {
    if (confirming || working) return working?.told ? NOT_TAKING_DATA : READY;
    await connected();
    return READY;
  }

  /** What went over a connection that broke may be lost with it: no other connection tells of it. */
  function leaveBroken(): void {
    if (!connection?.broken) return;
    connection = undefined;
    const lost = unconfirmed;
    unconfirmed = [];
    if (lost.length > 0) settle(lost, "lost");
  }

  /** One connection for all who ask at the same time. */
  async function connected(): Promise<void> {
    leaveBroken();
    if (connection) return;
    connecting ??= options
      .connect()
      .then((opened) => {
        // What it says has no meaning here, and must not fill the connection.
        opened.onData(() => {});
        if (closing.signal.aborted) opened.destroy();
        connection = opened;
      })
      .finally(() => {
        connecting = undefined;
      });
    return connecting;
  }

  async function write(line: Connection, job: JobDocument): Promise<void> {
    for (let copy = 0; copy < job.copies; copy++) {
      for (let at = 0; at < job.data.length; at += PIECE) {
        await line.write(job.data.subarray(at, at + PIECE));
      }
    }
  }

  /** Ends the connection; what the device then does decides all jobs that went over it. */
  function confirm(): Promise<void> {
    const line = connection;
    if (!line) return confirming ?? Promise.resolve();
    connection = undefined;
    const jobs = unconfirmed;
    unconfirmed = [];
    if (jobs.length === 0) return letGo(line);
    ending = line;
    // A device that has everything and keeps the connection open is printing.
    const standsStill = createStandstill(line.progress);
    const isStuck = async () => (await standsStill()) && (await line.hasTakenAll()) === false;
    confirming = heldWhileStuck(jobs, line.end(), isStuck).then(
      (how) => settle(jobs, how),
      () => {
        line.destroy();
        settle(jobs, "lost");
      },
    );
    return confirming;
  }

  /** Nothing was sent, so there is nothing to wait for: the next job must not wait either. */
  async function letGo(line: Connection): Promise<void> {
    const ended = new AbortController();
    void line.end().then(
      () => ended.abort(OVER),
      () => ended.abort(OVER),
    );
    if (!closing.signal.aborted) await options.wait(LINGER_MS, ended.signal);
    line.destroy();
  }

  /** A device that takes nothing for a while has no paper, or its lid is open: its jobs wait. */
  async function heldWhileStuck<T>(
    jobs: readonly Unconfirmed[],
    work: Promise<T>,
    isStuck: () => Promise<boolean>,
  ): Promise<T> {
    const mine: Work = { jobs, isStuck, told: false };
    working = mine;
    if (!watching) void watchWork();
    try {
      return await work;
    } finally {
      if (working === mine) working = undefined;
      if (mine.told) tellAll(jobs, false);
    }
  }

  /** One watch for all: most work is over long before it looks. */
  async function watchWork(): Promise<void> {
    watching = true;
    for (let before = working; before; before = working) {
      await options.wait(2 * options.pollMs, closing.signal);
      if (closing.signal.aborted) break;
      if (working !== before) continue;
      const stuck = await before.isStuck().catch(() => false);
      if (working !== before || stuck === before.told) continue;
      before.told = stuck;
      tellAll(before.jobs, stuck);
    }
    watching = false;
  }

  function tellAll(jobs: readonly Unconfirmed[], stuck: boolean): void {
    for (const { job, report } of jobs) {
      const count = { asked: job.labels, printed: 0 };
      report(stuck ? { type: "stopped", reasons: ["not-taking-data"], count } : { type: "printing", count });
    }
  }

  function settle(jobs: readonly Unconfirmed[], how: Ending | "lost"): void {
    confirming = undefined;
    ending = undefined;
    for (const { job, resolve } of jobs) {
      const count = { asked: job.labels, printed: how === "lost" ? 0 : job.labels };
      if (how !== "lost") resolve({ type: "done", verification: how === "closed" ? "sent" : "none", count });
      else if (closing.signal.aborted) resolve({ type: "interrupted" });
      else resolve({ type: "lost", verification: "none", count });
    }
  }

  function send(job: JobDocument, report: Report): Transmission {
    leaveBroken();
    const line = connection;
    if (!line) {
      const notSent = Promise.resolve({ type: "not-sent" } as const);
      return { taken: notSent, outcome: notSent };
    }
    lingering.abort(OVER);
    const { promise: outcome, resolve } = Promise.withResolvers<JobOutcome>();
    const mine: Unconfirmed = { job, report, resolve };
    unconfirmed.push(mine);
    sending = heldWhileStuck([mine], write(line, job), createStandstill(line.progress));
    return { outcome, taken: takenAfter(line, sending) };
  }

  async function takenAfter(line: Connection, sent: Promise<void>): Promise<undefined> {
    try {
      await sent;
    } catch {
      // Whatever went over this connection before may be lost with it.
      line.destroy();
      if (connection === line) connection = undefined;
      const lost = unconfirmed;
      unconfirmed = [];
      settle(lost, "lost");
      return;
    }
    if (unconfirmed.length >= MAX_UNCONFIRMED) await confirm();
  }

  /** The connection is ended when nothing more comes for a moment. */
  function linger(): void {
    lingering.abort(OVER);
    lingering = new AbortController();
    const { signal } = lingering;
    void options.wait(LINGER_MS, signal).then(() => {
      if (!signal.aborted) void confirm();
    });
  }

  return {
    isReady: () =>
      connection !== undefined && !connection.broken && !confirming && unconfirmed.length < MAX_UNCONFIRMED,
    odometer: () => undefined,
    status,
    prepare: async () => {
      await confirming;
      await connected();
      return READY;
    },
    send,
    recover: (job) =>
      untilItEnds(
        Promise.resolve({
          type: "lost",
          verification: "none",
          count: { asked: job.labels, printed: 0 },
        }),
      ),
    idle: linger,
    close: async () => {
      closing.abort(OVER);
      lingering.abort(OVER);
      const enough = new AbortController();
      const limit = options.wait(DRAIN_MS, enough.signal).then(() => "late" as const);
      const sent = await Promise.race([sending?.catch(noop), limit]);
      if (sent === "late") connection?.destroy();
      await Promise.race([confirm(), limit]);
      enough.abort(OVER);
      // What is still on its way is left; the next start calls it unknown.
      ending?.destroy();
      await confirming;
    },
  };
}

const noop = () => {};
