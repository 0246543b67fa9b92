import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { packets4 } from "./packets4.ts";
import { packets6 } from "./packets6.ts";
import { LEAD, SKEW } from "./steps.ts";
import { macOf, type WorldNode } from "./world-node.ts";

const [HOLDER, OTHER] = [1, 2];
const SECONDS = 60;
const CONFIGS = {
  4: `[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.99"
[[subnet.reservation]]
ip = "10.77.0.50"
mac = ["${macOf(HOLDER)}", "${macOf(OTHER)}"]`,
  6: `[dhcpv6]
enabled = true
preferred_time = ${SECONDS / 2}
valid_time = ${SECONDS}
[[subnet]]
network = "::/64"
interface = "eth0"
[[subnet.pool]]
range = "::a4d:101 - ::a4d:163"
[[subnet.reservation]]
ip = "::a4d:32"
duid = ["00:03:00:01:${macOf(HOLDER)}", "00:03:00:01:${macOf(OTHER)}"]`,
} as const;
const RESERVED = 0x0a4d0032;

async function pairOf(t: TestContext, family: 4 | 6, mode: "hot-standby" | "load-balancing" = "hot-standby") {
  const packets = { ...(family === 4 ? packets4 : packets6), config: () => CONFIGS[family] };
  const pair = await enginePair(t, { mode }, packets);
  const { pass, ask } = pair;
  /** What a client is offered that asks again until it is answered. */
  const offered = (node: WorldNode, client: number) => {
    for (let i = 0; i < 4; i++) {
      const offer = ask(node, { kind: "discover", client });
      if (offer) return offer.address;
      pass(4);
    }
    return undefined;
  };
  pass(40);
  assert.equal(offered(pair.primary, HOLDER), RESERVED);
  const select = { kind: "select", client: HOLDER, address: RESERVED, server: "primary" };
  assert.equal(ask(pair.primary, select)?.kind, "ack");
  const renewals = (count: number) => {
    for (let i = 0; i < count; i++) {
      pass(SECONDS / 2);
      const renewal = { kind: "renew", client: HOLDER, address: RESERVED, isUnicast: true };
      assert.equal(ask(pair.primary, renewal)?.kind, "ack");
    }
  };
  return { ...pair, offered, renewals };
}

for (const family of [4, 6] as const) {
  test(`DHCPv${family}: who renews at one node keeps the address that is reserved for several at the other too`, async (t) => {
    const { primary, secondary, pass, offered, renewals } = await pairOf(t, family, "load-balancing");
    renewals(20);
    pass(2);
    assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
    assert.notEqual(offered(primary, OTHER), RESERVED);
    assert.notEqual(offered(secondary, OTHER), RESERVED);
  });

  test(`DHCPv${family}: who does not renew it in time loses it at both nodes`, async (t) => {
    const { primary, secondary, pass, offered, renewals } = await pairOf(t, family);
    renewals(4);
    pass((SECONDS / 4) * 3 + 1);
    assert.equal(offered(secondary, OTHER), RESERVED);
    assert.equal(offered(primary, OTHER), RESERVED);
  });

  test(`DHCPv${family}: without contact nobody is taken for gone, since the peer may renew the lease`, async (t) => {
    const { world, primary, secondary, offered, renewals } = await pairOf(t, family);
    world.run({ do: "partition", isOn: true, r: 1 });
    renewals(6);
    assert.equal(secondary.core?.state, "interrupted");
    assert.notEqual(offered(secondary, OTHER), RESERVED);
    world.run({ do: "partition", isOn: false, r: 1 });
    renewals(2);
    assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
    assert.notEqual(offered(secondary, OTHER), RESERVED);
  });

  test(`DHCPv${family}: after a takeover a holder is taken for gone once the peer cannot have renewed its lease`, async (t) => {
    const { primary, secondary, pass, offered, renewals } = await pairOf(t, family);
    renewals(4);
    primary.crash();
    pass(8);
    secondary.run({ kind: "command", command: { name: "partner-down" } });
    assert.equal(secondary.core?.state, "partner_down");
    pass(SECONDS);
    assert.notEqual(offered(secondary, OTHER), RESERVED);
    pass(2 * SECONDS + LEAD + SKEW);
    assert.equal(offered(secondary, OTHER), RESERVED);
  });
}

test("a renewal that changes nothing is known to the peer by its time", async (t) => {
  const { primary, secondary, pass, renewals } = await pairOf(t, 4);
  renewals(5);
  pass(2);
  const seen = (node: WorldNode) => (node as EngineNode).seen(RESERVED);
  assert.ok(seen(primary) - seen(secondary) <= 1, `${seen(primary)}, ${seen(secondary)}`);
});
