import assert from "node:assert/strict";
import { test } from "node:test";
import { give, ownedBy, ownerOf } from "../../src/ha/ownership.ts";
import { awaitedUntil, latestEnd } from "../../src/ha/rights.ts";
import { FOREVER, STATE } from "../../src/leases/binding.ts";
import { BEAT, HELLO, NOW, SETTINGS, secondary, sentRow, update } from "./core-node.ts";

const { lead, skew } = SETTINGS;
const HOUR = 3600;
const WAIT = lead + skew;

/** In contact with a peer whose clock differs by so much. */
function met(difference: number) {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, clock: NOW + difference });
  node.hear({ ...BEAT, clock: NOW + difference, echo: NOW });
  node.hear(update(sentRow({ promise: NOW + 7200 })));
  return node;
}

const cut = (node: ReturnType<typeof met>) => node.run({ kind: "link", now: NOW, id: 1, isUp: false });
const takeOver = (node: ReturnType<typeof met>, now = NOW + 60) =>
  node.run({ kind: "command", now, command: { name: "partner-down" } });
const rowOf = (node: ReturnType<typeof met>) => node.row(1) as NonNullable<ReturnType<typeof node.row>>;

test("of a peer whose clock was behind, the survivor waits until the promise by that clock is over", () => {
  const node = met(-HOUR);
  cut(node);
  takeOver(node);
  const until = awaitedUntil(node.core, rowOf(node));
  assert.ok(until >= NOW + 7200 + HOUR + WAIT, `${until}`);
  assert.ok(until <= NOW + 7200 + HOUR + WAIT + 2, `${until}`);
});

test("of a peer whose clock was ahead or right, the survivor waits until the promise is over", () => {
  for (const difference of [HOUR, 0, -skew]) {
    const node = met(difference);
    cut(node);
    takeOver(node);
    assert.equal(awaitedUntil(node.core, rowOf(node)), NOW + 7200 + WAIT);
  }
});

test("where the peer's clock is set right while there is a link, its error is forgotten", () => {
  const node = met(-HOUR);
  node.hear({ ...BEAT, clock: NOW, echo: NOW });
  cut(node);
  takeOver(node);
  assert.equal(awaitedUntil(node.core, rowOf(node)), NOW + 7200 + WAIT);
});

test("a peer whose clock is set right is waited for by its old one until all that it did by it is here", () => {
  const node = met(-HOUR);
  cut(node);
  const beat = { ...BEAT, lastSeq: 2 };
  node.connect();
  node.hear({ ...HELLO, lastSeq: 2 });
  const behind = () => node.core.durable.behind;
  const before = behind();
  assert.ok(before > HOUR);
  node.hear({ ...beat, drained: false });
  assert.equal(behind(), before, "its changes are on their way");
  node.hear(update(sentRow({ address: 2, seq: 2 })));
  node.hear(beat);
  assert.equal(node.core.state, "normal");
  node.hear({ ...beat, lastSeq: 3 });
  assert.equal(behind(), before, "one more is on its way");
  node.hear(update(sentRow({ address: 3, seq: 3 })));
  node.hear({ ...beat, lastSeq: 3 });
  assert.equal(behind(), 0);
});

test("a survivor whose own clock is set ahead takes the peer's for behind by as much", () => {
  const node = met(0);
  cut(node);
  node.run({ kind: "clock set", by: HOUR, now: NOW + HOUR });
  takeOver(node, NOW + HOUR + 60);
  const until = awaitedUntil(node.core, rowOf(node));
  assert.ok(until >= NOW + 7200 + HOUR + WAIT, `${until}`);
});

test("contact counts after a start only from when the two clocks agreed", () => {
  for (const [difference, contactAt] of [
    [-HOUR, Number.NEGATIVE_INFINITY],
    [HOUR, Number.NEGATIVE_INFINITY],
    [skew, NOW],
  ] as const) {
    const node = met(difference);
    assert.equal(node.core.contactAt, NOW, "there is contact");
    assert.equal(cut(node).writes.durable?.contactAt, contactAt);
    const started = secondary({ ...node.core.durable, state: "interrupted" });
    const latest = latestEnd(started.core, undefined, "b", NOW);
    assert.equal(latest, Math.max(0, contactAt) + lead);
  }
});

test("a clock that is set back while nobody stands still makes contact from before it count for nothing", () => {
  const node = met(0);
  cut(node);
  node.run({ kind: "clock set", by: -15, now: NOW + 5 });
  assert.equal(latestEnd(node.core, undefined, "b", NOW + 5), lead);
});

const LOST = { at: NOW + HOUR, until: NOW + HOUR + 9000, behind: 0 };
const gained = (usableFrom: number) =>
  give(ownedBy("secondary"), [{ first: 5, last: 9 }], { owner: "secondary", usableFrom, seq: 0 });

test("what a peer without memory is waited for is brought back with the clock, also at a start", () => {
  const kept = { state: "normal", lost: LOST, ownership: gained(NOW + HOUR + WAIT) } as const;
  const started = secondary(kept);
  const running = secondary({ ...kept, lost: { ...LOST, at: NOW } });
  running.run({ kind: "clock set", by: -HOUR, now: NOW });
  assert.deepEqual(started.core.durable.lost, { at: NOW, until: NOW + 9000, behind: -HOUR });
  assert.deepEqual(running.core.durable.lost, { at: NOW - HOUR, until: NOW + 9000, behind: -HOUR });
  for (const { core } of [started, running]) {
    assert.ok(ownerOf(core.durable.ownership, 7).usableFrom <= NOW + WAIT);
    const row = { ...sentRow({ promise: NOW + HOUR + 600 }), known: 0 };
    assert.equal(awaitedUntil(core, row), NOW + 600 + WAIT);
  }
});

test("a takeover goes on waiting as long as it had to when the clock is set", () => {
  for (const by of [HOUR, -HOUR]) {
    const node = met(0);
    cut(node);
    takeOver(node);
    const before = node.core.durable.ownership.usableFrom;
    node.run({ kind: "clock set", by, now: NOW + 60 + by });
    assert.equal(node.core.durable.takeover?.at, NOW + 60 + by);
    assert.equal(node.core.durable.ownership.usableFrom, before + by);
  }
});

test("a takeover goes on waiting as long as it had to when the clock was set while the process was down", () => {
  for (const by of [HOUR, -HOUR]) {
    // Of 300 seconds ago, by the clock as it was.
    const at = NOW - by - 300;
    const kept = {
      state: "partner_down",
      takeover: { at, clean: false },
      ownership: gained(at + WAIT),
    } as const;
    const { durable } = secondary(kept, SETTINGS, by).core;
    assert.equal(durable.takeover?.at, NOW - 300);
    assert.equal(ownerOf(durable.ownership, 7).usableFrom, NOW - 300 + WAIT);
  }
});

/** A machine without memory takes the place of the peer. */
function replace(node: ReturnType<typeof secondary>, now: number) {
  node.connect(now);
  node.hear({ ...HELLO, clock: now, store: "another", peerStore: null, epoch: 0, agreed: 0 }, now);
  return { ...node.core.durable, at: NOW + 60, now };
}

/** So many seconds after a takeover. */
function replaced(ago: number) {
  const node = met(0);
  cut(node);
  takeOver(node);
  return replace(node, NOW + 60 + ago);
}

test("a machine that takes the place of a peer that was waited for is not waited for again", () => {
  // The longest promise, and what may be told beyond it.
  const { lost, ownership, now, eraSeq } = replaced(7200 + WAIT);
  assert.equal(lost, null);
  assert.ok(ownership.usableFrom <= now);
  assert.notEqual(eraSeq, null, "it is sent everything");
});

test("a machine that takes the place of a peer that is being waited for changes nothing of the wait", () => {
  const { lost, ownership, takeover, at } = replaced(600);
  assert.deepEqual(lost, { at, until: NOW + 7200 + WAIT, behind: 0 });
  assert.equal(ownership.usableFrom, at + WAIT);
  assert.equal(takeover?.at, at);
});

test("an endless lease that was released goes on without an end when the peer may have renewed it and lost its memory", () => {
  const node = met(0);
  node.hear(update(sentRow({ seq: 2, end: FOREVER, promise: FOREVER })));
  cut(node);
  takeOver(node);
  node.run({ kind: "change", now: NOW + 60, changes: [{ kind: "release", address: 1 }] });
  assert.equal(rowOf(node).state, STATE.released);
  replace(node, NOW + 61);
  assert.deepEqual([rowOf(node).state, rowOf(node).end], [STATE.bound, FOREVER]);
});

test("the same holds where all else that the peer may have told is over", () => {
  const node = met(0);
  node.hear(update(sentRow({ seq: 2, end: FOREVER, promise: FOREVER })));
  cut(node);
  takeOver(node);
  node.run({ kind: "change", now: NOW + 60, changes: [{ kind: "release", address: 1 }] });
  const { lost } = replace(node, NOW + 10 * WAIT);
  assert.equal(lost, null);
  assert.deepEqual([rowOf(node).state, rowOf(node).end], [STATE.bound, FOREVER]);
});

test("a machine that takes the place of a peer that had handed everything over leaves nothing to wait for", () => {
  const handed = { at: NOW - 600, clean: true };
  const kept = {
    state: "partner_down",
    epoch: 4,
    takeover: handed,
    ownership: ownedBy("secondary"),
  } as const;
  const { lost, takeover } = replace(secondary(kept), NOW);
  assert.equal(lost, null);
  assert.deepEqual(takeover, handed);
});

test("where a peer loses its memory twice, the later wait and the larger error of its clock count", () => {
  const before = { at: NOW - 100, until: NOW + 90_000, behind: HOUR };
  const again = replace(secondary({ lost: before }), NOW).lost;
  assert.deepEqual(again, { at: NOW, until: NOW + 90_000, behind: HOUR });
  const shorter = { at: NOW - 100, until: NOW + 5, behind: -HOUR };
  assert.deepEqual(replace(secondary({ lost: shorter }), NOW).lost, {
    at: NOW,
    until: NOW + WAIT,
    behind: 0,
  });
});

test("a conflict that a start finds unresolved counts from now, also where the clock was set meanwhile", () => {
  const { durable } = secondary({ state: "conflict", ownership: gained(5) }, SETTINGS, -HOUR).core;
  assert.equal(durable.takeover?.at, NOW);
  assert.equal(ownerOf(durable.ownership, 7).usableFrom, NOW + WAIT);
});
