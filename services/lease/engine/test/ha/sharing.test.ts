import assert from "node:assert/strict";
import { test } from "node:test";
import { type Input, step } from "../../src/ha/core.ts";
import { type Core, newDurable, type Settings, startCore } from "../../src/ha/core-state.ts";
import { MAX_BODY } from "../../src/ha/frame-splitter.ts";
import { MAX_GIVEN } from "../../src/ha/giving.ts";
import type { Ledger } from "../../src/ha/ledger.ts";
import { type Hello, MAX_RANGES, MAX_ROWS, MAX_SENT_ROWS, type Message } from "../../src/ha/messages.ts";
import { type AddressRange, ownedBy, ownerOf } from "../../src/ha/ownership.ts";
import type { Row } from "../../src/ha/row.ts";
import { hasToSend } from "../../src/ha/sending.ts";
import { encodeFrame } from "../../src/ha/wire.ts";
import { STATE } from "../../src/leases/binding.ts";

const NOW = 10_000;
const SETTINGS: Settings = {
  node: "one",
  role: "primary",
  mode: "hot-standby",
  identity: "client_id",
  lead: 1800,
  skew: 10,
  contactTimeout: 5,
  partnerDownAfter: 0,
  share: 0.5,
  servers: [],
};
const SIZE = 65_536;
const pools = (count: number): AddressRange[] =>
  Array.from({ length: count }, (_, i) => ({ first: i * SIZE, last: (i + 1) * SIZE - 1 }));

/** Every second address is free. */
function halfUsed(rows: readonly Row[] = []): Ledger {
  const firstFree = (first: number) => first + (first % 2 === 0 ? 1 : 0);
  return {
    find: (address) => rows.find((row) => row.address === address),
    put: () => {},
    changedAfter: (seq, limit) => rows.filter((row) => row.seq > seq).slice(0, limit),
    pageAfter: () => [],
    dueAt: () => [],
    countFree: ({ first, last }) => Math.max(0, Math.ceil((Number(last) - firstFree(Number(first)) + 1) / 2)),
    stepOf: () => 1n,
    isVast: () => false,
    gapsIn: () => [],
    *freeFromEnd({ first, last }) {
      const from = Number(last) - (Number(last) % 2 === 0 ? 1 : 0);
      for (let address = from; address >= Number(first); address -= 2) yield address;
    },
    latestPromise: () => 0,
    promisedForEver: () => [],
    clear: () => {},
    takeBack: () => [],
  };
}

/** A primary in `normal`, whose peer takes all that is sent. */
function primary(count: number, ledger: Ledger = halfUsed(), change: Partial<Core["durable"]> = {}) {
  const plan = { hash: "a", pools: pools(count), reserved: new Map() };
  const durable = {
    ...newDurable("s", 1800),
    peerStore: "t",
    plan: { agreed: plan, prepared: [] },
    ownership: ownedBy("primary"),
    ...change,
  };
  const begun = startCore(SETTINGS, durable, plan, NOW);
  const link = {
    id: 1,
    upAt: NOW,
    heardAt: NOW,
    received: 0,
    mine: {} as Hello,
    theirs: {} as Hello,
    isOpen: true,
    isHandedOver: false,
    sent: 0,
    target: 0,
    page: null,
    pageUpTo: 0,
    acks: [],
    peerClock: NOW,
    peerBeat: null,
  };
  let core: Core = { ...begun, state: "normal", contactAt: NOW, link };
  const run = (input: Input): Array<Extract<Message, { type: "update" }>> => {
    const outcome = step({ ...core, room: MAX_SENT_ROWS }, ledger, input);
    core = outcome.core;
    return outcome.sendAfterCommit.filter((message) => message.type === "update");
  };
  return {
    get core() {
      return core;
    },
    run,
    tick: (seconds: number) => run({ kind: "tick", now: NOW + seconds }),
  };
}

test("one turn gives a bounded number of ranges of all pools together, under one number, and the next one goes on", () => {
  const node = primary(16);
  const [first, ...more] = node.tick(1);
  assert.deepEqual(more, []);
  assert.ok(first && first.given.length <= MAX_GIVEN.ranges && first.given.length > MAX_GIVEN.ranges / 2);
  assert.equal(node.core.durable.lastSeq, 1);
  const [second] = node.tick(2);
  assert.ok(second && second.given.length > 0);
  for (const { first: address } of second.given) {
    assert.equal(ownerOf(node.core.durable.ownership, address).owner, "secondary");
  }
});

test("ranges that the peer has not got yet leave in messages that it takes, in the order of their numbers", () => {
  const first = 0xfd77n << 112n;
  const ranges = Array.from({ length: 40_000 }, (_, i) => {
    const address = first + BigInt(2 * i);
    return { first: address, last: address, owner: "secondary", usableFrom: 0, seq: 1 + (i % 20) } as const;
  });
  const node = primary(1, halfUsed(), { lastSeq: 20, ownership: { ...ownedBy("primary"), ranges } });
  const sent: Array<Extract<Message, { type: "update" }>> = [];
  while (hasToSend(node.core)) sent.push(...node.run({ kind: "go on", now: NOW }));
  for (const message of sent) {
    assert.ok(message.given.length <= MAX_RANGES);
    assert.ok(encodeFrame({ counter: 0, message }).length < MAX_BODY);
  }
  const ends = sent.map(({ upTo }) => upTo);
  assert.deepEqual([ends.toSorted((a, b) => a - b), ends.at(-1)], [ends, 20]);
  assert.equal(new Set(sent.flatMap(({ given }) => given.map((each) => each.first))).size, 40_000);
});

test("of many changes one batch hands a bounded number to the link, and the next ones the rest", () => {
  const rows = Array.from(
    { length: 10_000 },
    (_, i): Row => ({
      address: i,
      client: "a",
      state: STATE.bound,
      server: "primary",
      end: NOW + 60,
      promise: NOW + 60,
      known: 0,
      seq: i + 1,
      base: 0,
      details: new Uint8Array(0),
    }),
  );
  const node = primary(1, halfUsed(rows), { lastSeq: rows.length });
  const batches: number[] = [];
  while (hasToSend(node.core)) {
    const sent = node.run({ kind: "go on", now: NOW });
    batches.push(sent.reduce((sum, update) => sum + update.rows.length, 0));
  }
  assert.ok(batches.every((count) => count > 0 && count < MAX_SENT_ROWS + MAX_ROWS));
  assert.equal(
    batches.reduce((sum, count) => sum + count, 0),
    rows.length,
  );
});

test("a node asks for more while it has less than new clients take in two seconds", () => {
  const lent = { first: 0, last: SIZE - 401, owner: "secondary", usableFrom: 0, seq: 0 } as const;
  const node = primary(1, halfUsed(), { ownership: { ...ownedBy("primary"), ranges: [lent] } });
  const wants = (seconds: number) =>
    step(node.core, halfUsed(), { kind: "tick", now: NOW + seconds }).sendAfterCommit.some(
      ({ type }) => type === "want",
    );
  assert.equal(wants(1), false, "200 are enough for few");
  const changes = Array.from({ length: 150 }, (_, i) => ({
    kind: "bind" as const,
    address: SIZE - 1 - 2 * i,
    client: "a",
    told: NOW + 60,
    wanted: 60,
  }));
  node.run({ kind: "change", now: NOW, changes });
  assert.equal(wants(1), true);
  node.tick(1);
  assert.equal(wants(2), false, "nobody came in the second after it");
});
