import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config, Network } from "@frontdesk/lease-config/config";
import { readConfig } from "@frontdesk/lease-config/validate";
import { parseIpv4, u32Bytes } from "@frontdesk/lease-options/address";
import fc from "fast-check";
import { type AddressColumn, type AddressFamily, ipv4, ipv6 } from "../src/leases/address-family.ts";
import { chooseAddress } from "../src/leases/allocate.ts";
import { type Address, type Binding, STATE } from "../src/leases/binding.ts";
import { FreeMap } from "../src/leases/free-map.ts";
import { IdentityIndex } from "../src/leases/identity-index.ts";
import { LeaseTable } from "../src/leases/lease-table.ts";
import { LinkedLists } from "../src/leases/linked-lists.ts";
import { PendingLeases } from "../src/leases/pending-leases.ts";
import { TimingWheel, WHEEL_HEADS } from "../src/leases/timing-wheel.ts";
import { seededRandom } from "./mutated-packets.ts";

const ip = (text: string) => parseIpv4(text) as number;

test("the free map finds what a plain search would find", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3000 }),
      fc.array(fc.tuple(fc.nat(2999), fc.boolean()), { maxLength: 400 }),
      fc.nat(2999),
      (size, steps, start) => {
        const map = new FreeMap(size);
        const free = new Set(Array.from({ length: size }, (_, i) => i));
        for (const [offset, take] of steps.filter(([each]) => each < size)) {
          if (take) map.take(offset);
          else map.giveBack(offset);
          if (take) free.delete(offset);
          else free.add(offset);
        }
        const from = start % size;
        const after = [...free].filter((each) => each >= from);
        const expected =
          after.length > 0 ? Math.min(...after) : free.size > 0 ? Math.min(...free) : undefined;
        assert.equal(map.next(from), expected);
        assert.equal(map.free, free.size);
      },
    ),
    { numRuns: 200 },
  );
});

test("the free map of a full /12 finds its last address", () => {
  const map = new FreeMap(2 ** 20);
  for (let i = 0; i < map.size; i++) if (i !== 777_777) map.take(i);
  assert.equal(map.next(900_000), 777_777);
  map.take(777_777);
  assert.equal(map.next(0), undefined);
});

test("the timing wheel gives every node at its second, near or far", () => {
  const random = seededRandom(7);
  const start = 1_800_000_000;
  const due = Array.from({ length: 2000 }, () => start + Math.floor(random() ** 4 * 20_000_000));
  const lists = new LinkedLists(WHEEL_HEADS, due.length);
  const wheel = new TimingWheel(lists, start, (node) => due[node - WHEEL_HEADS] as number);
  due.forEach((_, i) => {
    wheel.add(WHEEL_HEADS + i);
  });
  const seen = new Map<number, number>();
  for (let now = start; now <= start + 20_000_000; now += 1 + Math.floor(random() * 5000)) {
    wheel.advance(now);
    for (const node of [...wheel.due()]) {
      lists.remove(node);
      seen.set(node - WHEEL_HEADS, now);
    }
    due.forEach((at, i) => {
      assert.equal(seen.has(i), at <= now, `node due at ${at} at ${now}`);
    });
    if (seen.size === due.length) break;
  }
});

test("the timing wheel leaps over years at once, and forward only", () => {
  const due = [100, 5000, 40_000_000, 2_000_000_000];
  const lists = new LinkedLists(WHEEL_HEADS, due.length);
  const wheel = new TimingWheel(lists, 0, (node) => due[node - WHEEL_HEADS] as number);
  due.forEach((_, i) => {
    wheel.add(WHEEL_HEADS + i);
  });
  const dueNow = () => [...wheel.due()].map((node) => due[node - WHEEL_HEADS]).sort((a = 0, b = 0) => a - b);
  wheel.advance(4999);
  assert.deepEqual(dueNow(), [100]);
  wheel.advance(1_999_999_999);
  assert.deepEqual(dueNow(), [100, 5000, 40_000_000]);
  wheel.advance(1000);
  wheel.advance(2_000_000_000);
  assert.deepEqual(dueNow(), due);
});

test("addresses and identities are found after any order of adding and removing", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(60), fc.boolean()), { maxLength: 300 }), (steps) => {
      const addresses = ipv4.column();
      const addressOf = (slot: number) => 0x0a000000 + slot * 4096;
      const wide: AddressColumn<bigint> = ipv6.column();
      const wideOf = (slot: number) => (0xfd77n << 112n) | (BigInt(slot) << 64n) | 5n;
      const identities = new IdentityIndex(64, 99, () => 3);
      const identity = (slot: number) => new Uint8Array(1 + (slot % 40)).fill(slot + 1);
      const present = new Set<number>();
      for (const [slot, add] of steps) {
        if (add && !present.has(slot)) {
          addresses.add(addressOf(slot), slot);
          wide.add(wideOf(slot), slot);
          identities.set(slot, identity(slot), 3);
          present.add(slot);
        } else if (!add && present.has(slot)) {
          addresses.remove(addressOf(slot));
          wide.remove(wideOf(slot));
          identities.delete(slot);
          present.delete(slot);
        }
      }
      for (let slot = 0; slot <= 60; slot++) {
        const expected = present.has(slot) ? slot : undefined;
        assert.equal(addresses.find(addressOf(slot)), expected);
        assert.equal(wide.find(wideOf(slot)), expected);
        if (expected !== undefined) assert.equal(wide.get(slot), wideOf(slot));
        assert.deepEqual(identities.findAll(identity(slot), 3), expected === undefined ? [] : [expected]);
        assert.deepEqual(identities.findAll(identity(slot), 4), []);
      }
    }),
    { numRuns: 200 },
  );
});

function configOf(pools: string): Config {
  return readConfig(`[server]\nlisten = ["127.0.0.1:6767"]\n[[subnet]]\nnetwork = "10.0.0.0/8"\n${pools}`);
}

const planOf = (config: Config) => ({
  pools: config.pools,
  layout: JSON.stringify(config.pools.map(({ first, last, excluded }) => [first, last, excluded])),
  reserved: config.reservedAddresses,
  networkOf: () => 0,
});
const bound = <A extends Address>(
  address: A,
  client: number,
  more: Partial<Binding<A>> = {},
): Binding<A> => ({
  address,
  identity: u32Bytes(client),
  state: STATE.bound,
  starts: 0,
  until: 5000,
  port: "",
  told: 0,
  digest: 0,
  relayDigest: 0,
  ...more,
});

function table(pools: string) {
  let config = configOf(pools);
  const leases = new LeaseTable(ipv4, planOf(config), 1000, 1);
  return {
    leases,
    put: (text: string, client: number, state: Binding<number>["state"], until: number) =>
      leases.put(bound(ip(text), client, { state, until })),
    takeUp: (other: Config) => {
      config = other;
      leases.rebuild(planOf(other), 1000);
    },
    choose: (client: number) =>
      chooseAddress(new PendingLeases(leases), {
        identity: u32Bytes(client),
        network: 0,
        pools: (config.networks[0] as Network).pools,
        requested: undefined,
        reserved: undefined,
        now: 0,
        isServer: () => false,
        isReserved: (address) => config.reservedAddresses.has(address),
        yields: () => false,
      }),
  };
}

test("a client's place is by its hash: the same on a fresh start", () => {
  const pool = `[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.200.0"\n`;
  assert.equal(table(pool).choose(77)?.address, table(pool).choose(77)?.address);
});

test("when every address was used, the one whose time ended first is given", () => {
  const { put, choose } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.3"\n`);
  put("10.0.0.1", 1, STATE.expired, 500);
  put("10.0.0.2", 2, STATE.released, 400);
  put("10.0.0.3", 3, STATE.bound, 5000);
  assert.equal(choose(9)?.address, ip("10.0.0.2"));
  put("10.0.0.2", 2, STATE.released, 600);
  assert.equal(choose(9)?.address, ip("10.0.0.1"));
});

test("a full pool has nothing to give, and says so", () => {
  const { put, choose } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.2"\n`);
  put("10.0.0.1", 1, STATE.bound, 5000);
  put("10.0.0.2", 2, STATE.declined, 5000);
  assert.equal(choose(9), undefined);
});

test("taking up another configuration keeps the leases, their order and the counts", () => {
  const { leases, put, choose, takeUp } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.3"\n`);
  put("10.0.0.1", 1, STATE.expired, 500);
  put("10.0.0.2", 2, STATE.released, 400);
  put("10.0.0.3", 3, STATE.bound, 5000);
  const config = configOf(
    `[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.2"\n[[subnet.pool]]\nrange = "10.0.0.3 - 10.0.0.9"\nexclude = ["10.0.0.4 - 10.0.0.8", "10.0.0.5"]\n[[subnet.reservation]]\nip = "10.0.0.9"\nmac = "02:00:00:00:00:01"\n`,
  );
  takeUp(config);
  assert.equal(leases.active, 1);
  assert.deepEqual(leases.uses(), [
    { bound: 0, offered: 0, declined: 0, size: 2, usable: 2, reserved: 0, free: 2 },
    { bound: 1, offered: 0, declined: 0, size: 2, usable: 1, reserved: 1, free: 0 },
  ]);
  const [longest] = leases.longFree(config.pools[0] as never);
  assert.equal(longest?.address, ip("10.0.0.2"));
  assert.equal(choose(1)?.address, ip("10.0.0.1"), "a returning client keeps its address");
});

test("ports are counted while they hold an address, and forgotten after", () => {
  const { leases } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.3"\n`);
  leases.put(bound(ip("10.0.0.1"), 1, { port: "a" }));
  leases.put(bound(ip("10.0.0.2"), 2, { port: "a", state: STATE.offered }));
  leases.put(bound(ip("10.0.0.3"), 3, { port: "b" }));
  assert.deepEqual([leases.portUse("a"), leases.portUse("b")], [2, 1]);
  assert.deepEqual(leases.crowdedPorts(1), [{ port: "a", held: 2 }]);
  leases.put(bound(ip("10.0.0.1"), 1, { port: "a", state: STATE.released }));
  leases.put(bound(ip("10.0.0.2"), 2, { state: STATE.none }));
  assert.deepEqual([leases.portUse("a"), leases.portUse("b")], [0, 1]);
});

/** What holds of a table whatever the width of its addresses. */
function tableSuite<A extends Address>(name: string, family: AddressFamily<A>, first: A, last: A): void {
  const pool = { index: 0, first, last, excluded: [] };
  const plan = { pools: [pool], layout: "", reserved: new Map<A, unknown>(), networkOf: () => 0 };
  const request = (client: number) => ({
    identity: u32Bytes(client),
    network: 0,
    pools: [pool],
    reserved: undefined,
    requested: undefined,
    now: 0,
    isServer: () => false,
    isReserved: () => false,
    yields: () => false,
  });

  test(`${name}: a batch sees what it has decided, and the table does not before it is applied`, () => {
    const leases = new LeaseTable(family, plan, 1000, 1);
    const pending = new PendingLeases(leases);
    const given = new Set<A>();
    for (let client = 0; client < 600; client++) {
      const choice = chooseAddress(pending, request(client));
      assert.ok(choice && choice.address >= first && choice.address <= last);
      assert.ok(!given.has(choice.address), "given twice");
      given.add(choice.address);
      pending.put(bound(choice.address, client, { port: "p" }));
    }
    assert.equal(leases.active, 0);
    assert.equal(pending.portUse("p"), 600);
    const own = chooseAddress(pending, request(7));
    assert.deepEqual(own?.reason, "held");
    pending.apply();
    assert.equal(leases.active, 600);
    assert.equal(leases.portUse("p"), 600);
    assert.equal(chooseAddress(new PendingLeases(leases), request(7))?.address, own?.address);
  });

  test(`${name}: a batch that is dropped leaves no trace`, () => {
    const leases = new LeaseTable(family, plan, 1000, 1);
    leases.put(bound(first, 1));
    const before = JSON.stringify([...leases.all()], (_, value) => String(value));
    const pending = new PendingLeases(leases);
    pending.put(bound(first, 1, { state: STATE.none }));
    pending.put(bound(last, 2));
    assert.equal(pending.find(first), undefined);
    assert.equal(pending.ofClient(u32Bytes(2), 0)[0]?.address, last);
    assert.deepEqual(pending.ofClient(u32Bytes(1), 0), []);
    assert.equal(
      JSON.stringify([...leases.all()], (_, value) => String(value)),
      before,
    );
  });

  test(`${name}: what falls due is given once its time has come, and not before`, () => {
    const leases = new LeaseTable(family, plan, 1000, 1);
    leases.put(bound(first, 1, { until: 1100 }));
    leases.put(bound(last, 2, { until: 900_000 }));
    assert.deepEqual([...leases.due(1099)], []);
    assert.deepEqual(
      [...leases.due(1100)].map(({ address }) => address),
      [first],
    );
    assert.equal([...leases.due(900_000)].length, 2);
  });
}

tableSuite("32 bits", ipv4, ip("10.0.0.1"), ip("10.0.4.0"));
tableSuite("128 bits", ipv6, 0xfd77n << 112n, (0xfd77n << 112n) | ((1n << 64n) - 1n));

test("free addresses are given in the order their time ends, however they became free, also after a reload", () => {
  const range = `[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.3.255"\n`;
  const { leases, takeUp } = table(range);
  const random = seededRandom(3);
  const until = new Map<number, number>();
  for (let i = 0; i < 3000; i++) {
    const address = ip("10.0.0.1") + Math.floor(random() * 1000);
    const state = [STATE.expired, STATE.released, STATE.bound, STATE.none][Math.floor(random() * 4)] ?? 0;
    // Years apart, for ever, and many in the same second.
    const end = random() < 0.1 ? 0xffffffff : Math.floor(random() * 20) * 20_000_000;
    leases.put(bound(address, address, { state, until: end }));
    until.delete(address);
    if (state === STATE.expired || state === STATE.released) until.set(address, end);
  }
  const expected = [...until].sort(([a, x], [b, y]) => x - y || a - b).map(([address]) => address);
  const given = (config: Config) =>
    [...leases.longFree(config.pools[0] as never)].map(({ address }) => address);
  assert.deepEqual(given(configOf(range)), expected);
  takeUp(configOf(range));
  assert.deepEqual(given(configOf(range)), expected);
});

test("a plan in which only reservations differ leads to the same as one that is taken up from nothing", () => {
  const first = 0x0a000001;
  const config = (reserved: readonly number[], last = 40) =>
    configOf(
      `[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.${last}"\nexclude = ["10.0.0.7"]\n${[...new Set(reserved)]
        .map((n) => `[[subnet.reservation]]\nip = "10.0.0.${n}"\nmac = "02:00:00:00:00:${n + 10}"\n`)
        .join("")}`,
    );
  const reserved = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 });
  const states = fc.constantFrom(STATE.bound, STATE.offered, STATE.released, STATE.expired, STATE.declined);
  const lease = fc.record({ n: fc.nat(45), state: states, until: fc.integer({ min: 2000, max: 2010 }) });
  fc.assert(
    fc.property(fc.array(lease, { maxLength: 30 }), reserved, reserved, (leases, before, after) => {
      const make = () => {
        const made = new LeaseTable(ipv4, planOf(config(before)), 1000, 1);
        for (const { n, state, until } of leases) made.put(bound(first + n, n, { state, until }));
        return made;
      };
      const [quick, thorough] = [make(), make()];
      const plan = planOf(config(after));
      quick.rebuild(plan, 1000);
      thorough.rebuild(planOf(config(after, 30)), 1000);
      thorough.rebuild(plan, 1000);
      const seen = (of: typeof quick) => {
        const [pool] = plan.pools as [(typeof plan.pools)[0]];
        return {
          uses: of.uses(),
          free: [...of.longFree(pool)].map(({ address, until }) => [address, until]),
          unused: Array.from({ length: 50 }, (_, hash) => of.unused(pool, hash, () => true)),
          pools: Array.from({ length: 50 }, (_, n) => of.poolOf(first + n) === pool),
        };
      };
      assert.deepEqual(seen(quick), seen(thorough));
    }),
    { numRuns: 300 },
  );
});
