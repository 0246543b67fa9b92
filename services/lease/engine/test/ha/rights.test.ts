import assert from "node:assert/strict";
import { test } from "node:test";
import { type Core, type Durable, newDurable, type Settings, startCore } from "../../src/ha/core-state.ts";
import { give as giveAll, type OwnedRange, type Ownership, ownedBy } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import {
  answers,
  awaitedUntil,
  hearsRenewals,
  latestEnd,
  mayBind,
  mayGiveBack,
  mayNak,
  mayReuse,
} from "../../src/ha/rights.ts";
import type { Row } from "../../src/ha/row.ts";
import { FOREVER, STATE } from "../../src/leases/binding.ts";
import { BEAT } from "./core-node.ts";
import { MemoryLedger } from "./disk.ts";

const NOW = 10_000;
const LEAD = 1800;
const SETTINGS: Settings = {
  node: "one",
  role: "primary",
  mode: "load-balancing",
  identity: "client_id",
  lead: LEAD,
  skew: 10,
  contactTimeout: 5,
  partnerDownAfter: 0,
  share: 0.5,
  servers: [],
};
const PLAN: Plan = { hash: "a", pools: [{ first: 1, last: 20 }], reserved: new Map([[5, "door"]]) };
const OTHER_PLAN: Plan = { ...PLAN, hash: "b", reserved: new Map([[5, "gate"]]) };

const give = (ownership: Ownership, range: OwnedRange) => giveAll(ownership, [range], range);

/** A node in `normal` that has just had contact. */
function nodeWith(durable: Partial<Durable> = {}, change: Partial<Core> = {}): Core {
  const kept = { ...newDurable("s", LEAD), plan: { agreed: PLAN, prepared: [] }, ...durable };
  const core = startCore(SETTINGS, kept, PLAN, NOW - 100);
  const { takeover } = kept;
  const begun = { ...core, durable: { ...core.durable, takeover } };
  return { ...begun, state: "normal", aliveAt: NOW, contactAt: NOW, ackedSeq: 50, ...change };
}

const lease = (change: Partial<Row> = {}): Row => ({
  address: 1,
  client: "a",
  state: STATE.bound,
  server: "primary",
  end: NOW + 100,
  promise: NOW + 5000,
  known: null,
  seq: 60,
  base: 0,
  details: new Uint8Array(0),
  ...change,
});
const ledgerOf = (...rows: Row[]) => new MemoryLedger(new Map(rows.map((row) => [row.address, row]))).open();

test("a new client is told the lead at most, and one whose renewal the peer has on disk its full time", () => {
  const core = nodeWith();
  assert.equal(latestEnd(core, undefined, "a", NOW), NOW + LEAD);
  assert.equal(latestEnd(core, lease({ seq: 60 }), "a", NOW), NOW + LEAD);
  assert.equal(latestEnd(core, lease({ seq: 50 }), "a", NOW), NOW + 5000 + LEAD);
  assert.equal(latestEnd(core, lease({ seq: 50 }), "b", NOW), NOW + LEAD);
});

test("a lease without an end is told once the peer has acknowledged it", () => {
  const endless = lease({ promise: FOREVER, end: NOW + LEAD });
  assert.equal(latestEnd(nodeWith(), { ...endless, seq: 60 }, "a", NOW), NOW + LEAD);
  assert.equal(latestEnd(nodeWith(), { ...endless, seq: 50 }, "a", NOW), FOREVER);
});

test("after a start or a pause the lead counts from the last contact", () => {
  const contactAt = NOW - 600;
  const contact = { contactAt, certainContactAt: contactAt };
  const started = nodeWith({}, { ...contact, state: "startup", resumedAt: NOW - 100 });
  assert.equal(latestEnd(started, undefined, "a", NOW), contactAt + LEAD);
  const paused = nodeWith({}, { ...contact, resumedAt: NOW - 900, aliveAt: NOW - 500 });
  assert.equal(latestEnd(paused, undefined, "a", NOW), contactAt + LEAD);
});

test("a node that handed everything over tells nobody anything before there is contact", () => {
  assert.equal(latestEnd(nodeWith({ handedOver: true }), lease({ seq: 50 }), "a", NOW), 0);
});

test("what the peer lost is not known to it", () => {
  assert.equal(latestEnd(nodeWith({ eraSeq: 50 }), lease({ seq: 50 }), "a", NOW), NOW + LEAD);
  assert.equal(latestEnd(nodeWith({ eraSeq: 50 }), lease({ seq: 0 }), "a", NOW), NOW + LEAD);
});

test("an ended lease leaves its address to others when the peer has acknowledged it, or has never heard of it", () => {
  const ended = lease({ state: STATE.expired, known: 0 });
  assert.equal(mayReuse(nodeWith(), { ...ended, seq: 60 }, NOW), false);
  assert.equal(mayReuse(nodeWith(), { ...ended, seq: 50 }, NOW), true);
  assert.equal(mayReuse(nodeWith({ sentSeq: 59 }), { ...ended, known: null }, NOW), true);
  assert.equal(mayReuse(nodeWith({ sentSeq: 60 }), { ...ended, known: null }, NOW), false);
  assert.equal(mayReuse(nodeWith(), lease(), NOW), false);
});

test("after a takeover a lease is waited for as long as the peer may have told its client", () => {
  const takeover = { at: NOW - 50, clean: false };
  const core = nodeWith({ takeover }, { state: "partner_down" });
  assert.equal(awaitedUntil(core, lease({ promise: 0 })), NOW - 50 + LEAD + 10);
  assert.equal(awaitedUntil(core, lease()), NOW + 5000 + LEAD + 10);
  assert.equal(awaitedUntil(nodeWith({ takeover: { ...takeover, clean: true } }), lease()), 0);
});

test("only its owner binds an address to a client that does not hold it", () => {
  const ownership = give(ownedBy("primary"), {
    first: 8,
    last: 9,
    owner: "secondary",
    usableFrom: 0,
    seq: 0,
  });
  const core = nodeWith({ ownership });
  assert.equal(mayBind(core, ledgerOf(), 7, "a", NOW), "yes");
  assert.equal(mayBind(core, ledgerOf(), 8, "a", NOW), "no");
});

test("until the peer acknowledges its end, an address is its last client's alone", () => {
  const ledger = ledgerOf(lease({ state: STATE.released, known: 0 }));
  assert.equal(mayBind(nodeWith(), ledger, 1, "a", NOW), "yes");
  assert.equal(mayBind(nodeWith(), ledger, 1, "b", NOW), "no");
});

test("what was gained by a takeover is given after the wait, and probed", () => {
  const ownership = { holder: "primary", usableFrom: NOW + 10, ranges: [] } as const;
  const core = nodeWith({ ownership, takeover: { at: NOW - 1800, clean: false } }, { state: "partner_down" });
  assert.equal(mayBind(core, ledgerOf(), 7, "a", NOW), "no");
  assert.equal(mayBind(core, ledgerOf(), 7, "a", NOW + 10), "probe");
});

test("a reserved address is bound to its client by either node, unless the peer may see it otherwise", () => {
  const foreign = { ownership: ownedBy("secondary") };
  assert.equal(mayBind(nodeWith(foreign), ledgerOf(), 5, "door", NOW), "yes");
  assert.equal(mayBind(nodeWith(foreign), ledgerOf(), 5, "a", NOW), "no");
  const agreed = { agreed: OTHER_PLAN, prepared: [] };
  assert.equal(mayBind(nodeWith({ plan: agreed }), ledgerOf(), 5, "door", NOW), "no");
  assert.equal(mayBind(nodeWith({ plan: agreed }), ledgerOf(), 6, "a", NOW), "yes");
  const prepared = { agreed: PLAN, prepared: [OTHER_PLAN] };
  assert.equal(mayBind(nodeWith({ plan: prepared }), ledgerOf(), 5, "door", NOW), "no");
});

test("before the first agreement only the holder gives addresses", () => {
  const plan = { agreed: null, prepared: [] };
  assert.equal(mayBind(nodeWith({ plan }), ledgerOf(), 6, "a", NOW), "yes");
  const lent = give(ownedBy("secondary"), { first: 6, last: 6, owner: "primary", usableFrom: 0, seq: 0 });
  assert.equal(mayBind(nodeWith({ plan, ownership: lent }), ledgerOf(), 6, "a", NOW), "no");
});

test("in normal one node answers: the one that is named, the owner, or half of the clients each", () => {
  const asked = { isRenewal: false, names: undefined, hash: 2, owner: undefined, isInsistent: false };
  const core = nodeWith();
  assert.equal(answers(core, asked, NOW), true);
  assert.equal(answers(core, { ...asked, hash: 3 }, NOW), false);
  assert.equal(answers(core, { ...asked, hash: 3, owner: "own" }, NOW), true);
  assert.equal(answers(core, { ...asked, owner: "peer" }, NOW), false);
  assert.equal(answers(core, { ...asked, names: "other" }, NOW), false);
  assert.equal(answers(core, { ...asked, hash: 3, isInsistent: true }, NOW), true);
  const standby = { ...core, settings: { ...SETTINGS, mode: "hot-standby", role: "secondary" } as const };
  assert.equal(answers(standby, asked, NOW), false);
  assert.equal(answers({ ...standby, state: "interrupted" }, asked, NOW), true);
});

test("a node that was started answers nobody for ten seconds, one that recovers nobody at all", () => {
  const asked = { isRenewal: true, names: undefined, hash: 2, owner: undefined, isInsistent: true };
  const started = nodeWith({}, { state: "startup", resumedAt: NOW - 9 });
  assert.equal(answers(started, asked, NOW), false);
  assert.equal(answers(started, asked, NOW + 1), true);
  assert.equal(answers(nodeWith({}, { state: "recover" }), asked, NOW), false);
});

test("a node knows of all renewals once it has all that the peer's last beat speaks of, by clocks that agree", () => {
  const link = (lastSeq: number) => ({ peerBeat: { ...BEAT, lastSeq } }) as unknown as Core["link"];
  const hears = (applied: number, change: Partial<Core>) =>
    hearsRenewals(nodeWith({ appliedSeq: applied }, change), lease(), NOW);
  assert.equal(hears(7, { link: link(7) }), true);
  assert.equal(hears(6, { link: link(7) }), false, "a change still waits");
  assert.equal(hears(7, { link: null }), false);
  assert.equal(hears(7, { link: link(7), clockDifference: 11 }), false);
  assert.equal(hears(7, { link: link(7), state: "interrupted" }), false);
});

test("alone, a node refuses only its own addresses", () => {
  const ownership = give(ownedBy("primary"), {
    first: 8,
    last: 9,
    owner: "secondary",
    usableFrom: 0,
    seq: 0,
  });
  assert.equal(mayNak(nodeWith({ ownership }), 8), true);
  assert.equal(mayNak(nodeWith({ ownership }, { state: "interrupted" }), 8), false);
  assert.equal(mayNak(nodeWith({ ownership }, { state: "interrupted" }), 7), true);
});

test("an address is given back only to the node that told the client last, and not by a message that waited", () => {
  assert.equal(mayGiveBack(nodeWith(), lease(), "a", NOW), true);
  assert.equal(mayGiveBack(nodeWith(), lease({ server: "secondary" }), "a", NOW), false);
  assert.equal(mayGiveBack(nodeWith(), lease(), "b", NOW), false);
  assert.equal(mayGiveBack(nodeWith({}, { delayedAt: NOW }), lease(), "a", NOW), false);
});
