import assert from "node:assert/strict";
import { test } from "node:test";
import { type Input, step } from "../../src/ha/core.ts";
import { type Core, type Durable, newDurable, type Settings, startCore } from "../../src/ha/core-state.ts";
import type { Hello, Message, SentRow } from "../../src/ha/messages.ts";
import { ownedBy } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { Outcome } from "../../src/ha/turn.ts";
import { STATE } from "../../src/leases/binding.ts";
import { MemoryLedger } from "./disk.ts";

const NOW = 10_000;
const SETTINGS: Settings = {
  node: "two",
  role: "secondary",
  mode: "hot-standby",
  identity: "client_id",
  lead: 1800,
  skew: 10,
  contactTimeout: 5,
  partnerDownAfter: 0,
  share: 0.5,
};
const PLAN: Plan = { hash: "a", pools: [{ first: 1, last: 20 }], reserved: new Map() };
const HELLO: Hello = {
  type: "hello",
  version: 1,
  node: "one",
  store: "first",
  peerStore: "second",
  role: "primary",
  mode: "hot-standby",
  identity: "client_id",
  epoch: 3,
  holder: "primary",
  agreed: 3,
  lastSeq: 0,
  appliedSeq: 0,
  ackedSeq: 0,
  restores: false,
  state: "interrupted",
  lead: 1800,
  skew: 10,
  plan: "a",
  clock: NOW,
};
const BEAT = {
  type: "beat",
  clock: NOW,
  echo: NOW,
  state: "resync",
  serving: true,
  drained: true,
  lastSeq: 0,
  plan: "a",
  prepared: true,
} as const;

/** The secondary of a pair, and what is done to it. */
function secondary(durable: Partial<Durable> = {}) {
  const kept: Durable = {
    ...newDurable("second", 1800),
    peerStore: "first",
    epoch: 3,
    agreed: 3,
    ...durable,
  };
  const ledger = new MemoryLedger(new Map());
  let core: Core = startCore(SETTINGS, kept, PLAN, NOW);
  let received = 0;
  const run = (input: Input): Outcome => {
    const pending = ledger.open();
    const outcome = step(core, pending, input);
    pending.apply();
    core = outcome.core;
    return outcome;
  };
  return {
    get core() {
      return core;
    },
    row: (address: number) => ledger.rows.get(address),
    run,
    connect: () => run({ kind: "link", now: NOW, id: 1, isUp: true }),
    hear: (message: Message, now = NOW) =>
      run({ kind: "message", now, link: 1, counter: received++, message }),
  };
}

const sentRow = (change: Partial<SentRow>): SentRow => ({
  address: 1,
  client: "a",
  state: STATE.bound,
  server: "primary",
  end: NOW + 600,
  promise: NOW + 900,
  seq: 1,
  base: 0,
  details: new Uint8Array(0),
  ...change,
});
const update = (row: SentRow) => ({ type: "update", rows: [row], given: [], upTo: row.seq }) as const;

test("two nodes of one epoch exchange their changes and are in normal when both have everything", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  assert.equal(node.core.state, "resync");
  node.hear(BEAT);
  assert.equal(node.core.state, "normal");
});

test("a node whose peer has taken over owns nothing and answers nobody until the peer has kept that it is back", () => {
  const node = secondary();
  node.connect();
  const { sendAfterCommit } = node.hear({ ...HELLO, epoch: 4, state: "partner_down" });
  assert.deepEqual(
    sendAfterCommit.map((message) => message.type === "hello" && message.epoch),
    [4],
  );
  assert.deepEqual(node.core.durable.ownership, ownedBy("primary"));
  node.hear({ ...BEAT, state: "partner_down" });
  assert.equal(node.core.state, "recover");
  node.hear({ ...BEAT, state: "normal" });
  assert.equal(node.core.state, "normal");
});

test("a change that the peer did not know of is still unknown to it when its next change comes", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  const told = NOW + 300;
  node.run({
    kind: "change",
    now: NOW,
    changes: [{ kind: "bind", address: 1, client: "a", told, wanted: 300 }],
  });
  node.hear(update(sentRow({ seq: 1, base: 0 })));
  assert.equal(node.row(1)?.end, NOW + 600);
  node.hear(update(sentRow({ seq: 2, base: 0, state: STATE.released })));
  assert.equal(node.row(1)?.state, STATE.bound);
});

test("a lease that the peer ended goes on when by this node's clock it has not ended", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(update(sentRow({ seq: 1 })));
  const { sendAfterCommit } = node.hear(update(sentRow({ seq: 2, state: STATE.expired })));
  assert.equal(node.row(1)?.state, STATE.bound);
  const [sent, ack] = sendAfterCommit;
  assert.equal(sent?.type === "update" && sent.rows[0]?.state, STATE.bound);
  assert.deepEqual(ack, { type: "ack", n: 2, m: 1 });
});

test("a frame out of order closes the connection, and one of an old connection is ignored", () => {
  const node = secondary();
  node.connect();
  const late = node.run({ kind: "message", now: NOW, link: 0, counter: 0, message: { type: "bye" } });
  assert.equal(late.closes, false);
  const wrong = node.run({ kind: "message", now: NOW, link: 1, counter: 1, message: HELLO });
  assert.equal(wrong.closes, true);
  assert.equal(node.core.link, null);
});

test("a peer with another lead is refused", () => {
  const node = secondary();
  node.connect();
  const { send, closes } = node.hear({ ...HELLO, lead: 3600 });
  assert.deepEqual(send, [{ type: "refuse", reason: "lead" }]);
  assert.equal(closes, true);
});

test("partner-down is refused while the peer is there, and for a time at which it was", () => {
  const node = secondary();
  const declare = (now: number, stoppedAt?: number) =>
    node.run({
      kind: "command",
      now,
      command: { name: "partner-down", ...(stoppedAt === undefined ? {} : { stoppedAt }) },
    }).refusal;
  node.connect();
  node.hear(HELLO);
  assert.equal(declare(NOW), "the peer is there");
  node.hear({ ...BEAT, echo: NOW }, NOW + 1);
  node.run({ kind: "link", now: NOW + 2, id: 1, isUp: false });
  assert.equal(declare(NOW + 3, NOW - 1), "the peer was there after that time");
  assert.equal(declare(NOW + 3, NOW + 2), undefined);
  assert.equal(node.core.state, "partner_down");
  assert.deepEqual(node.core.durable.ownership, {
    holder: "secondary",
    usableFrom: NOW + 2 + 1800 + 10,
    ranges: [],
  });
});

test("partner-down is refused after a client spoke to the peer, unless it is forced", () => {
  const node = secondary();
  node.run({ kind: "sign of life", now: NOW + 1 });
  const declare = (force: boolean) =>
    node.run({
      kind: "command",
      now: NOW + 2,
      command: { name: "partner-down", stoppedAt: NOW, force },
    }).refusal;
  assert.equal(declare(false), "a client spoke to the peer after that time");
  assert.equal(declare(true), undefined);
});

test("a node that never had a peer gives nothing and takes nothing over", () => {
  const node = secondary({ peerStore: null, epoch: 0, agreed: 0 });
  const { refusal } = node.run({ kind: "command", now: NOW, command: { name: "partner-down" } });
  assert.equal(refusal, "the node has never met its peer");
});

test("a node that lost its memory removes what it has and is sent everything", () => {
  const node = secondary({ peerStore: null, epoch: 0, agreed: 0 });
  node.connect();
  node.hear({ ...HELLO, peerStore: "an older one", appliedSeq: 40, lastSeq: 7 });
  assert.equal(node.core.state, "startup");
  const { writes } = node.hear({ ...HELLO, epoch: 4, restores: true, appliedSeq: 40, lastSeq: 7 });
  assert.equal(writes.clears, true);
  assert.equal(node.core.durable.lastSeq, 40);
  node.hear({ type: "page", rows: [sentRow({ seq: 5 })], isFirst: true });
  const { sendAfterCommit } = node.hear({ type: "page_end", upTo: 7 });
  assert.equal(node.row(1)?.client, "a");
  assert.deepEqual(sendAfterCommit, [{ type: "ack", n: 7, m: 40 }]);
});

test("in maintenance everything is handed over once the peer has it, and nothing is told after that", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  const change = { kind: "bind", address: 1, client: "a", told: NOW + 60, wanted: 60 } as const;
  node.run({ kind: "change", now: NOW, changes: [change] });
  const asked = node.run({ kind: "command", now: NOW, command: { name: "maintenance" } });
  assert.deepEqual(asked.sendAfterCommit, []);
  const acked = node.hear({ type: "ack", n: 1, m: 0 });
  assert.deepEqual(acked.sendAfterCommit, [{ type: "handover", lastSeq: 1 }]);
  assert.equal(node.core.durable.handedOver, true);
});
