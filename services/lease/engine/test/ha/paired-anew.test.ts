import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { LEAD, SKEW } from "./steps.ts";

for (const lost of ["primary", "secondary"] as const) {
  const kept = lost === "primary" ? "secondary" : "primary";

  test(`a ${kept} without a lease waits for what a ${lost} that is replaced told clients while each was alone`, async (t) => {
    const pair = await enginePair(t);
    const { world, pass, join } = pair;
    const [gone, stays] = [pair[lost], pair[kept]] as [EngineNode, EngineNode];
    pass(30);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(2 * (LEAD + SKEW));
    assert.equal(stays.core?.state, "interrupted");
    const held = join(gone, 3) as number;
    assert.notEqual(held, undefined);
    gone.crash();
    gone.loseDisk();
    world.run({ do: "partition", isOn: false, r: 1 });
    stays.pairAnew();
    gone.start();
    for (let second = 0; second < LEAD; second++) {
      pass(1);
      for (let client = 4; client < 14; client++)
        for (const node of [gone, stays])
          assert.notEqual(join(node, client), held, `after ${second} seconds`);
    }
    pass(10);
    assert.deepEqual([gone.core?.state, stays.core?.state], ["normal", "normal"]);
  });

  test(`a ${kept} that has taken over waits for what a ${lost} that is replaced may have told by what it was promised`, async (t) => {
    const pair = await enginePair(t);
    const { world, pass, ask, join } = pair;
    const [gone, stays] = [pair[lost], pair[kept]] as [EngineNode, EngineNode];
    pass(30);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    const held = join(gone, 3) as number;
    assert.notEqual(held, undefined);
    world.run({ do: "partition", isOn: false, r: 1 });
    pass(5);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    const told = ask(gone, { kind: "renew", client: 3, address: held, wanted: 3600 });
    const end = world.now + (told?.kind === "ack" ? told.seconds : 0);
    gone.crash();
    stays.run({ kind: "command", command: { name: "partner-down" } });
    pass(LEAD + SKEW + 1);
    const row = stays.rows.get(held);
    assert.ok(
      (row?.end ?? 0) + SKEW < world.now && world.now + 5 < end,
      "ended here, and not for its client",
    );
    gone.loseDisk();
    world.run({ do: "partition", isOn: false, r: 1 });
    stays.pairAnew();
    gone.start();
    while (world.now < end - 1) {
      pass(1);
      for (let client = 4; client < 14; client++)
        for (const node of [gone, stays])
          assert.notEqual(join(node, client), held, `${end - world.now} seconds before its end`);
    }
  });

  test(`a ${kept} without a lease that has just taken over waits for what a ${lost} that is replaced told clients alone`, async (t) => {
    const pair = await enginePair(t);
    const { world, pass, join } = pair;
    const [gone, stays] = [pair[lost], pair[kept]] as [EngineNode, EngineNode];
    pass(30);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(2 * (LEAD + SKEW));
    const held = join(gone, 3) as number;
    assert.notEqual(held, undefined);
    gone.crash();
    pass(6);
    stays.run({ kind: "command", command: { name: "partner-down" } });
    assert.equal(stays.core?.state, "partner_down");
    assert.equal(stays.standing, "in force");
    gone.loseDisk();
    world.run({ do: "partition", isOn: false, r: 1 });
    stays.pairAnew();
    gone.start();
    for (let second = 0; second < LEAD - 6; second++) {
      pass(1);
      for (let client = 4; client < 14; client++)
        for (const node of [gone, stays])
          assert.notEqual(join(node, client), held, `after ${second} seconds`);
    }
  });

  test(`a ${kept} that was started anew while a ${lost} served alone cannot tell that it is one of another pair`, async (t) => {
    const pair = await enginePair(t);
    const { world, pass, join } = pair;
    const [gone, stays] = [pair[lost], pair[kept]] as [EngineNode, EngineNode];
    pass(30);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(2 * (LEAD + SKEW));
    stays.crash();
    stays.start();
    assert.equal(stays.standing, "unclear");
    const held = join(gone, 3) as number;
    assert.notEqual(held, undefined);
    gone.crash();
    pass(6);
    stays.run({ kind: "command", command: { name: "partner-down" } });
    assert.equal(stays.standing, "in force");
    pass(LEAD + SKEW);
    assert.equal(stays.standing, "over", "the peer is waited for no longer, and there is no lease");
  });
}
