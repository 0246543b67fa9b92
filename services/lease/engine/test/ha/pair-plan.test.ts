import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@frontdesk/lease-config/validate";
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
