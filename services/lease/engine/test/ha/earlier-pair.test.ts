import assert from "node:assert/strict";
import { test } from "node:test";
import { STATE } from "../../src/leases/binding.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";

test("a disk from before the two left their pair and became one again takes everything from the other", async (t) => {
  const pair = await enginePair(t);
  const { pass, join } = pair;
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  const states = () => [primary, secondary].map(({ core }) => core?.state);
  pass(30);
  // In this pair more happens than in the next one: its numbers and epochs are the higher ones.
  for (let times = 0; times < 3; times++) for (const client of [1, 2]) join(primary, client);
  for (let times = 0; times < 2; times++) {
    primary.crash();
    pass(6);
    secondary.run({ kind: "command", command: { name: "partner-down", force: true } });
    primary.start();
    pass(30);
  }
  assert.deepEqual(states(), ["normal", "normal"]);
  const restore = secondary.remember();
  for (const node of [primary, secondary]) {
    node.crash();
    node.forgetPair();
    node.start();
  }
  pass(30);
  assert.deepEqual(states(), ["normal", "normal"]);
  const held = join(primary, 1) as number;
  pass(3);
  secondary.crash();
  restore();
  secondary.start();
  pass(30);
  assert.deepEqual(states(), ["normal", "normal"]);
  for (const { rows } of [primary, secondary]) assert.equal(rows.get(held)?.state, STATE.bound);
});
