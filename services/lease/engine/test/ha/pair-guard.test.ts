import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";

test("a message of the peer that cannot be handled costs the link, and clients are served on", async (t) => {
  const pair = await enginePair(t);
  const { pass, join, secondary } = pair;
  const primary = pair.primary as EngineNode;
  pass(30);
  const { id = 0, received = 0 } = primary.core?.link ?? {};
  const broken = {
    get type(): never {
      throw new RangeError("a mistake of ours");
    },
  };
  const message = broken as never;
  assert.throws(
    () => primary.run({ kind: "message", link: id, counter: received, message }),
    /logged an error/,
  );
  assert.match(JSON.stringify(primary.errors), /a message of the peer could not be handled/);
  primary.errors.length = 0;
  assert.equal(primary.core?.link, null);
  assert.notEqual(join(primary, 9), undefined);
  pass(10);
  assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
});
