import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@frontdesk/lease-config/validate";
import { parseIpv6 } from "@frontdesk/lease-options/address";
import { isFrozen, type Plan } from "../../src/ha/plan.ts";
import { pairPlanOf, reloaded } from "../../src/pair-plan.ts";

import { growth, MAX_GROWTH } from "../growth.ts";

const HA = '[ha]\nenabled = true\nprimary = "10.0.0.2:31077"\nsecondary = "10.0.0.3:31077"';
const toml = (identity: string, v6: boolean, ha = HA) =>
  [
    ha,
    `[server]\ninterfaces = ["eth0"]\nidentity = "${identity}"`,
    `[dhcpv6]\nenabled = ${v6}`,
    '[[subnet]]\nnetwork = "10.0.0.0/24"\n[[subnet.pool]]\nrange = "10.0.0.10 - 10.0.0.20"',
    '[[subnet]]\nnetwork = "fd00::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd00::10 - fd00::20"',
  ].join("\n");

test("what waits for a restart changes no plan: clients keep their names, and no family is frozen that is served", () => {
  const started = readConfig(toml("client_id", true));
  const after = reloaded(readConfig(toml("mac", false)), started);
  assert.equal(after.identity, "client_id");
  assert.equal(pairPlanOf(after).hash, pairPlanOf(started).hash);
  const other = readConfig(toml("mac", false).replace("10.0.0.20", "10.0.0.30"));
  assert.notEqual(pairPlanOf(reloaded(other, started)).hash, pairPlanOf(started).hash);
});

test("without a peer, what names clients is taken up at once", () => {
  const started = readConfig(toml("client_id", true, ""));
  assert.equal(reloaded(readConfig(toml("mac", true, "")), started).identity, "mac");
});

const prefixPlan = (more: string) => pairPlanOf(readConfig(`${toml("client_id", true)}\n${more}`));
const pooled = (length: number) =>
  prefixPlan(`[[subnet.prefix_pool]]\nprefix = "fd01::/48"\ndelegated_length = ${length}`);
const reservedFor = (length: number) =>
  prefixPlan(`[[subnet.reservation]]\nprefix = "fd01::/${length}"\nduid = "00:03:00:01:02:00:00:00:00:01"`);

for (const [what, planOf, [one, other]] of [
  ["the length of delegated prefixes", pooled, [56, 60]],
  ["the length of a reserved prefix", reservedFor, [56, 60]],
] as const)
  test(`${what} is of the plan: where two nodes differ in it, nobody new gets a prefix`, () => {
    const [agreed, plan] = [planOf(one), planOf(other)];
    assert.notEqual(agreed.hash, plan.hash);
    assert.equal(agreed.hash, planOf(one).hash);
    const isFrozenAt = (address: string, by = plan) =>
      isFrozen({ agreed, prepared: [] }, by, parseIpv6(address) as bigint, true);
    assert.equal(isFrozenAt("fd01::"), true, "where it begins");
    assert.equal(isFrozenAt("fd01:0:0:20::"), true, "within the longer one");
    assert.equal(isFrozenAt("fd01:0:0:20::", planOf(one)), false);
    assert.equal(isFrozenAt("fd00::11"), false, "addresses are given as before");
    assert.equal(isFrozenAt("fd01:0:0:2000::"), planOf === pooled, "outside of what is reserved");
  });

test("what lies over an address is seen of ranges that lie in each other, beside each other and at the ends", () => {
  const ranges = [
    { first: 3, last: 20, length: 56 },
    { first: 5, last: 8, length: 60 },
    { first: 5, last: 5, length: 64 },
    { first: 9, last: 12, length: 60 },
    { first: 20, last: 25, length: 60 },
  ];
  const pools = [
    { first: 0, last: 2 },
    { first: 20, last: 30 },
  ];
  const agreed: Plan = { hash: "a", pools, reserved: new Map([[7, "door"]]), prefixes: ranges };
  const isIn = (address: number) => (each: { readonly first: number; readonly last: number }) =>
    address >= each.first && address <= each.last;
  for (const [i, left] of ranges.entries()) {
    const plan = { ...agreed, hash: "b", prefixes: ranges.toSpliced(i, 1) };
    for (let address = 0; address < 35; address++)
      assert.equal(
        isFrozen({ agreed, prepared: [] }, plan, address, true),
        isIn(address)(left),
        `${i} ${address}`,
      );
  }
  for (const [i, left] of pools.entries()) {
    const plan = { ...agreed, hash: "b", pools: pools.toSpliced(i, 1) };
    for (let address = 0; address < 35; address++)
      assert.equal(
        isFrozen({ agreed, prepared: [] }, plan, address, true),
        isIn(address)(left),
        `${i} ${address}`,
      );
  }
  const plan = { ...agreed, hash: "b", reserved: new Map([[6, "door"]]) };
  const frozen = Array.from({ length: 35 }, (_, n) => n).filter((n) =>
    isFrozen({ agreed, prepared: [] }, plan, n, true),
  );
  assert.deepEqual(frozen, [6, 7]);
});

test("while plans differ, a look at an address costs the same however many prefixes are reserved", () => {
  const cost = growth(6000, (count) => {
    const at = (n: number) => (1n << 120n) + (BigInt(n) << 72n);
    const prefixes = Array.from({ length: count }, (_, n) => ({
      first: at(n),
      last: at(n) + 5n,
      length: 56,
    }));
    const plan = (hash: string, length: number): Plan => ({
      hash,
      pools: [],
      reserved: new Map(),
      prefixes: [...prefixes, { first: at(0), last: at(count), length }],
    });
    const [agreed, other] = [plan("a", 56), plan("b", 60)];
    return () => {
      for (let n = 0; n < count; n++)
        assert.equal(isFrozen({ agreed, prepared: [] }, other, at(n), true), true);
    };
  });
  assert.ok(cost < MAX_GROWTH, `${cost}`);
});
