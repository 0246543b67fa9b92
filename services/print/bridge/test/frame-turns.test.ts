import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { createFrameTurns } from "../src/http/frame-turns.ts";

test("of many frames that come at once none is overtaken, and everything else goes on in between", async () => {
  const turns = createFrameTurns();
  const seen: Array<number | string> = [];
  const come = (n: number) => {
    const go = () => {
      if (turns.take()) seen.push(n);
      else turns.wait(go);
    };
    go();
  };
  for (let n = 1; n <= 20; n++) come(n);
  setImmediate(() => {
    seen.push("the disk");
    // Those that came before it still wait.
    come(21);
  });
  const upTo = (from: number, to: number): Array<number | string> =>
    Array.from({ length: to - from + 1 }, (_, n) => from + n);
  assert.deepEqual(seen, upTo(1, 8));
  await untilEqual(() => seen, [...upTo(1, 16), "the disk", ...upTo(17, 21)]);
});

test("who asked twice for a later turn is called once", async () => {
  const turns = createFrameTurns();
  let calls = 0;
  const count = () => {
    calls++;
  };
  while (turns.take());
  turns.wait(count);
  turns.wait(count);
  await untilEqual(() => calls, 1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(calls, 1);
  assert.equal(turns.take(), true);
});
