import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config, Network } from "@frontdesk/lease-config/config";
import { readConfig } from "@frontdesk/lease-config/validate";
import { parseIpv4, u32Bytes } from "@frontdesk/lease-options/address";
import fc from "fast-check";
import { AddressIndex } from "../src/leases/address-index.ts";
import { chooseAddress } from "../src/leases/allocate.ts";
import { FreeMap } from "../src/leases/free-map.ts";
import { IdentityIndex } from "../src/leases/identity-index.ts";
import { LeaseTable, STATE } from "../src/leases/lease-table.ts";
import { LinkedLists } from "../src/leases/linked-lists.ts";
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
    for (let node = wheel.firstDue(); node !== undefined; node = wheel.firstDue()) {
      lists.remove(node);
      seen.set(node - WHEEL_HEADS, now);
    }
    due.forEach((at, i) => {
      assert.equal(seen.has(i), at <= now, `node due at ${at} at ${now}`);
    });
    if (seen.size === due.length) break;
  }
});

test("addresses and identities are found after any order of adding and removing", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(60), fc.boolean()), { maxLength: 300 }), (steps) => {
      const addressOf = (slot: number) => 0x0a000000 + slot * 4096;
      const addresses = new AddressIndex(addressOf);
      const identities = new IdentityIndex(64, 99, () => 3);
      const identity = (slot: number) => new Uint8Array(1 + (slot % 40)).fill(slot + 1);
      const present = new Set<number>();
      for (const [slot, add] of steps) {
        if (add && !present.has(slot)) {
          addresses.set(addressOf(slot), slot);
          identities.set(slot, identity(slot), 3);
          present.add(slot);
        } else if (!add && present.has(slot)) {
          addresses.delete(addressOf(slot));
          identities.delete(slot);
          present.delete(slot);
        }
      }
      for (let slot = 0; slot <= 60; slot++) {
        const expected = present.has(slot) ? slot : undefined;
        assert.equal(addresses.get(addressOf(slot)), expected);
        assert.equal(identities.find(identity(slot), 3), expected);
        assert.equal(identities.find(identity(slot), 4), undefined);
      }
    }),
    { numRuns: 200 },
  );
});

function configOf(pools: string): Config {
  return readConfig(`[server]\nlisten = ["127.0.0.1:6767"]\n[[subnet]]\nnetwork = "10.0.0.0/8"\n${pools}`);
}

function table(pools: string) {
  let config = configOf(pools);
  const leases = new LeaseTable(config, 1000, 1);
  return {
    leases,
    takeUp: (other: Config) => {
      config = other;
      leases.rebuild(other, 1000);
    },
    choose: (client: number, requested = 0) =>
      chooseAddress(leases, {
        identity: u32Bytes(client),
        network: config.networks[0] as Network,
        requested,
        reservation: undefined,
        mayUse: () => true,
        reservedFor: (address) => config.reservedAddresses.get(address),
      }),
  };
}

test("a client's place is by its hash: the same on a fresh start", () => {
  const pool = `[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.200.0"\n`;
  assert.equal(table(pool).choose(77)?.address, table(pool).choose(77)?.address);
});

test("when every address was used, the one that has been free the longest is given", () => {
  const { leases, choose } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.3"\n`);
  leases.put(ip("10.0.0.1"), u32Bytes(1), STATE.expired, 0, 500);
  leases.put(ip("10.0.0.2"), u32Bytes(2), STATE.released, 0, 400);
  leases.put(ip("10.0.0.3"), u32Bytes(3), STATE.bound, 0, 5000);
  assert.equal(choose(9)?.address, ip("10.0.0.1"), "in the order they were put back");
});

test("a full pool has nothing to give, and says so", () => {
  const { leases, choose } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.2"\n`);
  leases.put(ip("10.0.0.1"), u32Bytes(1), STATE.bound, 0, 5000);
  leases.put(ip("10.0.0.2"), u32Bytes(2), STATE.declined, 0, 5000);
  assert.equal(choose(9), undefined);
});

test("taking up another configuration keeps the leases, their order and the counts", () => {
  const { leases, choose, takeUp } = table(`[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.3"\n`);
  leases.put(ip("10.0.0.1"), u32Bytes(1), STATE.expired, 0, 500);
  leases.put(ip("10.0.0.2"), u32Bytes(2), STATE.released, 0, 400);
  leases.put(ip("10.0.0.3"), u32Bytes(3), STATE.bound, 0, 5000);
  const config = configOf(
    `[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.2"\n[[subnet.pool]]\nrange = "10.0.0.3 - 10.0.0.9"\nexclude = ["10.0.0.4 - 10.0.0.8"]\n`,
  );
  takeUp(config);
  assert.equal(leases.active, 1);
  assert.deepEqual(
    config.pools.map((pool) => leases.use(pool)),
    [
      { bound: 0, offered: 0, declined: 0, size: 2 },
      { bound: 1, offered: 0, declined: 0, size: 2 },
    ],
  );
  const slot = leases.longestFree(config.pools[0] as never) as number;
  assert.equal(leases.address(slot), ip("10.0.0.2"));
  assert.equal(choose(1)?.address, ip("10.0.0.1"), "a returning client keeps its address");
});
