import assert from "node:assert/strict";
import { test } from "node:test";
import { takeTurns } from "../src/limits.ts";

test("turns are taken all or none, also where the store of the limits fails in between", async () => {
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
  for (const last of ["away", "full"]) {
    const turns = ["one", "two", last].map((key) => ["mail", key] as const);
    await assert.rejects(takeTurns(limits, turns));
    assert.deepEqual(taken, []);
  }
});
