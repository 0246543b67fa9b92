import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "../../src/ha/commands.ts";
import { noAddressText } from "../../src/ha/explain.ts";
import { give, ownedBy, ownerOf } from "../../src/ha/ownership.ts";
import { answers } from "../../src/ha/rights.ts";
import { statusOf } from "../../src/ha/status.ts";
import { BEAT, HELLO, NOW, SETTINGS, secondary } from "./core-node.ts";

type Node = ReturnType<typeof secondary>;
const AGREED = { agreed: { hash: "a", pools: [], reserved: new Map() }, prepared: [] };

const order = (node: Node, command: Command, now = NOW) =>
  node.run({ kind: "command", now, command }).refusal;
const lose = (node: Node, now = NOW) => node.run({ kind: "link", now, id: 1, isUp: false });
const NOTHING_COUNTED = {
  conflicts: 0,
  shortened: 0,
  sent: 0,
  received: 0,
  unacked: 0,
  oldestUnackedAt: undefined,
  aloneSince: undefined,
  lastResync: null,
};
const adviceOf = (node: Node) => statusOf(node.core, NOTHING_COUNTED, NOW).advice ?? "";
const NEW_CLIENT = { isRenewal: false, names: undefined, hash: 0, owner: undefined, isInsistent: false };

/** A node that receives from a peer that has taken over, when that peer is lost. */
function left(): Node {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, epoch: 4, state: "partner_down" });
  lose(node);
  assert.equal(node.core.state, "recover");
  return node;
}

test("a node in recover whose peer is lost takes over when that is forced, and its status says how", () => {
  const node = left();
  assert.match(adviceOf(node), /If the peer is lost for good, run leasectl ha partner-down --force/);
  assert.match(order(node, { name: "partner-down" }) ?? "", /leases that it gave since are not known here/);
  assert.equal(order(node, { name: "partner-down", force: true }), undefined);
  assert.equal(node.core.state, "partner_down");
  assert.equal(answers(node.core, NEW_CLIENT, NOW), true);
  assert.equal(node.core.durable.ownership.usableFrom, NOW + 1800 + 10, "what was the peer's is waited for");
});

test("resume --alone is refused where it would change nothing", () => {
  const alone = { name: "resume", alone: true } as const;
  assert.match(order(left(), alone) ?? "", /partner-down --force/);
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  assert.equal(order(node, alone), "the peer is there");
  lose(node);
  assert.equal(order(node, alone), "the node serves alone already");
  order(node, { name: "partner-down" });
  assert.equal(order(node, alone), "the node has taken over and serves everyone already");
});

test("resume --alone is refused where the peer serves what this node would: it is there, was handed everything or was never met", () => {
  const alone = { name: "resume", alone: true } as const;
  const serving = secondary({ state: "maintenance" });
  serving.connect();
  serving.hear({ ...HELLO, epoch: 4, state: "partner_down" });
  assert.equal(order(serving, alone), "the peer is there");
  assert.equal(serving.core.state, "maintenance");
  for (const state of ["maintenance", "startup"] as const) {
    const node = secondary({ state, handedOver: true });
    assert.equal(order(node, alone), "the peer was handed everything");
    assert.equal(node.core.durable.handedOver, true);
    assert.equal(answers(node.core, NEW_CLIENT, NOW + 100), false);
  }
  assert.equal(order(secondary({ peerStore: null }), alone), "the node has never met its peer");
});

test("a peer that takes connections and says nothing is not there: its process hangs", () => {
  const hung = (settings = SETTINGS) => {
    const node = secondary({ state: "interrupted" }, settings);
    for (let now = NOW + 1; now <= NOW + 14; now++) {
      if (now === NOW + 1 || now === NOW + 9) node.connect(now);
      node.run({ kind: "tick", now });
    }
    assert.notEqual(node.core.link, null);
    return node;
  };
  const node = hung();
  assert.equal(order(node, { name: "resume", alone: true }, NOW + 14), undefined);
  const survivor = hung();
  const declared = survivor.run({ kind: "command", now: NOW + 14, command: { name: "partner-down" } });
  assert.equal(declared.refusal, undefined);
  assert.equal(declared.closes, true, "the peer answers no hello of before the takeover");
  assert.equal(survivor.core.state, "partner_down");
  const byTimer = hung({ ...SETTINGS, partnerDownAfter: 15 });
  assert.equal(byTimer.core.state, "startup");
  const { closes } = byTimer.run({ kind: "tick", now: NOW + 15 });
  assert.equal(byTimer.core.state, "partner_down");
  assert.equal(closes, true);
});

test("resume --alone ends maintenance that the peer was never told of", () => {
  const node = secondary({ state: "maintenance" });
  assert.equal(order(node, { name: "resume", alone: true }), undefined);
  assert.equal(node.core.state, "startup");
  assert.equal(answers(node.core, NEW_CLIENT, NOW), true);
});

test("resume --alone on a node that was just started lets it serve at once and for the whole time", () => {
  const node = secondary({ contactAt: NOW - 5000 });
  assert.equal(answers(node.core, NEW_CLIENT, NOW), false);
  assert.equal(order(node, { name: "resume", alone: true }), undefined);
  assert.equal(answers(node.core, NEW_CLIENT, NOW), true);
  assert.equal(order(node, { name: "resume", alone: true }), "the node serves alone already");
});

test("maintenance is refused while it is waited for what the peer told before it lost its memory", () => {
  const waiting = secondary({ lost: { at: NOW - 100, until: NOW + 100, behind: 0 } });
  for (const node of [waiting, secondary()]) {
    node.connect();
    node.hear(HELLO);
    node.hear(BEAT);
    assert.equal(node.core.state, "normal");
  }
  assert.match(
    order(waiting, { name: "maintenance" }) ?? "",
    /until 1970-01-01T02:48:20.000Z: stop this engine/,
  );
  assert.equal(waiting.core.state, "normal");
  waiting.run({ kind: "tick", now: NOW + 1 });
  for (let now = NOW + 2; now <= NOW + 101; now++) waiting.hear({ ...BEAT, clock: now, echo: now }, now);
  waiting.run({ kind: "tick", now: NOW + 101 });
  assert.equal(order(waiting, { name: "maintenance" }, NOW + 101), undefined);
});

test("a peer that lost its memory and hands everything over does not end the wait for what it told before", () => {
  const awaited = { owner: "secondary", usableFrom: NOW + 90, seq: 0 } as const;
  const ownership = give(ownedBy("primary"), [{ first: 5, last: 9 }], awaited);
  const node = secondary({ lost: { at: NOW - 10, until: NOW + 100, behind: 0 }, ownership });
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  assert.equal(node.core.state, "normal");
  node.hear({ type: "handover", lastSeq: 0 });
  assert.equal(node.core.state, "partner_down");
  const usableFrom = (address: number) => ownerOf(node.core.durable.ownership, address).usableFrom;
  assert.deepEqual([usableFrom(7), usableFrom(12)], [NOW + 90, NOW], "what the peer has told since is known");
});

test("where both were told to stop answering, none is handed anything, and their statuses say so", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  assert.equal(node.core.state, "normal");
  node.hear({ ...BEAT, state: "maintenance" });
  assert.equal(order(node, { name: "maintenance" }), "the peer is in maintenance");
  assert.equal(node.core.state, "normal");
  // Its operator was a second earlier.
  node.hear({ ...BEAT, state: "normal" });
  node.run({
    kind: "change",
    now: NOW,
    changes: [{ kind: "bind", address: 1, client: "a", told: NOW + 9, wanted: 9 }],
  });
  assert.equal(order(node, { name: "maintenance" }), undefined);
  node.hear({ ...BEAT, state: "maintenance" });
  node.hear({ type: "handover", lastSeq: 0 });
  assert.equal(node.core.state, "maintenance");
  node.hear({ type: "ack", n: 1, m: 0 });
  assert.equal(node.core.durable.handedOver, false);
  assert.match(adviceOf(node), /Both engines are in maintenance/);
  // The peer serves again.
  node.hear({ ...BEAT, state: "resync" });
  assert.equal(node.core.durable.handedOver, true);
});

test("the status of a node in maintenance tells when everything is handed over", () => {
  const told = (handedOver: boolean) =>
    statusOf(secondary({ state: "maintenance", handedOver }).core, NOTHING_COUNTED, NOW);
  assert.equal(told(false).handedOver, false);
  assert.match(told(false).advice ?? "", /do not stop the engine before/);
  assert.equal(told(true).handedOver, true);
  assert.match(told(true).advice ?? "", /can be stopped/);
});

test("while it is waited for what the peer told before it lost its memory, the status and explain say so, and until when", () => {
  const node = secondary({ lost: { at: NOW - 100, until: NOW + 200, behind: 0 }, plan: AGREED });
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  assert.equal(node.core.state, "normal");
  const reasonOf = (now: number) => statusOf(node.core, NOTHING_COUNTED, now).reason;
  assert.match(reasonOf(NOW), /lost its memory: .* is waited for until 1970-01-01T02:50:00.000Z/);
  const ofMemory = /may have given before it lost its memory \(until 1970-01-01T02:50:00.000Z\)/;
  assert.match(noAddressText(node.core, NOW), ofMemory);
  node.run({ kind: "tick", now: NOW + 200 });
  assert.doesNotMatch(reasonOf(NOW + 200), /memory/);
  assert.doesNotMatch(noAddressText(node.core, NOW + 200), /memory/);
});

test("a node that had handed everything over says that it serves nobody until it has met its peer", () => {
  const node = secondary({ state: "maintenance", handedOver: true });
  assert.equal(order(node, { name: "resume" }), undefined);
  const { reason, advice } = statusOf(node.core, NOTHING_COUNTED, NOW);
  assert.match(reason, /serves nobody until they have met/);
  assert.match(advice ?? "", /leasectl ha partner-down --force/);
  assert.equal(order(node, { name: "partner-down" }), "the peer was handed everything");
  assert.equal(order(node, { name: "partner-down", force: true }), undefined);
  assert.equal(node.core.state, "partner_down");
});
