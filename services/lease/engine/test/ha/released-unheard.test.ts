import assert from "node:assert/strict";
import { test } from "node:test";
import { STATE } from "../../src/leases/binding.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { packets4 } from "./packets4.ts";
import { packets6 } from "./packets6.ts";
import { LEAD } from "./steps.ts";

for (const [family, packets] of [
  ["IPv4", packets4],
  ["IPv6", packets6],
] as const)
  test(`${family}: who gave back an address that was the peer's does not get it again while whoever the peer gave it to has it`, async (t) => {
    const pair = await enginePair(t, { addresses: 3 }, packets);
    const { world, pass, ask, join } = pair;
    const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
    pass(30);
    // The secondary gives one of its own, and the client goes on with the primary.
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    const address = join(secondary, 3) as number;
    assert.notEqual(address, undefined);
    world.run({ do: "partition", isOn: false, r: 1 });
    pass(10);
    assert.equal(ask(primary, { kind: "renew", client: 3, address })?.kind, "ack");
    pass(2);
    // The secondary hears that it was given back; that it did is not heard any more.
    world.run({ do: "stall", to: "primary", seconds: 60, r: 1 });
    ask(primary, { kind: "release", client: 3, address });
    pass(3);
    assert.deepEqual(
      [primary, secondary].map(({ rows }) => rows.get(address)?.state),
      [STATE.released, STATE.released],
    );
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    let other = 4;
    while (other < 14 && join(secondary, other) !== address) other++;
    assert.ok(other < 14, "the secondary gives it to another client");
    secondary.crash();
    secondary.loseDisk();
    world.run({ do: "partition", isOn: false, r: 1 });
    secondary.start();
    for (let second = 0; primary.core?.state !== "partner_down"; second++) {
      assert.ok(second < 20);
      pass(1);
    }
    for (let second = 0; second < LEAD - 1; second++) {
      for (const node of [primary, secondary])
        assert.notEqual(join(node, 3), address, `after ${second} seconds`);
      pass(1);
    }
  });
