import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { timeText } from "../src/control/time-text.ts";

test("seconds are written as toISOString writes them, also before 1970 and far ahead", () => {
  const seconds = fc.integer({ min: -(2 ** 33), max: 2 ** 33 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: -100_000, max: 100_000 }), (some, away) => {
      for (const time of [some, some + away, some])
        assert.equal(timeText(time), new Date(time * 1000).toISOString());
    }),
  );
});
