import assert from "node:assert/strict";
import { test } from "node:test";
import type { Durable } from "../../src/ha/core-state.ts";
import type { Hello } from "../../src/ha/messages.ts";
import { ownedBy, peerOf } from "../../src/ha/ownership.ts";
import { isFresh, latestEnd } from "../../src/ha/rights.ts";
import { decodeFrame, encodeFrame } from "../../src/ha/wire.ts";
import { FOREVER, STATE } from "../../src/leases/binding.ts";
import { BEAT, HELLO, NOW, SETTINGS, secondary, sentRow, update } from "./core-node.ts";

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

test("what a client was given after a takeover it gets in full at its next renewal, once the peer has it", () => {
  const [told, endless] = [NOW + 7200, FOREVER];
  const node = secondary();
  node.run({ kind: "command", now: NOW, command: { name: "partner-down" } });
  const changes = [
    { kind: "bind", address: 1, client: "a", told, wanted: 7200 },
    { kind: "bind", address: 2, client: "b", told: endless, wanted: endless },
  ] as const;
  node.run({ kind: "change", now: NOW, changes });
  assert.equal(node.row(1)?.promise, 0, "what the peer could tell is nothing");
  node.connect();
  const { sendAfterCommit } = node.hear({
    ...HELLO,
    epoch: 4,
    agreed: 4,
    holder: "secondary",
    state: "recover",
  });
  const [sent] = sendAfterCommit.flatMap((message) => (message.type === "update" ? [message] : []));
  assert.deepEqual(
    sent?.rows.map(({ promise }) => promise),
    [NOW + 2 * 7200, FOREVER],
  );
  node.hear({ type: "ack", n: 2, m: 0 });
  node.hear({ ...BEAT, state: "recover" });
  assert.equal(node.core.state, "normal");
  const renewal = NOW + 3600;
  const fresh = { ...node.core, aliveAt: renewal };
  assert.ok(latestEnd(fresh, node.row(1), "a", renewal) >= renewal + 7200);
  assert.equal(latestEnd(fresh, node.row(2), "b", renewal), FOREVER);
});

test("what a client that the peer knew was given after a takeover it gets in full at its next renewal, too", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  const bind = (now: number) =>
    node.run({
      kind: "change",
      now,
      changes: [{ kind: "bind", address: 1, client: "a", told: now + 7200, wanted: 7200 }],
    });
  bind(NOW);
  node.hear({ type: "ack", n: 1, m: 0 });
  node.run({ kind: "link", now: NOW, id: 1, isUp: false });
  node.run({ kind: "command", now: NOW, command: { name: "partner-down" } });
  bind(NOW + 3600);
  node.connect(NOW + 3600);
  node.hear({ ...HELLO, epoch: 4, agreed: 4, appliedSeq: 1, state: "recover" }, NOW + 3600);
  node.hear({ type: "ack", n: 2, m: 0 }, NOW + 3600);
  node.hear({ ...BEAT, state: "recover" }, NOW + 3600);
  assert.equal(node.core.state, "normal");
  const renewal = NOW + 7200;
  assert.ok(latestEnd({ ...node.core, aliveAt: renewal }, node.row(1), "a", renewal) >= renewal + 7200);
});

test("what was given after a takeover and waits for the link is promised in full also where the takeover is over", () => {
  const node = secondary();
  node.run({ kind: "command", now: NOW, command: { name: "partner-down" } });
  node.connect();
  node.hear({ ...HELLO, epoch: 4, agreed: 4, holder: "secondary", state: "recover" });
  node.run({ kind: "congested", now: NOW, isCongested: true });
  const change = { kind: "bind", address: 1, client: "a", told: NOW + 7200, wanted: 7200 } as const;
  node.run({ kind: "change", now: NOW, changes: [change] });
  node.hear({ ...BEAT, state: "recover" });
  assert.equal(node.core.state, "normal");
  node.run({ kind: "congested", now: NOW, isCongested: false });
  assert.equal(node.row(1)?.promise, NOW + 2 * 7200);
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

test("a peer that acknowledges what it was never sent loses the connection, and nothing counts as known to it", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  assert.equal(node.hear({ type: "ack", n: 1000, m: 0 }).closes, true);
  assert.equal(node.core.ackedSeq, 0);
});

test("acknowledgements that count only later are kept within bounds, and the last of them counts", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  const change = { kind: "bind", address: 1, client: "a", told: NOW + 60, wanted: 60 } as const;
  node.run({ kind: "change", now: NOW, changes: [change] });
  for (let i = 0; i < 3000; i++) node.hear({ type: "ack", n: i < 2999 ? 0 : 1, m: 7 });
  assert.ok((node.core.link?.acks.length ?? 0) <= 1024);
  node.hear(update(sentRow({ address: 2, seq: 7 })));
  assert.equal(node.core.ackedSeq, 1);
});

test("a server with more addresses than a hello may have names as many as fit", () => {
  const node = secondary();
  const servers = Array.from({ length: 5000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  node.run({ kind: "servers", now: NOW, servers });
  const [hello] = node.connect().sendAfterCommit;
  assert.equal(hello?.type === "hello" && hello.servers.length, 4096);
  const frame = encodeFrame({ counter: 0, message: hello as Hello });
  assert.equal(decodeFrame(frame.subarray(4)).message.type, "hello");
});

test("an address that an interface gets later is told to the peer with a new hello; one that it loses, with the next", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  assert.equal(node.run({ kind: "servers", now: NOW, servers: ["10.0.0.3"] }).closes, true);
  const [hello] = node.connect().sendAfterCommit;
  assert.deepEqual(hello?.type === "hello" && hello.servers, ["10.0.0.3"]);
  assert.equal(node.run({ kind: "servers", now: NOW, servers: [] }).closes, false);
  // A loose cable: the peer still withholds it.
  assert.equal(node.run({ kind: "servers", now: NOW, servers: ["10.0.0.3"] }).closes, false);
  assert.equal(node.run({ kind: "servers", now: NOW, servers: ["10.0.0.4"] }).closes, true);
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

for (const [theirs, whose] of [
  [{ epoch: 3, restores: true }, "was to send everything to this one"],
  [{ epoch: 2, agreed: 2, peerStore: "the disk before" }, "knew this one by another disk"],
  [
    { epoch: 1, agreed: 1, store: "the first of all", peerStore: "the disk before" },
    "knew this one by another disk, and had another itself since",
  ],
] as const)
  for (const role of ["primary", "secondary"] as const)
    test(`a peer whose disk is from when it ${whose} is sent everything, and takes nothing from a ${role}`, () => {
      const node = secondary({}, { ...SETTINGS, role });
      node.connect();
      const hello = { ...HELLO, role: peerOf(role), ...theirs } as const;
      const { writes } = node.hear(hello);
      assert.equal(writes.clears, false);
      const { state, durable } = node.core;
      assert.deepEqual([state, durable.epoch, durable.eraSeq], ["partner_down", 4, durable.lastSeq]);
    });

test("a peer that is still connected after it has handed over leaves nothing to wait for", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  node.hear({ type: "handover", lastSeq: 0 });
  assert.deepEqual(node.core.durable.takeover, { at: NOW, clean: true });
  node.connect();
  node.hear({ ...HELLO, state: "maintenance" }, NOW + 1);
  assert.deepEqual(node.core.durable.takeover, { at: NOW, clean: true });
  node.connect();
  node.hear({ ...HELLO, state: "startup" }, NOW + 2);
  assert.equal(node.core.durable.takeover?.clean, false, "it was told to serve again");
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

const typesOf = ({ sendAfterCommit }: { sendAfterCommit: ReadonlyArray<{ type: string }> }) =>
  sendAfterCommit.map(({ type }) => type);

test("in maintenance what the peer lacks is sent when a lost link is back, and handed over then", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  const change = { kind: "bind", address: 1, client: "a", told: NOW + 60, wanted: 60 } as const;
  node.run({ kind: "change", now: NOW, changes: [change] });
  node.run({ kind: "command", now: NOW, command: { name: "maintenance" } });
  node.connect();
  assert.deepEqual(typesOf(node.hear(HELLO)), ["update"]);
  assert.equal(node.core.state, "maintenance");
  assert.deepEqual(typesOf(node.hear({ type: "ack", n: 1, m: 0 })), ["handover"]);
});

test("a peer that has not heard that everything was handed to it is told so on the next connection", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  const asked = node.run({ kind: "command", now: NOW, command: { name: "maintenance" } });
  assert.deepEqual(typesOf(asked), ["handover"]);
  node.connect();
  // It goes on alone meanwhile.
  assert.deepEqual(typesOf(node.hear({ ...HELLO, lastSeq: 1 })), []);
  assert.deepEqual(typesOf(node.hear(update(sentRow({ seq: 1 })))), ["handover", "ack"]);
  node.connect();
  assert.deepEqual(
    typesOf(node.hear({ ...HELLO, epoch: 4, state: "partner_down" })),
    [],
    "it has taken over",
  );
  assert.equal(node.core.state, "maintenance");
});

/** A node that has had contact, and has lost it. */
function alone(durable: Partial<Durable> = {}) {
  const node = secondary(durable);
  node.connect();
  node.hear(HELLO);
  node.hear({ ...BEAT, echo: NOW }, NOW + 1);
  return node;
}

test("a clock that is set back is a pause: the link begins anew, and contact from before it counts for nothing", () => {
  const node = alone();
  assert.equal(isFresh(node.core, NOW + 1), true);
  const { closes } = node.run({ kind: "go on", now: NOW - 60 });
  assert.deepEqual([closes, node.core.link, isFresh(node.core, NOW - 60)], [true, null, false]);
  assert.ok(latestEnd(node.core, undefined, "a", NOW - 60) < NOW - 60, "no client is given anything new");
  node.run({ kind: "link", now: NOW - 59, id: 2, isUp: true });
  node.run({ kind: "message", now: NOW - 59, link: 2, counter: 0, message: HELLO });
  const beat = { ...BEAT, clock: NOW - 59, echo: NOW - 59 };
  node.run({ kind: "message", now: NOW - 59, link: 2, counter: 1, message: beat });
  assert.equal(isFresh(node.core, NOW - 59), true);
});

test("a node that starts before its last contact takes it for none, and a takeover that is still to come for one of now", () => {
  const ahead = {
    contactAt: NOW + 500,
    takeover: { at: NOW + 900, clean: false },
    state: "partner_down",
  } as const;
  const { core } = secondary(ahead);
  assert.equal(core.contactAt, Number.NEGATIVE_INFINITY);
  assert.equal(core.durable.takeover?.at, NOW);
});

test("a pause does not count as time without the peer: no timer takes over at its end", () => {
  const settings = { ...SETTINGS, partnerDownAfter: 3600 };
  const node = secondary({}, settings);
  node.connect();
  node.hear(HELLO);
  node.run({ kind: "link", now: NOW + 1, id: 1, isUp: false });
  node.run({ kind: "tick", now: NOW + 4000 });
  assert.equal(node.core.state, "interrupted");
});

test("a lease of a peer whose clock is off by more than the skew ends here when it does there", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, clock: NOW + 3600 });
  node.hear(update(sentRow({ end: NOW + 3600 + 600, promise: NOW + 3600 + 900 })));
  assert.deepEqual([node.row(1)?.end, node.row(1)?.promise], [NOW + 600, NOW + 3600 + 900]);
  node.hear(update(sentRow({ address: 2, seq: 2, end: FOREVER })));
  assert.equal(node.row(2)?.end, FOREVER);
});

test("the difference of the clocks is not taken from a hello that was late", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, clock: NOW }, NOW + 4);
  assert.equal(node.core.clockDifference, 0);
});

test("the difference of the clocks goes with the link: a survivor ends leases whatever the clock of its peer was", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, clock: NOW + 100 });
  assert.equal(node.core.clockDifference, 100);
  node.run({ kind: "link", now: NOW + 1, id: 1, isUp: false });
  assert.equal(node.core.clockDifference, 0);
});

test("beats that take long bound the difference of the clocks", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, clock: NOW + 20 });
  node.hear({ ...BEAT, clock: NOW + 2, echo: NOW }, NOW + 3);
  assert.equal(
    node.core.clockDifference,
    2,
    "it sent its beat after this node's, so it is no more ahead than that",
  );
});

test("partner-down without a time is refused after a client spoke to the peer since the link was lost", () => {
  const node = alone();
  node.run({ kind: "sign of life", now: NOW + 2 });
  node.run({ kind: "link", now: NOW + 3, id: 1, isUp: false });
  const declare = (now: number, force = false) =>
    node.run({ kind: "command", now, command: { name: "partner-down", force } }).refusal;
  node.run({ kind: "sign of life", now: NOW + 5 });
  assert.equal(declare(NOW + 6), "a client spoke to the peer since the link was lost");
  assert.equal(node.core.state, "interrupted");
  assert.equal(declare(NOW + 6, true), undefined);
});

test("a sign of life from before the link was lost, or from long ago, is no reason against partner-down", () => {
  for (const signAt of [NOW + 2, NOW + 4]) {
    const node = alone();
    if (signAt === NOW + 2) node.run({ kind: "sign of life", now: signAt });
    node.run({ kind: "link", now: NOW + 3, id: 1, isUp: false });
    if (signAt === NOW + 4) node.run({ kind: "sign of life", now: signAt });
    const now = signAt === NOW + 2 ? NOW + 5 : NOW + 4 + 1801;
    const { refusal } = node.run({ kind: "command", now, command: { name: "partner-down" } });
    assert.equal(refusal, undefined);
  }
});

test("a node that was started is in startup since then, and in partner_down since it took over", () => {
  assert.equal(secondary({ state: "normal", since: 7 }).core.durable.since, NOW);
  assert.equal(secondary({ state: "partner_down", since: 7 }).core.durable.since, 7);
  assert.equal(secondary({ state: "conflict", since: 7 }).core.durable.since, NOW);
});

test("a hello that waited while this node stood still is no contact: it takes a beat that echoes one of this node", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  node.hear(BEAT);
  node.run({ kind: "link", now: NOW, id: 1, isUp: false });
  assert.equal(isFresh(node.core, NOW), true);
  // The link's thread has had a connection meanwhile.
  const later = NOW + 2400;
  node.run({ kind: "time passed", seconds: 2400, now: later });
  node.connect(later);
  node.hear(HELLO, later);
  assert.equal(isFresh(node.core, later), false);
  node.run({ kind: "link", now: later, id: 2, isUp: false });
  assert.equal(isFresh(node.core, later), false);
  node.connect(later);
  node.hear({ ...HELLO, clock: later }, later);
  node.hear({ ...BEAT, clock: later, echo: later }, later);
  assert.equal(isFresh(node.core, later), true);
});
