import assert from "node:assert/strict";
import { test } from "node:test";
import { serveLane } from "../src/delivery/lane.ts";
import type { Lane, LaneProgress, LaneStore } from "../src/delivery/lane-store.ts";
import type { EventRecord, SigningWebhook } from "../src/domain/records.ts";

const WEBHOOK = {
  id: "w",
  url: "https://receiver.example/",
  events: ["todo.created"],
  state: "active",
  secret: "whsec_c2VjcmV0",
  previousSecret: null,
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

test("a receiver that is slow but always takes what it is sent gives its place to others after a while", async () => {
  let time = 0;
  const leases: Array<LaneProgress["leaseUntil"]> = [];
  const store = {
    current: async () => WEBHOOK,
    due: async () => [],
    purgedThrough: async () => 0,
    eventsAfter: async (_lane: Lane, cursor: number, limit: number) =>
      Array.from({ length: limit }, (_, index) => event(cursor + 1 + index)),
    settle: async (_lane: Lane, _settled: unknown, { leaseUntil }: LaneProgress) => {
      leases.push(leaseUntil);
      return "active" as const;
    },
  } as unknown as LaneStore;
  let posts = 0;
  await serveLane(LANE, {
    store,
    poster: {
      post: async () => {
        posts++;
        time += 1_000;
        return { ok: true, status: 200, error: null, response: null, retryAfter: undefined };
      },
      cut: () => {},
    },
    clock: { now: () => time },
    monotonic: { now: () => time },
    ids: { next: () => `d${posts}` },
    random: () => 0.5,
    schedule: [60_000],
    batchMs: 500,
    leaseMs: 60_000,
    stopping: () => posts > 1_000,
  });
  assert.ok(posts >= 5 && posts <= 10, `${posts} deliveries of a second each in one turn`);
  assert.equal(leases.at(-1), null, "the lane is given back");
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
