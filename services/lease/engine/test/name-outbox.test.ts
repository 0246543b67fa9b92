import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { test } from "node:test";
import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createNameReconciler } from "../src/ddns/name-reconciler.ts";
import type { Outcome } from "../src/ddns/name-updates.ts";
import { STATE } from "../src/leases/binding.ts";
import { NameReader } from "../src/store/name-reader.ts";
import { dueNames, OF_DEVICE, OWNER_IN_FAMILY } from "../src/store/name-rows.ts";
import { configOf } from "./desk.ts";
import { ip6, octets } from "./desk6.ts";
import { ddnsOf, nameDesk, SUBNETS } from "./name-desk.ts";

const OFF = "";
const DUID = octets("00:03:00:01:02:00:00:00:00:01");
const whats = (asked: ReadonlyArray<{ what: string }>) => asked.map(({ what }) => what);

test("a configuration is taken up although nothing can be written; what waited for people is tried when it can", async (t) => {
  const { store, lease, bring, answers, row, reconcile, begin } = nameDesk(t);
  answers(() => ({ kind: "parked", error: "REFUSED" }));
  lease({ at: "10.0.0.1", hostname: "anna" });
  await bring();
  assert.equal(row("10.0.0.1")?.state, "refused");
  const other = new DatabaseSync(store.path);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  begin(ddnsOf());
  other.exec("COMMIT");
  assert.equal(row("10.0.0.1")?.state, "refused");
  reconcile();
  assert.equal(row("10.0.0.1")?.state, "pending");
});

test("names of leases that ended while DDNS was off leave when it is on again, of both families", async (t) => {
  const { lease, lease6, end, commit, bring, use, asked, rows } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" }, { at: "10.0.0.2", hostname: "bert" });
  lease6({ address: ip6("fd77::1"), duid: DUID, hostname: "cleo" });
  await bring();
  use(OFF);
  end("10.0.0.1");
  commit({ writes6: [{ kind: "remove", address: ip6("fd77::1") }] });
  use(ddnsOf());
  asked.length = 0;
  await bring();
  assert.deepEqual(whats(asked).sort(), [
    "remove anna.a.example",
    "remove cleo.a.example",
    "remove reverse anna.a.example",
  ]);
  assert.deepEqual([...new Set(rows().map(({ address }) => address))], ["10.0.0.2"]);
});

test("a client with leases on two networks: its name is at the newer one, and comes back when that lease ends", async (t) => {
  const { lease, lease6, end, commit, bring, use, row, asked } = nameDesk(t);
  const laptop = { hostname: "laptop", mac: Uint8Array.of(2, 0, 0, 0, 0, 1) };
  const [office, lab] = ["10.1.0.1", "10.2.0.1"];
  const renew = (ip: number, seen: number) =>
    commit({ writes: [{ kind: "renew", ip, until: seen + 3600, seen, nonce: null }] });
  const names = () => [office, lab].map((at) => row(at)?.kept ?? null);
  lease({ at: office, seen: 100, ...laptop });
  await bring();
  lease({ at: lab, seen: 200, ...laptop });
  await bring();
  assert.deepEqual(names(), [null, "laptop.a.example"]);
  end(lab);
  await bring();
  assert.deepEqual(names(), ["laptop.a.example", null], "the lease of the office still runs");
  lease({ at: lab, seen: 300, ...laptop });
  await bring();
  renew(0x0a010001, 400);
  await bring();
  assert.deepEqual(names(), [null, "laptop.a.example"], "who renews both would move it all day");
  end(lab);
  await bring();
  assert.deepEqual(names(), ["laptop.a.example", null]);
  asked.length = 0;
  renew(0x0a010001, 500);
  use(ddnsOf());
  await bring();
  assert.deepEqual([names(), asked], [["laptop.a.example", null], []]);
  end(office);
  await bring();
  assert.deepEqual(names(), [null, null]);
  const six = { duid: DUID, iaid: 1, hostname: "six" };
  lease6({ address: ip6("fd77::1"), seen: 100, ...six });
  lease6({ address: ip6("fd77::2"), seen: 200, ...six });
  await bring();
  assert.deepEqual([row("fd77::1")?.kept, row("fd77::2")?.kept], [undefined, "six.a.example"]);
  commit({ writes6: [{ kind: "remove", address: ip6("fd77::2") }] });
  await bring();
  assert.deepEqual([row("fd77::1")?.kept, row("fd77::2")?.kept], ["six.a.example", undefined]);
});

test("a client whose address is given to another gets its name at the one that it still has", async (t) => {
  const { lease, bring, row } = nameDesk(t);
  const laptop = { hostname: "laptop", mac: Uint8Array.of(2, 0, 0, 0, 0, 1) };
  lease({ at: "10.1.0.1", seen: 100, ...laptop });
  lease({ at: "10.2.0.1", seen: 200, ...laptop });
  await bring();
  lease({ at: "10.2.0.1", seen: 300, hostname: "printer", mac: Uint8Array.of(2, 0, 0, 0, 0, 2) });
  await bring();
  assert.deepEqual([row("10.1.0.1")?.kept, row("10.2.0.1")?.kept], ["laptop.a.example", "printer.a.example"]);
});

/** Leases of one hardware address with as many client identifiers. */
const ofOneMac = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const n = index + from;
    const clientId = Uint8Array.of(0, n >> 8, n & 255);
    return {
      at: `10.3.${n >> 8}.${n & 255}`,
      hostname: `n${n}`,
      mac: Uint8Array.of(2, 0, 0, 0, 0, 1),
      clientId,
    };
  });

test("a lease of a hardware address that has many names already reads none of those", (t) => {
  const { lease, rows, store } = nameDesk(t);
  lease(...ofOneMac(500));
  const all = StatementSync.prototype.all;
  let read = 0;
  const counting = t.mock.method(
    StatementSync.prototype,
    "all",
    function (this: StatementSync, ...given: unknown[]) {
      const found = Reflect.apply(all, this, given);
      read += found.length;
      return found;
    },
  );
  lease(...ofOneMac(1, 500));
  counting.mock.restore();
  assert.deepEqual([rows().length, read], [501, 0]);
  const database = new DatabaseSync(store.path, { readOnly: true });
  t.after(() => database.close());
  const plan = (query: string) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => detail);
  assert.deepEqual(plan(OWNER_IN_FAMILY), [
    "SEARCH dns_name USING INDEX dns_name_device (device=? AND <expr>=?)",
  ]);
  assert.deepEqual(plan(OF_DEVICE), ["SEARCH dns_name USING INDEX dns_name_device (device=?)"]);
});

test("names that wait for a zone that fails are not read each time that others are looked for", (t) => {
  const { store, lease } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" }, { at: "10.0.0.2", hostname: "bert" });
  const database = new DatabaseSync(store.path, { readOnly: true });
  t.after(() => database.close());
  const prepared = t.mock.method(database, "prepare");
  const due = (restingZones: string[]) =>
    dueNames(database, { server: "127.0.0.1 1053", restingZones, restingIntents: [], limit: 1 });
  assert.deepEqual(
    due([]).map(({ wanted }) => wanted),
    ["anna.a.example"],
  );
  assert.deepEqual(due(["a.example"]), []);
  const queries = new Set(prepared.mock.calls.map(({ arguments: [query] }) => query));
  for (const query of queries) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all();
    const [search] = plan.filter(({ detail }) => /dns_name/.test(String(detail)));
    assert.match(
      String(search?.detail),
      /USING (COVERING )?INDEX dns_name_due_in_zone \(server=\? AND zone[=>]\?\)/,
    );
    assert.ok(!plan.some(({ detail }) => /TEMP B-TREE/.test(String(detail))), "they are read in their order");
  }
});

test("where many zones have names that wait, few are read beside those that are taken", (t) => {
  const { store } = nameDesk(t);
  const database = new DatabaseSync(store.path);
  t.after(() => database.close());
  const [zones, each, limit] = [40, 30, 20];
  const insert = database.prepare(
    "INSERT INTO dns_name (address, side, wanted, state, server, zone, tries, seq) VALUES (?, 'reverse', 'anna', 'pending', 'x', ?, ?, ?)",
  );
  const seqs = Array.from({ length: zones * each }, (_, n) => (n * 7919) % (zones * each));
  for (const [n, seq] of seqs.entries()) insert.run(`10.0.0.${n}`, `zone ${n % zones}`, seq % 2, seq);
  let read = 0;
  const prepare = database.prepare.bind(database);
  t.mock.method(database, "prepare", (query: string) => {
    const statement = prepare(query);
    const counted = <T>(row: T) => {
      read++;
      return row;
    };
    return {
      get: (...of: string[]) => counted(statement.get(...of)),
      all: (...of: string[]) => statement.all(...of).map(counted),
      *iterate(...of: string[]) {
        for (const row of statement.iterate(...of)) yield counted(row);
      },
    };
  });
  const query = { server: "x", restingZones: ["zone 1"], restingIntents: [4, 6], limit };
  const due = dueNames(database, query).map(({ seq }) => seq);
  const zoneOf = new Map(seqs.map((seq, n) => [seq, n % zones]));
  const all = [...seqs].sort((one, other) => (one % 2) - (other % 2) || one - other);
  const expected = all.filter((seq) => zoneOf.get(seq) !== 1 && seq !== 4 && seq !== 6).slice(0, limit);
  assert.deepEqual(due, expected);
  assert.ok(read < 5 * zones, `${read} rows were read`);
});

test("a device with very many names is renamed a few hundred at a time", (t) => {
  const { lease, commit, store, reconcile, rows } = nameDesk(t);
  reconcile();
  const leases = ofOneMac(700);
  lease(...leases);
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 1);
  commit({ notes: [{ mac, note: null, dnsName: "door", changed: 1 }] });
  store.refreshNames(0x0a030000, mac);
  const renamed = () => rows().filter(({ wanted }) => wanted === "door.a.example").length;
  assert.ok(renamed() > 0 && renamed() <= 301);
  reconcile();
  assert.equal(renamed(), 700);
});

test("a configuration that is taken up again and again does not keep the last leases from their names", (t) => {
  const { lease, begin, store, rows, reconcile } = nameDesk(t, OFF);
  const addresses = Array.from({ length: 1000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  lease(...addresses.map((at, n) => ({ at, hostname: `host-${n}` })));
  for (let reloads = 0; reloads < 20; reloads++) {
    begin(ddnsOf());
    store.reconcileNames();
  }
  const named = () => new Set(rows().map(({ address }) => address)).size;
  assert.equal(named(), 1000);

  begin(ddnsOf({ more: "ttl = 77" }));
  store.reconcileNames();
  begin(ddnsOf({ forward: 3053 }));
  reconcile();
  const servers = rows().flatMap(({ side, server }) => (side === "forward" ? server : []));
  assert.deepEqual([...new Set(servers)], ["127.0.0.1 3053"], "each row is looked at by the newest one");
});

test("of those who wait for a name that DNS no longer has, one tries it when DNS is put right", async (t) => {
  const { store, lease, bring, answers, rows, commit } = nameDesk(t);
  answers(() => ({ kind: "conflict" }));
  const waiting = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
  for (const at of waiting) lease({ at, hostname: "anna" });
  await bring();
  const names = new NameReader(store.path);
  t.after(() => names.close());
  const config = configOf(
    `${ddnsOf()}[[subnet]]\nnetwork = "10.0.0.0/8"\n[[subnet.pool]]\nrange = "10.7.0.1 - 10.7.0.9"\n`,
  );
  const reconciler = createNameReconciler({
    config: () => config,
    exchange: { query: async () => ({ kind: "answered", rcode: "NXDOMAIN", records: [] }) },
    updates: { removeForward: async () => ({ kind: "done" }), removeReverse: async () => ({ kind: "done" }) },
    names,
    knowsAll: async () => true,
    settle: async (results) => {
      commit({ names: results });
      return true;
    },
    monotonic: () => 0,
    wait: async () => {},
  });
  const pending = () => rows().flatMap(({ address, state }) => (state === "pending" ? address : []));
  const restored = await reconciler.restore(waiting.map((address) => ({ address, side: "forward" })));
  assert.deepEqual([restored, pending()], [1, ["10.0.0.1"]]);
  await bring();
  assert.deepEqual(pending(), []);
  const stale = { address: "10.7.0.1", name: "anna.a.example", dhcid: Uint8Array.of(0, 1, 1, 7) };
  await reconciler.remove(config.ddns as DdnsConfig, [stale]);
  assert.deepEqual(pending(), ["10.0.0.1"]);
});

test("leases that were there before DDNS was turned on get their names, of both families", async (t) => {
  const { lease, lease6, bring, use, asked } = nameDesk(t, OFF);
  lease({ at: "10.0.0.1", hostname: "anna" });
  for (let n = 0; n < 700; n++) {
    lease6({ address: ip6(`fd77::${n + 0x100}`), duid: DUID, iaid: n, hostname: `six${n}` });
  }
  lease6({ address: ip6("fd77:1::"), length: 56, duid: DUID, hostname: "prefix" });
  use(ddnsOf({ more: "max_updates_per_second = 10000" }));
  await bring();
  const added = whats(asked).filter((what) => !what.includes("reverse"));
  assert.equal(added.length, 701);
  assert.ok(added.includes("add anna.a.example") && added.includes("add six699.a.example"));
  assert.ok(!added.some((what) => what.includes("prefix")));
});

test("a reconcile run that finds nothing to change writes and sends nothing", async (t) => {
  const { store, lease, lease6, bring, use, asked } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" }, { at: "192.0.2.1", hostname: "far" });
  lease6({ address: ip6("fd77::1"), duid: DUID, hostname: "cleo" });
  await bring();
  asked.length = 0;
  const reading = new DatabaseSync(store.path, { readOnly: true });
  t.after(() => reading.close());
  const version = () => reading.prepare("PRAGMA data_version").get()?.data_version;
  const content = () => reading.prepare("SELECT * FROM dns_name").all();
  const [before, rows] = [version(), content()];
  use(ddnsOf());
  await bring();
  assert.deepEqual(asked, []);
  assert.deepEqual(content(), rows);
  assert.equal(version(), before, "no page was written");
});

test("a zone that moves to another server, or gets another time to live, is brought there whole", async (t) => {
  const { lease, bring, use, asked, rows } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" }, { at: "10.0.0.2", hostname: "bert" });
  await bring();
  for (const [ddns, ports] of [
    [ddnsOf({ forward: 3053 }), [3053, 3053]],
    [ddnsOf({ forward: 3053, reverse: 4053 }), [4053, 4053]],
    [ddnsOf({ forward: 3053, reverse: 4053, more: "ttl = 60" }), [3053, 3053, 4053, 4053]],
    [ddnsOf({ forward: 3053, reverse: 4053, more: 'ttl = 60\ncollision = "suffix"' }), []],
  ] as const) {
    asked.length = 0;
    use(ddns);
    await bring();
    assert.deepEqual(asked.map(({ port }) => port).sort(), ports);
    assert.ok(asked.every(({ what }) => what.startsWith("add ")));
    assert.ok(rows().every(({ state }) => state === "kept"));
  }
});

test("what is pending goes to the server that its zone has now", async (t) => {
  const { lease, bring, use, asked, answers } = nameDesk(t);
  answers(({ port }) =>
    port === 3053 ? { kind: "done" } : { kind: "later", error: "silent", isSilent: true },
  );
  lease({ at: "10.0.0.1", hostname: "anna" });
  await bring();
  use(ddnsOf({ forward: 3053, reverse: 3053 }));
  asked.length = 0;
  await bring();
  assert.deepEqual(whats(asked), ["add anna.a.example", "add reverse anna.a.example"]);
});

test("no zone is a state that is shown; a name whose zone is no longer ours stays there and is forgotten", async (t) => {
  const { lease, end, bring, use, asked, row, rows } = nameDesk(t);
  lease({ at: "192.0.2.1", hostname: "far" });
  await bring();
  assert.equal(row("192.0.2.1")?.state, "kept");
  assert.deepEqual(
    [row("192.0.2.1", "reverse")?.state, row("192.0.2.1", "reverse")?.error],
    ["no_zone", "no reverse zone has the address"],
  );
  use(ddnsOf().replace("a.example", "b.example"));
  asked.length = 0;
  await bring();
  assert.deepEqual(whats(asked), ["add far.b.example"], "the old one can no longer be removed");
  end("192.0.2.1");
  await bring();
  assert.deepEqual(rows(), []);
});

test("a name in another zone does not wait until the old one is removed, which is when its server is back", async (t) => {
  const other = '[[ddns.zone]]\nname = "b.example"\nserver = "127.0.0.1:3053"\n';
  const ddns = ddnsOf().replace("[[ddns", `${other}[[ddns`);
  const { lease, end, bring, run, use, answers, asked, row, rows } = nameDesk(t, ddns);
  lease({ at: "10.0.0.1", hostname: "x.b.example" }, { at: "10.0.0.2", hostname: "y.b.example" });
  await bring();
  answers(({ port }) =>
    port === 3053 ? { kind: "later", error: "silent", isSilent: true } : { kind: "done" },
  );
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 7);
  lease({ at: "10.0.0.1", hostname: "new", mac }, { at: "10.0.0.2", hostname: "then" });
  await run(5000);
  end("10.0.0.2");
  await run(5000);
  assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "new.a.example"]);
  assert.equal(row("10.0.0.2"), undefined);
  use(ddns);
  answers(() => ({ kind: "done" }));
  asked.length = 0;
  await run(60_000);
  assert.deepEqual(whats(asked), ["remove x.b.example", "remove y.b.example"]);
  assert.deepEqual(new Set(rows().map(({ state }) => state)), new Set(["kept"]));
  assert.equal(rows().length, 2);
});

test("a name whose zone is left while it is on its way there is taken back, whatever became of it", async (t) => {
  const other = '[[ddns.zone]]\nname = "b.example"\nserver = "127.0.0.1:3053"\n';
  const ddns = ddnsOf().replace("[[ddns", `${other}[[ddns`);
  for (const outcome of [
    { kind: "done" },
    { kind: "conflict" },
    { kind: "parked", error: "REFUSED" },
    { kind: "later", error: "silent", isSilent: true },
  ] as const) {
    const { lease, sender, run, answers, asked, row, rows } = nameDesk(t, ddns);
    answers(async ({ what }) => {
      if (what !== "add x.b.example") return { kind: "done" };
      lease({ at: "10.0.0.1", hostname: "new" });
      await sender.round();
      assert.equal(row("10.0.0.1")?.kept, "new.a.example", "while the other server is still silent");
      return outcome;
    });
    lease({ at: "10.0.0.1", hostname: "x.b.example" });
    await run(10_000);
    assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "new.a.example"]);
    assert.deepEqual(
      rows().map(({ side, state }) => `${side} ${state}`),
      ["forward kept", "reverse kept"],
    );
    const isThere = outcome.kind === "done" || outcome.kind === "later";
    assert.equal(whats(asked).includes("remove x.b.example"), isThere);
    assert.ok(!whats(asked).includes("remove new.a.example"));
  }
});

test("a late answer of one server changes nothing of what is known of the name at another", async (t) => {
  const other = '[[ddns.zone]]\nname = "b.example"\nserver = "127.0.0.1:3053"\n';
  const ddns = ddnsOf().replace("[[ddns", `${other}[[ddns`);
  for (const outcome of [
    { kind: "done" },
    { kind: "conflict" },
    { kind: "later", error: "silent", isSilent: true },
  ] as const) {
    const { lease, end, senderWith, commit, pass, answers, row, rows } = nameDesk(t, ddns);
    const inDns = new Set<string>();
    let isLate = false;
    const done = (what: string): Outcome => {
      const [verb, name = ""] = what.split(" ");
      if (verb === "add") inDns.add(name);
      else inDns.delete(name);
      return { kind: "done" };
    };
    const sender = senderWith({
      settle: async (names) => {
        commit({ names });
        if (isLate) end("10.0.0.1");
        return true;
      },
    });
    answers(async ({ what }) => {
      if (what.includes("reverse")) return { kind: "done" };
      if (what !== "add bob.b.example") return done(what);
      end("10.0.0.1");
      lease({ at: "10.0.0.1", hostname: "carl", mac: Uint8Array.of(2, 0, 0, 0, 0, 2) });
      await sender.round();
      isLate = row("10.0.0.1")?.state === "kept";
      if (outcome.kind !== "conflict") done(what);
      return outcome;
    });
    lease({ at: "10.0.0.1", hostname: "bob.b.example" });
    for (let round = 0; round < 5; round++) {
      await sender.round();
      pass(10_000);
    }
    assert.deepEqual([isLate, rows(), [...inDns]], [true, [], []]);
  }
});

test("clients that come and go while no server answers leave nothing behind", async (t) => {
  const { lease, end, run, bring, answers, rows, asked } = nameDesk(t);
  answers(() => ({ kind: "later", error: "silent", isSilent: true }));
  for (let n = 0; n < 300; n++) {
    lease({ at: `10.1.${n >> 8}.${n & 255}`, hostname: `n${n}` });
    if (n % 30 === 0) await run(1000);
    end(`10.1.${n >> 8}.${n & 255}`);
  }
  assert.ok(rows().length <= asked.length, "only what was sent may be in DNS");
  assert.ok(rows().length < 10);
  answers(() => ({ kind: "done" }));
  await run(600_000);
  await bring();
  assert.deepEqual(rows(), []);
});

test("a name that people give a device is that of its IPv6 address, too, which only the reservation knows by its mac", async (t) => {
  const { lease, lease6, commit, store, bring, row } = nameDesk(t);
  const mac = octets("02:00:00:00:00:50");
  lease({ at: "10.0.0.1", mac, hostname: "door" });
  lease6({ address: ip6("fd77::50"), duid: octets("00:03:00:01:02:00:00:00:00:50") });
  const names = () => ["10.0.0.1", "fd77::50"].map((at) => row(at)?.kept);
  for (const [changed, dnsName] of ["gate", null].entries()) {
    commit({ notes: [{ mac, note: null, dnsName, changed }] });
    store.refreshNames(0x0a000001, mac);
    await bring();
    assert.deepEqual(names(), Array(2).fill(`${dnsName ?? "door"}.a.example`));
  }
});

test("keep_for_reservations: the name of a reserved address stays when its lease ends and when it is forgotten", async (t) => {
  const keeping = ddnsOf({ more: "keep_for_reservations = true" });
  const { lease, lease6, end, commit, bring, use, asked, row } = nameDesk(t, keeping);
  lease({ at: "10.9.9.9", hostname: "gate" }, { at: "10.0.0.1", hostname: "anna" });
  lease6({ address: ip6("fd77::50"), duid: DUID });
  await bring();
  end("10.9.9.9");
  end("10.0.0.1");
  commit({ writes: [{ kind: "remove", ip: 0x0a090909 }] });
  const address = ip6("fd77::50");
  commit({ writes6: [{ kind: "mark", address, state: STATE.expired, until: 0, told: 0 }] });
  commit({ writes6: [{ kind: "remove", address }] });
  use(keeping);
  await bring();
  assert.deepEqual(
    ["10.9.9.9", "fd77::50", "10.0.0.1"].map((at) => row(at)?.kept),
    ["gate.a.example", "door.a.example", undefined],
  );
  asked.length = 0;
  use(ddnsOf());
  await bring();
  assert.deepEqual(
    whats(asked)
      .filter((what) => !what.includes("reverse"))
      .sort(),
    ["remove door.a.example", "remove gate.a.example"],
  );
});

test("keep_for_reservations: a reservation that gets another host name after its lease has ended has that in DNS, and no other", async (t) => {
  const keeping = ddnsOf({ more: "keep_for_reservations = true" });
  const { lease, lease6, end, commit, bring, use, asked, row } = nameDesk(t, keeping);
  const address = ip6("fd77::50");
  lease({ at: "10.9.9.9", hostname: "gate" });
  lease6({ address, duid: DUID });
  await bring();
  end("10.9.9.9");
  commit({ writes6: [{ kind: "remove", address }] });
  const named = SUBNETS.replace(':09"\n', ':09"\nhostname = "porter"\n').replace('"door"', '"entry"');
  use(keeping, named);
  await bring();
  assert.deepEqual(
    ["10.9.9.9", "fd77::50"].map((at) => row(at)?.kept),
    ["porter.a.example", "entry.a.example"],
  );
  assert.equal(row("10.9.9.9", "reverse")?.kept, "porter.a.example");
  for (const gone of ["gate", "door"]) assert.ok(whats(asked).includes(`remove ${gone}.a.example`));
  asked.length = 0;
  use(keeping, named);
  await bring();
  assert.deepEqual(asked, [], "once");
});

for (const isGone of [false, true])
  test(`keep_for_reservations: what people take back after the lease has ended${isGone ? " and is forgotten" : ""} gives way to what comes next`, async (t) => {
    const keeping = (more = "") => ddnsOf({ more: `keep_for_reservations = true\n${more}` });
    const named = SUBNETS.replace(':09"\n', ':09"\nhostname = "porter"\n');
    const { lease, end, commit, store, bring, use, row } = nameDesk(t, keeping());
    const [ip, mac] = [0x0a090909, octets("02:00:00:00:00:09")];
    const called = async (dnsName: string | null, changed: number) => {
      commit({ notes: [{ mac, note: null, dnsName, changed }] });
      store.refreshNames(ip, mac);
      await bring();
      return row("10.9.9.9")?.kept;
    };
    lease({ at: "10.9.9.9", mac, hostname: "own" });
    assert.equal(await called("given", 1), "given.a.example");
    if (isGone) commit({ writes: [{ kind: "remove", ip }] });
    else end("10.9.9.9");
    // What the device said is known by the lease alone.
    const last = isGone ? "porter.a.example" : "own.a.example";
    use(keeping(), named);
    assert.equal(await called(null, 2), "porter.a.example", "the reservation's comes after it");
    use(keeping(), SUBNETS);
    await bring();
    assert.equal(row("10.9.9.9")?.kept, last);
    use(keeping('name_policy = "server"'));
    await bring();
    assert.equal(row("10.9.9.9")?.kept, "dhcp-10-9-9-9.a.example");
    use(keeping('name_policy = "off"'));
    await bring();
    assert.equal(row("10.9.9.9"), undefined, "nobody gave it one");
  });

test("a client that moves takes its name to the new address; its second interface has the name too", async (t) => {
  const { lease, lease6, bring, reconcile, use, row } = nameDesk(t);
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 1);
  lease({ at: "10.0.0.1", hostname: "anna", mac, seen: 100 });
  lease6({ address: ip6("fd77::1"), duid: DUID, iaid: 1, hostname: "six", seen: 100 });
  await bring();
  lease({ at: "10.0.0.2", hostname: "anna", mac, seen: 200 });
  lease6({ address: ip6("fd77::2"), duid: DUID, iaid: 2, hostname: "six", seen: 200 });
  lease6({ address: ip6("fd77::3"), duid: DUID, iaid: 1, hostname: "six", seen: 200 });
  const names = () => ["10.0.0.1", "10.0.0.2", "fd77::1", "fd77::2", "fd77::3"].map((at) => row(at)?.wanted);
  const moved = [null, "anna.a.example", null, "six.a.example", "six.a.example"];
  assert.deepEqual(names(), moved);
  await bring();
  use(ddnsOf());
  reconcile();
  await bring();
  assert.deepEqual(names(), [undefined, "anna.a.example", undefined, "six.a.example", "six.a.example"]);
  lease({ at: "10.0.0.1", hostname: "anna", mac, seen: 300 });
  assert.deepEqual(names().slice(0, 2), ["anna.a.example", null]);
});

test("a client with two leases keeps its name where it came last, however it renews them and often a configuration is taken up", async (t) => {
  const { lease, lease6, bring, commit, use, asked, row } = nameDesk(t);
  const laptop = { hostname: "laptop", mac: Uint8Array.of(2, 0, 0, 0, 0, 1) };
  const six = { hostname: "six", duid: DUID, iaid: 1 };
  for (const [at, address, seen] of [
    ["10.1.0.1", "fd77::1", 100],
    ["10.2.0.1", "fd77::2", 200],
  ] as const) {
    lease({ at, seen, starts: seen, ...laptop });
    lease6({ address: ip6(address), seen, starts: seen, ...six });
    await bring();
  }
  const names = () => ["10.1.0.1", "10.2.0.1", "fd77::1", "fd77::2"].map((at) => row(at)?.kept ?? null);
  const before = [null, "laptop.a.example", null, "six.a.example"];
  assert.deepEqual(names(), before);
  asked.length = 0;
  for (const [ip, address] of [
    [0x0a010001, ip6("fd77::1")],
    [0x0a020001, ip6("fd77::2")],
    [0x0a010001, ip6("fd77::1")],
  ] as const) {
    const renewal = { kind: "renew", until: 4000, seen: 400 } as const;
    commit({
      writes: [{ ...renewal, ip, nonce: null }],
      writes6: [{ ...renewal, address, preferred: 100 }],
    });
    use(ddnsOf());
    await bring();
    assert.deepEqual([names(), asked], [before, []]);
  }
});

test("identities that a relay or a reservation joins are one owner, whichever family comes first", async (t) => {
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 0x50);
  const clientId = Uint8Array.of(1, ...mac);
  for (const six of [
    { address: ip6("fd77::1"), mac },
    { address: ip6("fd77::50"), mac: new Uint8Array(0) },
  ])
    for (const first of [4, 6]) {
      const { lease, lease6, end, bring, use, store, asked } = nameDesk(t);
      const database = new DatabaseSync(store.path, { readOnly: true });
      t.after(() => database.close());
      const owners = () =>
        database.prepare("SELECT DISTINCT hex(owner) AS owner FROM dns_name WHERE side = 'forward'").all();
      const join4 = () => lease({ at: "10.0.0.1", hostname: "door", mac, clientId });
      const join6 = () => lease6({ ...six, duid: DUID, hostname: "door" });
      for (const join of first === 4 ? [join4, join6] : [join6, join4]) join();
      assert.equal(owners().length, 1);
      await bring();
      const [owner] = owners();
      // It stays the owner while one of them is there.
      end("10.0.0.1");
      await bring();
      join4();
      await bring();
      assert.deepEqual(owners(), [owner]);
      asked.length = 0;
      use(ddnsOf());
      await bring();
      assert.deepEqual(asked, []);
    }
});

test("names of the outbox before forward and reverse were apart are taken over, with whose they are", async (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const { store, lease, bring, rows } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" }, { at: "10.0.0.2", hostname: "bert" });
  await bring();
  const database = new DatabaseSync(store.path);
  const of = (at: string) =>
    database
      .prepare("SELECT kept, kept_dhcid FROM dns_name WHERE address = ? AND side = 'forward'")
      .get(at) as { kept: string; kept_dhcid: Uint8Array };
  const kept = ["10.0.0.1", "10.0.0.2"].map(of);
  database.exec(`VACUUM INTO '${path}'`);
  database.close();
  assert.equal(rows().length, 4);

  const old = new DatabaseSync(path);
  for (const table of [
    "ha_node",
    "ha_peer",
    "ha_range",
    "ha_plan",
    "cleared",
    "cleared6",
    "dns_moved",
    "dns_confirm",
  ])
    old.exec(`DROP TABLE ${table}`);
  for (const column of ["server", "client", "promise", "known", "seq", "base"]) {
    for (const table of ["lease", "lease6"]) old.exec(`ALTER TABLE ${table} DROP COLUMN pair_${column}`);
  }
  for (const column of ["length", "until"]) old.exec(`ALTER TABLE lease6 DROP COLUMN earlier_${column}`);
  old.exec(
    "DROP INDEX lease6_mac; ALTER TABLE device DROP COLUMN changed; ALTER TABLE clock DROP COLUMN replay_ahead",
  );
  old.exec(`DROP TABLE dns_name;
    CREATE TABLE dns_name (address TEXT PRIMARY KEY, wanted TEXT, wanted_dhcid BLOB, said TEXT, kept TEXT, kept_dhcid BLOB,
      state TEXT NOT NULL, error TEXT, tries INTEGER NOT NULL, due INTEGER NOT NULL, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX dns_name_due ON dns_name (seq) WHERE state = 'pending';
    PRAGMA user_version = 10`);
  const insert = old.prepare("INSERT INTO dns_name VALUES (?, ?, ?, 'said', ?, ?, 'kept', NULL, 0, 0, 7)");
  for (const [n, { kept: name, kept_dhcid: dhcid }] of kept.entries()) {
    insert.run(`10.0.0.${n + 1}`, n === 0 ? name : null, n === 0 ? dhcid : null, name, dhcid);
  }
  // Of bert, the lease has ended.
  old.exec(`UPDATE lease SET state = ${STATE.expired} WHERE ip = ${0x0a000002}`);
  old.close();
  const taken = nameDesk(t, ddnsOf(), path);
  taken.reconcile();
  await taken.bring();
  assert.deepEqual(whats(taken.asked).sort(), [
    "add anna.a.example",
    "add reverse anna.a.example",
    "remove bert.a.example",
    "remove reverse bert.a.example",
  ]);
  assert.deepEqual([...new Set(taken.rows().map(({ address }) => address))], ["10.0.0.1"]);
});

test("the outbox is written in the transaction of the lease, or not at all", (t) => {
  const { store, lease, rows } = nameDesk(t);
  const other = new DatabaseSync(store.path);
  t.after(() => other.close());
  other.exec("CREATE TRIGGER no BEFORE INSERT ON dns_name BEGIN SELECT raise(ABORT, 'no'); END");
  assert.throws(() => lease({ at: "10.0.0.1", hostname: "anna" }), /no/);
  assert.equal(store.find(0x0a000001), undefined);
  assert.deepEqual(rows(), []);
});
