import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as othersTurn } from "node:timers/promises";
import { roomFor, soManyAtOnce } from "../at-once.js";

const GB = 1024 ** 3;

test("so many are done at once as there is memory for, and one where there is too little", () => {
  assert.deepEqual(
    [0, 0.5, 1.9, 2, 24].map((free) => roomFor(GB, free * GB)),
    [1, 1, 1, 2, 24],
  );
  assert.ok(roomFor(1) > 1, "of this machine");
});

/** Does items that take a while each; answers with those that were begun and how many were under way at once. */
async function observed(limit: number, items: readonly string[]) {
  const begun: string[] = [];
  const most = { atOnce: 0 };
  let underWay = 0;
  const work = async (item: string) => {
    begun.push(item);
    most.atOnce = Math.max(most.atOnce, ++underWay);
    await othersTurn();
    underWay--;
    if (item === "bad") throw new Error("bad");
    assert.ok(underWay >= 0);
  };
  const failure = await soManyAtOnce(limit, items, work).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { begun, failure, underWay, atOnce: most.atOnce };
}

test("never more than the limit are under way, and all are done", async () => {
  const items = ["one", "two", "three", "four"];
  for (const [limit, atOnce] of [
    [1, 1],
    [3, 3],
    [9, 4],
  ] as const)
    assert.deepEqual(await observed(limit, items), { begun: items, failure: undefined, underWay: 0, atOnce });
  assert.deepEqual((await observed(2, [])).begun, []);
});

test("after one that fails no other is begun, and those under way are waited for", async () => {
  assert.deepEqual(await observed(2, ["bad", "two", "three"]), {
    begun: ["bad", "two"],
    failure: "bad",
    underWay: 0,
    atOnce: 2,
  });
});
