import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeQueue } from "../src/ha/change-queue.ts";
import { newDurable } from "../src/ha/core-state.ts";
import { STATE } from "../src/leases/binding.ts";
import { type Families, PairLedger } from "../src/loop/pair-ledger.ts";
import { pairPlanOf } from "../src/pair-plan.ts";
import { PairTables } from "../src/store/pair-tables.ts";
import { openForWriting } from "../src/store/schema.ts";
import { configOf } from "./desk.ts";
import { desk6, ip6 } from "./desk6.ts";
import { growth, MAX_GROWTH } from "./growth.ts";

const MANY = 6000;
const hex = (n: number, width = 4) => n.toString(16).padStart(width, "0");

const subnet = `
[dhcpv6]
enabled = true
[[subnet]]
network = "fd77::/64"
interface = "eth0"
[[subnet.pool]]
range = "fd77::1:0:0 - fd77::ffff:ffff:ffff"
[[subnet.prefix_pool]]
prefix = "fd78::/32"
delegated_length = 56
`;

/** The last 64 bits of each prefix are zero. */
const reserving = (count: number) =>
  subnet +
  Array.from(
    { length: count },
    (_, n) => `[[subnet.reservation]]
prefix = "fd79:${hex(n >> 8)}:0:${hex((n & 255) << 8)}::/56"
duid = "00:03:00:01:02:00:00:00:${hex(n >> 8, 2)}:${hex(n & 255, 2)}"
`,
  ).join("");

test("many reserved prefixes: how pools are used is counted in one walk", () => {
  const cost = growth(MANY, (count) => {
    const { leases } = desk6(reserving(count)).dhcp6;
    return () => leases.uses();
  });
  assert.ok(cost < MAX_GROWTH, `${cost}`);
});

test("many reserved prefixes: another configuration, and another address of the engine, cost one walk", () => {
  const reload = growth(MANY, (count) => {
    const { dhcp6 } = desk6(reserving(count));
    const configs = [configOf(reserving(count + 1)), dhcp6.config] as const;
    return () => {
      for (const config of configs) dhcp6.reload(config, "v2");
    };
  });
  assert.ok(reload < MAX_GROWTH, `${reload}`);
  const address = growth(MANY, (count) => {
    const { dhcp6, own } = desk6(reserving(count));
    return () => {
      if (!own.delete(ip6("fd77::2:0:0"))) own.add(ip6("fd77::2:0:0"));
      dhcp6.addressesChanged();
    };
  });
  assert.ok(address < MAX_GROWTH, `${address}`);
});

test("many reserved prefixes: the plan of a pair is made, written and read in one walk", () => {
  const made = growth(MANY, (count) => {
    const config = configOf(reserving(count));
    return () => pairPlanOf(config);
  });
  assert.ok(made < MAX_GROWTH, `${made}`);
  const read = growth(MANY, (count) => {
    const tables = new PairTables(openForWriting(":memory:"));
    const agreed = pairPlanOf(configOf(reserving(count)));
    tables.writeDurable({ ...newDurable("a", 600), plan: { agreed, prepared: [] } });
    return () => tables.durable();
  });
  assert.ok(read < MAX_GROWTH, `${read}`);
});

test("relays of subnets, and those that are believed, are found by their whole address", () => {
  const relayed = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `[[subnet]]\nnetwork = "fd77:${hex(n)}::/64"\nrelays = ["fd7a:${hex(n)}::1"]\n`,
    ).join("");
  const { v6 } = configOf(`[dhcpv6]\nenabled = true\nrelays = ["fd7a::1"]\n${relayed(3)}`);
  assert.equal(v6.relaySubnets.get(ip6("fd7a:2::1"))?.name, "fd77:2::/64");
  assert.equal(v6.relays.has(ip6("fd7a::1")), true);
  assert.equal(v6.relays.has(ip6("fd7a:1::1")), false);
});

test("many delegated prefixes: what a pair lends of a vast pool is found in one walk", () => {
  const first = ip6("fd80::");
  const cost = growth(MANY, (count) => {
    const { dhcp6, engine } = desk6(subnet.replace("fd78::/32", "fd80::/24").replace("= 56", "= 64"));
    for (let n = 0; n < count; n++) {
      const binding = { identity: new Uint8Array(5), starts: 1, until: 4e9, port: "", told: 0, digest: 0 };
      const address = first + ((BigInt(n) * 977n) << 64n);
      dhcp6.leases.put({ ...binding, address, length: 64, state: STATE.bound, relayDigest: 0 });
    }
    const family = { leases: dhcp6.leases } as unknown as NonNullable<Families["v6"]>;
    const range = { first, last: ip6("fd80:ff:ffff:ffff::") };
    return () =>
      engine.rehearse((batch) => {
        const families = { v4: undefined as never, v6: family };
        const ledger = new PairLedger(batch, families, new ChangeQueue(), 0, 0);
        assert.equal(ledger.gapsIn(range, 1).length, 1);
      });
  });
  assert.ok(cost < MAX_GROWTH, `${cost}`);
});
