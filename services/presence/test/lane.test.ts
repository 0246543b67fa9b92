import assert from "node:assert/strict";
import { test } from "node:test";
import { serveLane } from "../src/delivery/lane.ts";
import type { Lane, LaneStore } from "../src/delivery/lane-store.ts";
import type { Poster } from "../src/delivery/poster.ts";
import type { EventRecord } from "../src/domain/records.ts";
import { DELIVERY_TIMES } from "../src/presence.ts";

const lane = {
  orgId: "o",
  orgSlug: "acme",
  lastMatched: null,
  lastAttemptAt: null,
  webhook: {
    id: "w",
    url: "https://receiver.example/",
    events: [],
    state: "active",
    secret: "whsec_c2VjcmV0",
    previousSecrets: [],
    previousUntil: null,
    cursor: 0,
    failingSince: null,
  },
} as unknown as Lane;

const event = (sequence: number) =>
  ({ id: `e${sequence}`, sequence, type: "todo.created", occurredAt: 0, data: "{}" }) as EventRecord;

test("where every question to the database takes a second, events are sent all the same", async () => {
  let now = 0;
  const sent: string[] = [];
  const slowly = async <T>(answer: T): Promise<T> => {
    now += 1_000;
    return answer;
  };
  const store = {
    current: () => slowly(lane.webhook),
    due: () => slowly([]),
    eventsAfter: (_lane: Lane, after: number) => slowly([event(after + 1), event(after + 2)]),
    settle: () => slowly("active"),
  } as unknown as LaneStore;
  const poster = {
    post: async (_url: string, _headers: object, body: string) => {
      sent.push(JSON.parse(body).id);
      return { ok: true, status: 200, error: null, response: null, retryAfter: undefined };
    },
  } as unknown as Poster;
  await serveLane(lane, {
    store,
    poster,
    clock: { now: () => now },
    monotonic: { now: () => now },
    ids: { next: () => "d" },
    random: () => 0.5,
    ...DELIVERY_TIMES,
    stopping: () => false,
  });
  assert.deepEqual(sent, ["e1", "e2"]);
});
