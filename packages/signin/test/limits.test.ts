import assert from "node:assert/strict";
import { test } from "node:test";
import { takeTurns, takingTurns } from "../src/limits.ts";

/** Limits without an end but for a key that is full and one whose store is away; `taken` are the keys that count. */
function limitsUnderTest() {
  const taken: string[] = [];
  const limits = {
    consume: async (_what: string, key: string) => {
      if (key === "away") throw new Error("the store is away");
      if (key === "full") return 60;
      taken.push(key);
      return undefined;
    },
    giveBack: async (_what: string, key: string) => {
      taken.splice(taken.indexOf(key), 1);
    },
  };
  return { limits, taken };
}

test("turns are taken all or none, also where the store of the limits fails in between", async () => {
  const { limits, taken } = limitsUnderTest();
  for (const last of ["away", "full"]) {
    const turns = ["one", "two", last].map((key) => ["mail", key] as const);
    await assert.rejects(takeTurns(limits, turns));
    assert.deepEqual(taken, []);
  }
});

test("what could not be done is not counted", async () => {
  const { limits, taken } = limitsUnderTest();
  const turns = ["one", "two"].map((key) => ["mail", key] as const);
  const away = () => Promise.reject(new Error("the database is away"));
  await assert.rejects(takingTurns(limits, turns, away), /database is away/);
  assert.deepEqual(taken, []);
  assert.equal(await takingTurns(limits, turns, async () => "done"), "done");
  assert.deepEqual(taken, ["one", "two"]);
});
