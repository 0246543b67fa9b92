import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { parseIpv4 } from "@frontdesk/lease-options/address";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createConflictRetry } from "../../src/ddns/conflict-retry.ts";
import { dhcidOf, ownerOf, ownerOfDuid } from "../../src/ddns/dhcid.ts";
import type { Outcome } from "../../src/ddns/name-updates.ts";
import { EMPTY_RECORD } from "../../src/dhcp4/lease-details.ts";
import { EMPTY_RECORD6 } from "../../src/dhcp6/lease-details.ts";
import { newDurable } from "../../src/ha/core-state.ts";
import type { Row } from "../../src/ha/row.ts";
import { STATE, type State } from "../../src/leases/binding.ts";
import type { NameResult } from "../../src/leases/dns-name.ts";
import type { LeaseRecord } from "../../src/leases/lease-record.ts";
import type { Lease6Record } from "../../src/leases/lease6-record.ts";
import type { PairWrite } from "../../src/loop/lease-store.ts";
import { NameReader } from "../../src/store/name-reader.ts";
import { CLIENT, ip6, octets } from "../desk6.ts";
import { type Asked, ddnsOf, nameDesk, SUBNETS } from "../name-desk.ts";

const ADDRESS6 = ip6("fd77::9");
const ADDRESS = parseIpv4("10.0.0.1") as number;

/** The client of `received`. */
const MAC = Uint8Array.of(2, 0, 0, 0, 0, 1);

/** A lease as the peer sends it. */
function received(state: State): PairWrite {
  const lease = { ip: ADDRESS, state, until: 5000, htype: 1, mac: Uint8Array.of(2, 0, 0, 0, 0, 1) };
  const record = { ...EMPTY_RECORD, ...lease, hostname: "anna" };
  const row: Row = {
    address: ADDRESS,
    client: "0001020000000001",
    state,
    server: "primary",
    end: 5000,
    promise: 6000,
    known: 0,
    seq: 0,
    base: 0,
    details: new Uint8Array(0),
  };
  return { row, client: null, record };
}

/** The same of another address, or with more that is known of it. */
function receivedAs(state: State, more: Partial<LeaseRecord>): PairWrite {
  const { row, record, client } = received(state);
  const lease = { ...(record as LeaseRecord), ...more };
  return { row: { ...row, address: lease.ip }, client, record: lease };
}

/** The same device's lease of DHCPv6, whose relay tells its hardware address. */
function received6(): PairWrite {
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 1);
  const lease = {
    address: ADDRESS6,
    length: 128,
    state: STATE.bound,
    until: 5000,
    duid: octets(CLIENT),
    mac,
  };
  const { row } = received(STATE.bound);
  return {
    row: { ...row, address: ADDRESS6 },
    client: null,
    record: { ...EMPTY_RECORD6, ...lease, hostname: "anna" },
  };
}

const pairOf = (...writes: PairWrite[]) => ({ pair: { durable: undefined, writes, clears: false } });
/** This node takes over. */
const takeover = () => {
  const durable = { ...newDurable("store", 1800), state: "partner_down" as const };
  return { pair: { durable, writes: [], clears: false } };
};
const SUFFIX = ddnsOf({ more: 'collision = "suffix"' });
/** Another device has the name without a suffix. */
const ofAnother = ({ what }: { what: string }): Outcome => {
  if (what === "add anna.a.example" || what === "owns anna.a.example") return { kind: "conflict" };
  return what === "remove anna.a.example" ? { kind: "done", isGone: true } : { kind: "done" };
};
const whats = (asked: ReadonlyArray<{ what: string }>) => asked.map(({ what }) => what).sort();

test("the name of a lease that the peer gave is not brought to DNS a second time", async (t) => {
  const { commit, bring, use, asked, row } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  await bring();
  use(ddnsOf());
  await bring();
  assert.deepEqual(asked, []);
  assert.equal(row("10.0.0.1")?.kept, "anna.a.example");
});

test("a device whose two families are joined is one owner at the node that did not bring its names, too", (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const { commit } = nameDesk(t, ddnsOf(), path);
  commit(pairOf(received(STATE.bound)));
  commit(pairOf(received6()));
  const names = new NameReader(path);
  const [v4, v6] = ["10.0.0.1", "fd77::9"].map((address) => names.find(address, "forward"));
  names.close();
  assert.equal(v6?.kept, "anna.a.example");
  assert.deepEqual([v6.owner, v6.keptDhcid], [v4?.owner, v4?.keptDhcid]);
});

/** The other node met DHCPv6 first, and has brought the name of both families as that one's. */
const asOfDuid = (name: string) => asOf(ownerOfDuid(octets(CLIENT)), name);
const asOf = (owner: Uint8Array, name: string) => {
  const there = Buffer.from(dhcidOf(owner, name));
  return ({ what, dhcid }: Asked): Outcome => {
    if (!what.endsWith(` ${name}`)) return { kind: what.startsWith("owns") ? "conflict" : "done" };
    if (!dhcid || there.equals(dhcid)) return { kind: "done" };
    return what.startsWith("remove") ? { kind: "done", isGone: true } : { kind: "conflict" };
  };
};

test("so it is where the peer met its families in another order: after a takeover its names stay, and leave with their leases", async (t) => {
  for (const name of ["anna.a.example", "anna-2.a.example"]) {
    const { commit, bring, reconcile, answers, asked, row, rows, end } = nameDesk(t, SUFFIX);
    const isThere = asOfDuid(name);
    answers((each) =>
      each.what === "add anna.a.example" && name !== "anna.a.example" ? ofAnother(each) : isThere(each),
    );
    commit(pairOf(received(STATE.bound)));
    commit(pairOf(received6()));
    commit(takeover());
    reconcile();
    await bring();
    assert.deepEqual([row("10.0.0.1")?.kept, row("fd77::9")?.kept], [name, name]);
    asked.length = 0;
    end("10.0.0.1");
    commit({ writes6: [{ kind: "mark", address: ADDRESS6, state: STATE.expired, until: 0, told: 0 }] });
    await bring();
    const removed = asked.filter(({ what }) => what === `remove ${name}`);
    assert.deepEqual(
      removed.map(({ dhcid }) => dhcid && Buffer.from(dhcid)),
      Array(2).fill(Buffer.from(dhcidOf(ownerOfDuid(octets(CLIENT)), name))),
    );
    assert.deepEqual(rows(), []);
  }
});

test("names of both families leave with their leases by whichever identity the peer had brought them", async (t) => {
  const ended = ({ row, client, record }: PairWrite): PairWrite => {
    const state = STATE.expired;
    return { row: { ...row, state }, client, record: { ...record, state } as LeaseRecord };
  };
  const [of4, of6] = [received(STATE.bound), received6()];
  for (const owner of [
    ownerOf({ htype: 1, mac: MAC, clientId: null }),
    ownerOf({ htype: 1, mac: MAC, clientId: Uint8Array.of(1, ...MAC) }),
    ownerOfDuid(octets(CLIENT)),
  ])
    for (const isTakeover of [true, false]) {
      const { commit, bring, reconcile, answers, asked, rows, end } = nameDesk(t);
      answers(asOf(owner, "anna.a.example"));
      commit(pairOf(of4, of6));
      if (isTakeover) {
        commit(pairOf(ended(of4), ended(of6)));
        commit(takeover());
      } else {
        commit({ writes6: [{ kind: "mark", address: ADDRESS6, state: STATE.expired, until: 0, told: 0 }] });
        await bring();
        end("10.0.0.1");
      }
      reconcile();
      await bring();
      const there = Buffer.from(dhcidOf(owner, "anna.a.example"));
      const removed = asked.filter(({ what }) => what === "remove anna.a.example");
      assert.equal(removed.filter(({ dhcid }) => dhcid && there.equals(dhcid)).length, 2);
      assert.ok(whats(asked).includes("remove reverse anna.a.example"));
      assert.deepEqual(rows(), []);
    }
});

test("a name of both families that each node gave as its own at the same moment is one device's", async (t) => {
  const { commit, bring, answers, row } = nameDesk(t);
  answers(asOfDuid("anna.a.example"));
  commit({ writes: [{ kind: "put", lease: received(STATE.bound).record as LeaseRecord, keepRelay: false }] });
  commit(pairOf(received6()));
  await bring();
  assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "anna.a.example"]);
});

test("a name of another device with both families is left alone", async (t) => {
  const { commit, bring, answers, row } = nameDesk(t);
  answers(({ what }) => ({ kind: /^(add|owns) anna/.test(what) ? "conflict" : "done" }));
  commit({ writes: [{ kind: "put", lease: received(STATE.bound).record as LeaseRecord, keepRelay: false }] });
  commit(pairOf(received6()));
  await bring();
  assert.equal(row("10.0.0.1")?.state, "conflict");
});

test("the node that ends a lease removes its name, though the peer had brought it", async (t) => {
  const { commit, bring, end, asked } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  end("10.0.0.1");
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
});

test("a name that goes back to an older lease when the peer ends the newer one is brought from here, too", async (t) => {
  const { commit, bring, asked, row } = nameDesk(t);
  const newer = { ip: ADDRESS + 1, seen: 200 };
  commit(pairOf(received(STATE.bound)));
  commit(pairOf(receivedAs(STATE.bound, newer)));
  await bring();
  assert.deepEqual([row("10.0.0.1")?.wanted ?? null, row("10.0.0.2")?.kept], [null, "anna.a.example"]);
  asked.length = 0;
  commit(pairOf(receivedAs(STATE.expired, newer)));
  await bring();
  assert.deepEqual([row("10.0.0.1")?.kept, row("10.0.0.2")], ["anna.a.example", undefined]);
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
});

test("a name that was given by hand at the peer is brought from here, too, since each may know leases that the other did not", async (t) => {
  const { store, commit, bring, end, asked } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  commit({ notes: [{ mac: MAC, note: null, dnsName: "printer1", changed: 1 }] });
  store.adoptNames([{ mac: MAC, address: ADDRESS }]);
  await bring();
  assert.deepEqual(whats(asked), [
    "add printer1.a.example",
    "add reverse printer1.a.example",
    "remove anna.a.example",
  ]);
  asked.length = 0;
  end("10.0.0.1");
  await bring();
  assert.deepEqual(whats(asked), ["remove printer1.a.example", "remove reverse printer1.a.example"]);
});

test("a reserved address keeps its name when the peer ends the lease, whoever brought it", async (t) => {
  const ip = parseIpv4("10.9.9.9") as number;
  for (const isPeers of [true, false]) {
    const { commit, lease, bring, asked, row } = nameDesk(
      t,
      ddnsOf({ more: "keep_for_reservations = true" }),
    );
    if (isPeers) commit(pairOf(receivedAs(STATE.bound, { ip })));
    else lease({ at: "10.9.9.9", hostname: "anna", mac: MAC });
    await bring();
    asked.length = 0;
    commit(pairOf(receivedAs(STATE.expired, { ip })));
    await bring();
    assert.deepEqual([asked, row("10.9.9.9")?.kept], [[], "anna.a.example"]);
  }
});

test("so does one of DHCPv6", async (t) => {
  const { commit, bring, asked, row } = nameDesk(t, ddnsOf({ more: "keep_for_reservations = true" }));
  const address = ip6("fd77::50");
  const { row: each, record, client } = received6();
  for (const state of [STATE.bound, STATE.expired]) {
    const lease = { ...(record as Lease6Record), address, state };
    commit(pairOf({ row: { ...each, address, state }, client, record: lease }));
  }
  await bring();
  assert.deepEqual([asked, row("fd77::50")?.kept], [[], "door.a.example"]);
});

test("a name is the peer's to remove when the peer has brought it and has ended the lease", async (t) => {
  const { commit, bring, asked, rows } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual([asked, rows()], [[], []]);
});

test("a name that this node has brought is removed from here too when the peer has ended the lease", async (t) => {
  const { commit, lease, bring, asked, rows } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" });
  await bring();
  asked.length = 0;
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("what a batch decides of a lease that came in the same batch stands over what came", async (t) => {
  const { store, commit, bring, asked } = nameDesk(t);
  const came = received(STATE.bound);
  const renamed = { ...EMPTY_RECORD, ...(came.record as object), hostname: "bert" };
  commit({ ...pairOf(came), writes: [{ kind: "put", lease: renamed, keepRelay: false }] });
  await bring();
  assert.equal(store.find(ADDRESS)?.hostname, "bert");
  assert.ok(whats(asked).includes("add bert.a.example"));
});

test("a node that takes over brings the names of the other's leases, which may have been on their way there", async (t) => {
  const { commit, bring, use, reconcile, asked, row } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  commit(takeover());
  reconcile();
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
  assert.equal(row("10.0.0.1")?.state, "kept");
  use(ddnsOf());
  await bring();
  assert.equal(asked.length, 2, "once");
});

test("so it does with those that it brought itself, which the other may have removed without telling it", async (t) => {
  const { commit, lease, bring, use, reconcile, asked } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" });
  await bring();
  asked.length = 0;
  commit(takeover());
  reconcile();
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
  use(ddnsOf());
  await bring();
  assert.equal(asked.length, 2, "once");
});

test("a takeover that was cut short by a kill goes on with the names", async (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const { commit, store } = nameDesk(t, ddnsOf(), path);
  commit(pairOf(received(STATE.bound)));
  commit(takeover());
  store.close();
  store.close = () => {};
  const { bring, reconcile, asked } = nameDesk(t, ddnsOf(), path);
  reconcile();
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
});

test("a node that takes over removes names of leases that the other had ended, which may still be there", async (t) => {
  for (const [ddns, found] of [
    [ddnsOf(), "anna.a.example"],
    [SUFFIX, "anna-2.a.example"],
  ] as const) {
    const { commit, bring, reconcile, answers, asked, rows } = nameDesk(t, ddns);
    if (found !== "anna.a.example") answers(ofAnother);
    commit(pairOf(received(STATE.bound), received6()));
    const { row, record, client } = received6();
    const ended6 = { ...(record as Lease6Record), state: STATE.released };
    commit(
      pairOf(received(STATE.expired), { row: { ...row, state: STATE.released }, client, record: ended6 }),
    );
    assert.deepEqual(rows(), []);
    commit(takeover());
    reconcile();
    reconcile();
    await bring();
    const removed = asked.map(({ what }) => what).filter((what) => what.endsWith(` ${found}`));
    assert.deepEqual(removed, [`remove ${found}`, `remove ${found}`, `remove reverse ${found}`]);
    assert.deepEqual(rows(), []);
  }
});

test("of such a lease that the lost one had given anew before, the name is there again once that is back", async (t) => {
  for (const write of [received, () => received6()]) {
    const { commit, bring, reconcile, asked } = nameDesk(t);
    const { row, client, record } = write(STATE.expired);
    const state = STATE.expired;
    const ended = { ...record, state } as LeaseRecord;
    commit(pairOf({ row: { ...row, state }, client, record: ended }));
    commit(takeover());
    reconcile();
    await bring();
    asked.length = 0;
    commit(pairOf(write(STATE.bound)));
    await bring();
    assert.equal(asked[0]?.what, "add anna.a.example");
  }
});

test("of such a name that is not there any more, the way back stays: it may be of a device that was set up by hand", async (t) => {
  const { commit, bring, use, pass, reconcile, answers, asked, rows } = nameDesk(t);
  commit(pairOf(received(STATE.expired)));
  commit(takeover());
  answers(() => ({ kind: "later", error: "SERVFAIL", isSilent: false }));
  reconcile();
  await bring();
  use(ddnsOf());
  answers(() => ({ kind: "done", isGone: true }));
  pass(600_000);
  await bring();
  assert.deepEqual([...new Set(whats(asked))], ["remove anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("where no zone has such a name, nothing is kept of it", (t) => {
  const { commit, use, reconcile, rows } = nameDesk(t);
  use(ddnsOf(), SUBNETS.replace(`0/8"`, '0/8"\nddns_domain = "elsewhere.example"'));
  commit(pairOf(received(STATE.expired)));
  commit(takeover());
  reconcile();
  assert.deepEqual(rows(), []);
});

test("it leaves names alone of leases that it had ended itself, and of reserved addresses that keep theirs", async (t) => {
  const { commit, bring, reconcile, asked } = await endedDesk(t);
  commit(takeover());
  reconcile();
  await bring();
  assert.deepEqual(asked, []);
  const at = nameDesk(t, ddnsOf({ more: "keep_for_reservations = true" }));
  const ip = parseIpv4("10.9.9.9") as number;
  for (const state of [STATE.bound, STATE.expired]) at.commit(pairOf(receivedAs(state, { ip })));
  at.commit(takeover());
  at.reconcile();
  await at.bring();
  assert.deepEqual(whats(at.asked), ADDED);
});

test("an address with such a name that is given to another client gets that one's", async (t) => {
  const { commit, lease, bring, reconcile, asked, row } = nameDesk(t);
  commit(pairOf(received(STATE.expired)));
  commit(takeover());
  reconcile();
  lease({ at: "10.0.0.1", hostname: "bert" });
  await bring();
  const forward = asked.map(({ what }) => what).filter((what) => !what.includes("reverse"));
  assert.deepEqual(forward, ["remove anna.a.example", "add bert.a.example"]);
  assert.deepEqual(
    [row("10.0.0.1")?.kept, row("10.0.0.1", "reverse")?.kept],
    Array(2).fill("bert.a.example"),
  );
});

test("a takeover whose names were all brought again is not begun anew by a restart while the other is lost", async (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const open = () => nameDesk(t, ddnsOf(), path);
  const close = ({ store }: ReturnType<typeof nameDesk>) => {
    store.close();
    store.close = () => {};
  };
  const desk = open();
  const other = receivedAs(STATE.expired, { ip: parseIpv4("10.0.0.2") as number });
  desk.commit(pairOf(received(STATE.bound), other));
  desk.commit(takeover());
  desk.reconcile();
  await desk.bring();
  close(desk);
  const again = open();
  again.reconcile();
  // The state is written again soon after each start.
  again.commit(takeover());
  again.reconcile();
  await again.bring();
  assert.deepEqual(again.asked, []);
  close(again);
  // One that took over before that was kept.
  const database = new DatabaseSync(path);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  database.exec(`PRAGMA user_version = ${version - 1}`);
  database.close();
  const newer = open();
  newer.reconcile();
  await newer.bring();
  assert.ok(whats(newer.asked).includes("add anna.a.example"));
});

test("so it does where the other was replaced and both were together again before the kill", async (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const { commit, store } = nameDesk(t, ddnsOf(), path);
  commit(pairOf(received(STATE.bound)));
  commit(takeover());
  commit({ pair: { durable: { ...newDurable("store", 1800), state: "normal" }, writes: [], clears: false } });
  store.close();
  store.close = () => {};
  const { bring, reconcile, asked, store: again } = nameDesk(t, ddnsOf(), path);
  reconcile();
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
  again.close();
  again.close = () => {};
  const last = nameDesk(t, ddnsOf(), path);
  last.reconcile();
  await last.bring();
  assert.deepEqual(last.asked, [], "once");
});

test("a node that leaves the pair for good brings the names of the other's leases", async (t) => {
  const { store, commit, bring, reconcile, asked } = nameDesk(t);
  commit({
    pair: { durable: newDurable("store", 1800), writes: [received(STATE.bound)], clears: false },
  });
  store.leavePair();
  reconcile();
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
  store.leavePair();
  reconcile();
  await bring();
  assert.equal(asked.length, 2, "once");
});

test("so it does by the suffix that the other had found for them", async (t) => {
  const { store, commit, bring, reconcile, answers, asked, row } = nameDesk(t, SUFFIX);
  commit({
    pair: { durable: newDurable("store", 1800), writes: [received(STATE.bound)], clears: false },
  });
  store.leavePair();
  answers(({ what }) => ({ kind: /^owns anna(?!-2)/.test(what) ? "conflict" : "done" }));
  reconcile();
  await bring();
  assert.deepEqual(
    whats(asked).filter((what) => what.startsWith("add")),
    ["add anna-2.a.example", "add reverse anna-2.a.example"],
  );
  assert.equal(row("10.0.0.1")?.kept, "anna-2.a.example");
});

test("names of a takeover do not hold up those of new clients", async (t) => {
  const { commit, lease, bring, reconcile, asked } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  commit(takeover());
  reconcile();
  lease({ at: "10.0.0.2", hostname: "bert" });
  await bring();
  const forward = asked.map(({ what }) => what).filter((what) => !what.includes("reverse"));
  assert.deepEqual(forward, ["add bert.a.example", "add anna.a.example"]);
});

test("after a takeover the suffix is known by which the other brought a name", async (t) => {
  const { commit, bring, reconcile, answers, asked, row } = nameDesk(t, SUFFIX);
  answers(ofAnother);
  commit(pairOf(received(STATE.bound)));
  commit(takeover());
  reconcile();
  await bring();
  assert.equal(row("10.0.0.1")?.kept, "anna-2.a.example");
  assert.deepEqual(whats(asked), [
    "add anna-2.a.example",
    "add reverse anna-2.a.example",
    "owns anna-2.a.example",
    "owns anna.a.example",
  ]);
});

test("a name that both nodes bring is one name: by the suffix that one has found, though those before it are free by now", async (t) => {
  const { lease, senderWith, answers, asked, row } = nameDesk(t, SUFFIX);
  const { round } = senderWith({ isPaired: true });
  answers(({ what }) => ({ kind: /^owns (?!anna-3)/.test(what) ? "conflict" : "done" }));
  lease({ at: "10.0.0.1", hostname: "anna" });
  while ((await round()) > 0);
  const names = ["owns anna", "owns anna-2", "owns anna-3", "add anna-3", "add reverse anna-3"];
  assert.deepEqual(
    asked.map(({ what }) => what),
    names.map((name) => `${name}.a.example`),
  );
  assert.equal(row("10.0.0.1")?.kept, "anna-3.a.example");
});

test("a name that has left DNS is brought by the first that is free, also by the node that once had it by a suffix: the other does the same", async (t) => {
  const { lease, senderWith, commit, reconcile, answers, asked, row } = nameDesk(t, SUFFIX);
  const { round } = senderWith({ isPaired: true });
  const without =
    (name: string) =>
    ({ what }: Asked) =>
      ({ kind: what.startsWith("owns") || what === `add ${name}` ? "conflict" : "done" }) as const;
  answers(without("anna.a.example"));
  lease({ at: "10.0.0.1", hostname: "anna" });
  while ((await round()) > 0);
  assert.equal(row("10.0.0.1")?.kept, "anna-2.a.example");
  answers(without("none"));
  commit(takeover());
  reconcile();
  asked.length = 0;
  while ((await round()) > 0);
  assert.equal(
    whats(asked).find((what) => what.startsWith("add")),
    "add anna.a.example",
  );
  assert.equal(row("10.0.0.1", "reverse")?.kept, "anna.a.example");
});

test("a name whose suffix cannot be asked for is brought later, and by none until then", async (t) => {
  const { lease, senderWith, pass, answers, asked, row } = nameDesk(t, SUFFIX);
  const { round } = senderWith({ isPaired: true });
  answers(() => ({ kind: "later", error: "the server does not answer", isSilent: true }));
  lease({ at: "10.0.0.1", hostname: "anna" });
  await round();
  assert.deepEqual(whats(asked), ["owns anna.a.example"]);
  answers(({ what }) => ({ kind: what.startsWith("owns") ? "conflict" : "done" }));
  pass(600_000);
  await round();
  assert.equal(row("10.0.0.1")?.kept, "anna.a.example");
});

test("the node that ends a lease removes its name by whichever suffix the other brought it", async (t) => {
  const { commit, bring, end, answers, asked, rows } = nameDesk(t, SUFFIX);
  answers(ofAnother);
  commit(pairOf(received(STATE.bound)));
  end("10.0.0.1");
  await bring();
  const removed = whats(asked);
  assert.deepEqual(removed.slice(0, 2), ["remove anna-2.a.example", "remove anna.a.example"]);
  assert.match(
    removed[2] ?? "",
    /^remove reverse anna\.a\.example, anna-2\.a\.example, .*anna-9\.a\.example$/,
  );
  assert.deepEqual([removed.length, rows()], [3, []]);
});

test("so it does where the address has another client by then", async (t) => {
  const { commit, lease, bring, answers, asked, row } = nameDesk(t, SUFFIX);
  answers(ofAnother);
  commit(pairOf(received(STATE.bound)));
  lease({ at: "10.0.0.1", hostname: "bert" });
  await bring();
  const forward = asked.map(({ what }) => what).filter((what) => !what.includes("reverse"));
  assert.deepEqual(forward, ["remove anna.a.example", "remove anna-2.a.example", "add bert.a.example"]);
  assert.equal(row("10.0.0.1", "reverse")?.kept, "bert.a.example");
});

test("a name that is on its way from here goes on when the other renews the lease", async (t) => {
  const { commit, bring, pass, answers, asked, row } = nameDesk(t);
  const { record } = received(STATE.bound);
  commit({ writes: [{ kind: "put", lease: record as LeaseRecord, keepRelay: false }] });
  answers(() => ({ kind: "later", error: "SERVFAIL", isSilent: false }));
  await bring();
  commit(pairOf(received(STATE.bound)));
  answers(() => ({ kind: "done" }));
  asked.length = 0;
  pass(600_000);
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
  assert.equal(row("10.0.0.1")?.state, "kept");
});

test("the address that a client has left for one of the other node loses its name at once", async (t) => {
  const { commit, lease, bring, asked, rows } = nameDesk(t);
  const came = received(STATE.bound);
  const record = came.record as LeaseRecord;
  lease({ at: "10.0.0.2", hostname: "anna", mac: record.mac, seen: 100 });
  await bring();
  asked.length = 0;
  commit(pairOf({ ...came, record: { ...record, seen: 200 } }));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  assert.deepEqual([...new Set(rows().map(({ address }) => address))], ["10.0.0.1"]);
});

/** A lease of this node has ended, and its name could not be removed yet. */
async function leavingDesk(t: TestContext, record: Partial<LeaseRecord>) {
  const at = nameDesk(t);
  at.lease({ at: "10.0.0.1", ...record });
  await at.bring();
  at.answers(() => ({ kind: "later", error: "SERVFAIL", isSilent: false }));
  at.end("10.0.0.1");
  await at.bring();
  at.answers(() => ({ kind: "done" }));
  at.asked.length = 0;
  at.pass(600_000);
  return at;
}

test("a name that is leaving goes on leaving when the other tells that its lease has ended", async (t) => {
  const { commit, bring, asked, rows } = await leavingDesk(t, { hostname: "anna" });
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("so it does when the other gives the address to another client, whose name is brought from here, too", async (t) => {
  const { commit, bring, asked, rows } = await leavingDesk(t, { hostname: "bert" });
  commit(pairOf(received(STATE.bound)));
  await bring();
  assert.deepEqual(whats(asked), [
    "add anna.a.example",
    "add reverse anna.a.example",
    "remove bert.a.example",
    "remove reverse bert.a.example",
  ]);
  assert.deepEqual(
    rows().map(({ kept }) => kept),
    ["anna.a.example", "anna.a.example"],
  );
});

test("a name that is leaving is brought again when the other gives the address to its client again", async (t) => {
  const { commit, bring, asked, row } = await leavingDesk(t, { hostname: "anna", mac: MAC });
  commit(pairOf(received(STATE.bound)));
  await bring();
  assert.ok(whats(asked).includes("add anna.a.example"), "its removal may have come to DNS");
  assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "anna.a.example"]);
});

test("so it leaves from here when the other ends that lease before anything was sent", async (t) => {
  const { commit, bring, asked, rows } = await leavingDesk(t, { hostname: "anna", mac: MAC });
  commit(pairOf(received(STATE.bound)));
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  assert.deepEqual(rows(), []);
});

/** A name is in DNS that was to be replaced by another from here, while the server did not answer. */
async function renamedDesk(t: TestContext) {
  const at = nameDesk(t);
  at.lease({ at: "10.0.0.1", hostname: "anna", mac: MAC });
  await at.bring();
  at.lease({ at: "10.0.0.1", hostname: "bert", mac: MAC });
  at.asked.length = 0;
  return at;
}

test("a name that this node has not yet replaced is removed when the other ends the lease", async (t) => {
  const { commit, bring, asked, rows } = await renamedDesk(t);
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("so it is when the other gives the lease a third name", async (t) => {
  const { commit, bring, asked, row } = await renamedDesk(t);
  commit(pairOf(receivedAs(STATE.bound, { hostname: "carl" })));
  await bring();
  assert.ok(whats(asked).includes("remove anna.a.example"));
  assert.ok(whats(asked).includes("remove reverse anna.a.example"));
  assert.equal(row("10.0.0.1")?.kept, "carl.a.example");
});

test("a name that comes back to an address before this node has removed it is sent again: the other may have removed it", async (t) => {
  const { commit, lease, end, bring, asked, row } = nameDesk(t);
  const came = received(STATE.bound);
  const record = came.record as LeaseRecord;
  lease({ at: "10.0.0.2", hostname: "anna", mac: MAC, seen: 100 });
  await bring();
  asked.length = 0;
  commit(pairOf({ ...came, record: { ...record, hostname: "bert", seen: 200 } }));
  end("10.0.0.1");
  await bring();
  assert.ok(whats(asked).includes("add anna.a.example"));
  assert.deepEqual([row("10.0.0.2")?.kept, row("10.0.0.1")], ["anna.a.example", undefined]);
});

test("a removal that was on its way when the other gave the lease its name again: the name is brought again", async (t) => {
  const { commit, lease, bring, answers, asked, row } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna", mac: MAC });
  await bring();
  const came = received(STATE.bound);
  const carl = { ...came, record: { ...(came.record as LeaseRecord), hostname: "carl" } };
  answers(({ what }) => {
    if (what === "remove anna.a.example") commit(pairOf(came));
    return { kind: "done" };
  });
  commit(pairOf(carl));
  asked.length = 0;
  await bring();
  assert.deepEqual(
    whats(asked).filter((what) => !what.includes("reverse")),
    ["add anna.a.example", "remove anna.a.example"],
  );
  assert.equal(row("10.0.0.1")?.kept, "anna.a.example");
});

/** This node ends a lease, and has told the other so. */
const endedHere = () => ({
  writes: [{ kind: "mark", ip: ADDRESS, state: STATE.expired, until: 0, told: 0 } as const],
  ...pairOf({ row: { ...received(STATE.expired).row, seq: 7 }, client: null, record: undefined }),
});

/** The other has given a lease, and this node has ended it and has removed its name. */
async function endedDesk(t: TestContext) {
  const at = nameDesk(t);
  at.commit(pairOf(received(STATE.bound)));
  at.commit(endedHere());
  await at.bring();
  assert.deepEqual(whats(at.asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  at.asked.length = 0;
  return at;
}
const ADDED = ["add anna.a.example", "add reverse anna.a.example"];

test("the name of a lease that this node has ended is brought again when the lease goes on at the other", async (t) => {
  const { commit, bring, asked, row } = await endedDesk(t);
  commit(pairOf(received(STATE.bound)));
  await bring();
  assert.deepEqual([whats(asked), row("10.0.0.1")?.kept], [ADDED, "anna.a.example"]);
});

test("so it is where the other tells the new end of the lease and nothing else of it", async (t) => {
  const { commit, bring, asked, row } = await endedDesk(t);
  commit(pairOf({ ...received(STATE.bound), record: undefined }));
  await bring();
  assert.deepEqual([whats(asked), row("10.0.0.1")?.kept], [ADDED, "anna.a.example"]);
});

test("so it is where the other had ended the lease as well", async (t) => {
  const { commit, bring, asked } = await endedDesk(t);
  commit(pairOf(received(STATE.expired)));
  commit(pairOf(received(STATE.bound)));
  await bring();
  assert.deepEqual(whats(asked), ADDED);
});

test("so it is where this node has removed what it had brought, when the other ended the lease", async (t) => {
  const { commit, lease, bring, asked } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna", mac: MAC });
  await bring();
  commit(pairOf(received(STATE.expired)));
  await bring();
  asked.length = 0;
  commit(pairOf(received(STATE.bound)));
  await bring();
  assert.deepEqual(whats(asked), ADDED, "the removal may have come to DNS after what the other has brought");
});

test("so it is where the address was in quarantine here, which leaves nothing of its client", async (t) => {
  const { commit, bring, asked } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  const declined = { ...EMPTY_RECORD, ip: ADDRESS, state: STATE.declined, until: 300 };
  commit({ writes: [{ kind: "put", lease: declined, keepRelay: false }] });
  commit(endedHere());
  await bring();
  asked.length = 0;
  commit(pairOf(received(STATE.bound)));
  await bring();
  assert.deepEqual(whats(asked), ADDED);
});

test("so it is of DHCPv6", async (t) => {
  const { commit, bring, asked, row } = nameDesk(t);
  const came = received6();
  const ended = { ...came.row, state: STATE.expired, seq: 7 };
  commit(pairOf(came));
  commit({
    writes6: [{ kind: "mark", address: ADDRESS6, state: STATE.expired, until: 0, told: 0 }],
    ...pairOf({ row: ended, client: null, record: undefined }),
  });
  await bring();
  asked.length = 0;
  commit(pairOf(came));
  await bring();
  assert.deepEqual([whats(asked)[0], row("fd77::9")?.state], ["add anna.a.example", "kept"]);
});

test("an address that this node has freed is the other's when that gives it to another client", async (t) => {
  const { commit, bring, asked, row } = await endedDesk(t);
  commit(pairOf(receivedAs(STATE.bound, { hostname: "bert", mac: Uint8Array.of(2, 0, 0, 0, 0, 2) })));
  await bring();
  assert.deepEqual([asked, row("10.0.0.1")?.kept], [[], "bert.a.example"]);
});

test("a client that comes back to the other, which had ended its lease, gets its name from there alone", async (t) => {
  const { commit, bring, asked } = nameDesk(t);
  for (const state of [STATE.bound, STATE.expired, STATE.bound, STATE.released]) {
    commit(pairOf(received(state)));
    await bring();
  }
  assert.deepEqual(asked, []);
});

test("where no zone has the way back, an ordinary lease is the other's to bring and to remove as well", async (t) => {
  const { commit, bring, asked, rows } = nameDesk(t, ddnsOf().split("[[ddns.zone]]")[0]);
  for (const lease of [received(STATE.bound), receivedAs(STATE.bound, { hostname: "bert" })]) {
    commit(pairOf(lease));
    await bring();
  }
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual([asked, rows()], [[], []]);
});

/** This node has brought a name that the client says at the other, too. */
async function sharedDesk(t: TestContext) {
  const at = nameDesk(t);
  at.lease({ at: "10.0.0.1", hostname: "anna", mac: MAC });
  await at.bring();
  at.commit(pairOf(received(STATE.bound)));
  at.asked.length = 0;
  return at;
}

test("what this node has brought it removes itself when the lease gets another name at the other, though the client says it there", async (t) => {
  const { commit, bring, asked, row } = await sharedDesk(t);
  commit(pairOf(receivedAs(STATE.bound, { hostname: "bert" })));
  await bring();
  assert.deepEqual(whats(asked), [
    "add bert.a.example",
    "add reverse bert.a.example",
    "remove anna.a.example",
    "remove reverse anna.a.example",
  ]);
  assert.equal(row("10.0.0.1")?.kept, "bert.a.example");
});

test("so it does by its suffix when the other ends the lease", async (t) => {
  const { commit, bring, answers, asked, rows } = nameDesk(t, SUFFIX);
  answers(ofAnother);
  commit({
    writes: [{ kind: "put", lease: received(STATE.bound).record as LeaseRecord, keepRelay: false }],
  });
  await bring();
  commit(pairOf(received(STATE.bound)));
  asked.length = 0;
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna-2.a.example", "remove reverse anna-2.a.example"]);
  assert.deepEqual(rows(), []);
});

test("a name of the other's that this node was to replace is removed when the other ends the lease", async (t) => {
  const { commit, lease, bring, asked, rows } = nameDesk(t);
  commit(pairOf(received(STATE.bound)));
  lease({ at: "10.0.0.1", hostname: "bert", mac: MAC });
  commit(pairOf(received(STATE.expired)));
  await bring();
  assert.deepEqual(whats(asked), ["remove anna.a.example", "remove reverse anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("a client that goes back to an address, from which this node has taken its name, gets it from here, too", async (t) => {
  const { commit, lease, bring, asked, row } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna", mac: MAC, seen: 100 });
  lease({ at: "10.0.0.2", hostname: "anna", mac: MAC, seen: 200 });
  await bring();
  assert.deepEqual(row("10.0.0.2")?.kept, "anna.a.example");
  asked.length = 0;
  commit(pairOf(receivedAs(STATE.bound, { seen: 300 })));
  await bring();
  assert.ok(whats(asked).includes("add anna.a.example"));
  assert.equal(row("10.0.0.1")?.kept, "anna.a.example");
});

/** The other node has brought a name that a device of this node waits for. */
async function waitingDesk(t: TestContext) {
  const path = join(temporaryHome(t), "leases.db");
  const at = nameDesk(t, ddnsOf(), path);
  at.commit(pairOf(received(STATE.bound)));
  at.answers(({ what }) => ({ kind: what === "add anna.a.example" ? "conflict" : "done" }));
  at.lease({ at: "10.0.0.2", hostname: "anna" }, { at: "10.0.0.3", hostname: "anna" });
  await at.bring();
  const states = () => ["10.0.0.2", "10.0.0.3"].map((address) => at.row(address)?.state);
  assert.deepEqual(states(), ["conflict", "conflict"]);
  return { ...at, path, states };
}

test("who has waited longest for a name gets it when the other ends the lease that had it, or gives it another name", async (t) => {
  const came = received(STATE.bound);
  const renamed = { ...came, record: { ...(came.record as LeaseRecord), hostname: "bert" } };
  for (const freed of [received(STATE.expired), renamed]) {
    const { commit, bring, answers, states } = await waitingDesk(t);
    answers(() => ({ kind: "done" }));
    commit(pairOf(freed));
    await bring();
    assert.deepEqual(states(), ["kept", "conflict"]);
  }
});

test("so it does where the other removes the name later, within minutes", async (t) => {
  const { commit, bring, answers, pass, time, path, states } = await waitingDesk(t);
  const names = new NameReader(path);
  t.after(() => names.close());
  const settle = async (results: readonly NameResult[]) => {
    commit({ names: results });
    return true;
  };
  const retry = createConflictRetry({ names, settle, monotonic: time });
  commit(pairOf(received(STATE.expired)));
  await bring();
  answers(() => ({ kind: "done" }));
  pass(4 * 60_000);
  await retry();
  await bring();
  assert.deepEqual(states(), ["conflict", "conflict"], "not yet");
  pass(2 * 60_000);
  await retry();
  await bring();
  assert.deepEqual(states(), ["kept", "conflict"]);
});
