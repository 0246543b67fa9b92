import assert from "node:assert/strict";
import { test } from "node:test";
import { type LaneTools, serveLane } from "../src/delivery/lane.ts";
import type { DueDelivery, Lane, LaneProgress, LaneStore, Settled } from "../src/delivery/lane-store.ts";
import type { EventRecord, SigningWebhook } from "../src/domain/records.ts";

const WEBHOOK = {
  id: "w",
  url: "https://receiver.example/",
  events: ["todo.created"],
  state: "active",
  secret: "whsec_c2VjcmV0",
  previousSecrets: [],
  previousUntil: null,
  cursor: 0,
  failingSince: null,
} as unknown as SigningWebhook;

const LANE: Lane = {
  webhook: WEBHOOK,
  orgId: "o",
  orgSlug: "acme",
  lease: "l",
  lastMatched: null,
  lastAttemptAt: null,
};

/** Serves a lane whose events never end, by a receiver that takes a second for each. */
async function serve(
  takes: (sequence: number) => boolean,
  { due = [], times = {} }: { due?: DueDelivery[]; times?: Partial<LaneTools> } = {},
) {
  let time = 0;
  const sent: number[] = [];
  const turns: Array<{ settled: readonly Settled[]; progress: LaneProgress }> = [];
  const store = {
    current: async () => WEBHOOK,
    due: async () => (turns.length === 0 ? due : []),
    purgedThrough: async () => 0,
    eventsAfter: async (_lane: Lane, cursor: number, limit: number) =>
      Array.from({ length: limit }, (_, index) => event(cursor + 1 + index)),
    settle: async (_lane: Lane, settled: readonly Settled[], progress: LaneProgress) => {
      turns.push({ settled, progress });
      return "active" as const;
    },
  } as unknown as LaneStore;
  await serveLane(LANE, {
    store,
    poster: {
      post: async (_url, _headers, body) => {
        const { sequence } = JSON.parse(body);
        sent.push(sequence);
        time += 1_000;
        const ok = takes(sequence);
        return { ok, status: ok ? 200 : 500, error: null, response: null, retryAfter: undefined };
      },
      cut: () => {},
    },
    clock: { now: () => time },
    monotonic: { now: () => time },
    ids: { next: () => `d${sent.length}` },
    random: () => 0.5,
    schedule: [60_000],
    batchMs: 500,
    leaseMs: 60_000,
    stopping: () => sent.length > 1_000,
    ...times,
  });
  return { sent, turns };
}

test("a receiver that is slow but always takes what it is sent gives its place to others after a while", async () => {
  const { sent, turns } = await serve(() => true);
  assert.ok(sent.length >= 5 && sent.length <= 10, `${sent.length} deliveries of a second each in one turn`);
  assert.equal(turns.at(-1)?.progress.leaseUntil, null, "the lane is given back");
});

test("what a receiver refuses ends the turn: it is kept before anything after it is sent", async () => {
  const { sent, turns } = await serve((sequence) => sequence !== 2, { times: { batchMs: 60_000 } });
  assert.deepEqual(sent, [1, 2]);
  assert.deepEqual(
    turns.map(({ settled, progress }) => [settled.map(({ state }) => state), progress.cursor]),
    [[["delivered", "pending"], 2]],
  );
  assert.equal(turns[0]?.progress.leaseUntil, null, "others get their turn before it is tried with the next");
});

test("a retry that is refused again ends the turn before the retries and events after it", async () => {
  const retry = (sequence: number): DueDelivery => ({
    id: `r${sequence}`,
    step: 0,
    attempts: 1,
    prevSequence: null,
    event: event(sequence),
  });
  const { sent, turns } = await serve(() => false, {
    due: [retry(7), retry(8)],
    times: { batchMs: 60_000 },
  });
  assert.deepEqual(sent, [7]);
  assert.deepEqual([turns.length, turns[0]?.progress.cursor, turns[0]?.progress.leaseUntil], [1, 0, null]);
});

const event = (sequence: number) =>
  ({
    id: `e${sequence}`,
    sequence,
    type: "todo.created",
    occurredAt: 0,
    data: "{}",
    source: null,
  }) as unknown as EventRecord;
