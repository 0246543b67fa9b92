import assert from "node:assert/strict";
import { test } from "node:test";
import { FOREVER, STATE } from "../../src/leases/binding.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { packets4 } from "./packets4.ts";
import { packets6 } from "./packets6.ts";
import { LEAD, SKEW } from "./steps.ts";

for (const [family, packets] of [
  ["IPv4", packets4],
  ["IPv6", packets6],
] as const)
  for (const lost of ["primary", "secondary"] as const)
    test(`${family}: what a ${lost} that lost its disk told a client for ever is nobody else's`, async (t) => {
      const pair = await enginePair(t, {}, packets);
      const { world, pass, ask } = pair;
      const [gone, stays] = (
        lost === "primary" ? [pair.primary, pair.secondary] : [pair.secondary, pair.primary]
      ) as [EngineNode, EngineNode];
      for (const node of [gone, stays]) {
        node.edit = (text) => text.replaceAll("_time = 60", `_time = ${FOREVER}`);
        node.crash();
        node.start();
      }
      pass(30);
      assert.equal(stays.core?.state, "normal");
      const { primary } = pair;
      const offer = ask(primary, { kind: "discover", client: 3, wanted: FOREVER });
      const address = offer?.kind === "offer" ? offer.address : 0;
      const select = { kind: "select", client: 3, address, server: "primary", wanted: FOREVER };
      assert.equal(ask(primary, select)?.kind, "ack");
      pass(5);
      world.run({ do: "partition", isOn: true, r: 1 });
      pass(8);
      const told = ask(gone, { kind: "renew", client: 3, address, wanted: FOREVER });
      assert.deepEqual(told?.kind === "ack" && told.seconds, FOREVER);
      gone.crash();
      gone.loseDisk();
      world.run({ do: "partition", isOn: false, r: 1 });
      gone.start();
      pass(6 * (LEAD + SKEW));
      assert.deepEqual([gone.core?.state, stays.core?.state], ["normal", "normal"]);
      for (const { rows } of [gone, stays]) assert.equal(rows.get(address)?.state, STATE.bound);
    });
