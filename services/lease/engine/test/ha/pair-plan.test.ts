import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@frontdesk/lease-config/validate";
import { parseIpv6 } from "@frontdesk/lease-options/address";
import { isFrozen } from "../../src/ha/plan.ts";
import { pairPlanOf, reloaded } from "../../src/pair-plan.ts";

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
