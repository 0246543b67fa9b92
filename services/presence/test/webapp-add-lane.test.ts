import assert from "node:assert/strict";
import { test } from "node:test";
import { createAddLane } from "../webapp/src/todos/add-lane.ts";
import { type Added, type Line, linesOf } from "../webapp/src/todos/adding.ts";

/** A server that answers when it is told to. */
function slowly() {
  const requests: Array<{ texts: string[]; answer: (left?: readonly Line[], failure?: Error) => void }> = [];
  const add = createAddLane(
    (lines) =>
      new Promise<Added>((resolve) => {
        requests.push({
          texts: lines.map(({ text }) => text),
          answer: (left = [], failure) =>
            resolve({ count: lines.length - left.length, left: left.map((line) => ({ line, failure })) }),
        });
      }),
  );
  return { requests, add };
}

/** Lets everything happen that waits for nobody. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("lines that are typed while others are on their way follow them, together and in their order", async () => {
  const { requests, add } = slowly();
  const typed = ["one", "two", "three"].map((text) => add(linesOf([text])));
  await settled();
  assert.deepEqual(
    requests.map(({ texts }) => texts),
    [["one", "two", "three"]],
  );
  const later = ["four", "five"].map((text) => add(linesOf([text])));
  await settled();
  assert.equal(requests.length, 1, "the answer is waited for");
  requests[0]?.answer();
  await settled();
  assert.deepEqual(requests[1]?.texts, ["four", "five"]);
  requests[1]?.answer();
  for (const { count, left } of await Promise.all([...typed, ...later]))
    assert.deepEqual([count, left], [1, []]);
});

test("each is told of its own lines, and a request that fails stops none after it", async () => {
  const { requests, add } = slowly();
  const [good, bad] = [linesOf(["good"]), linesOf(["bad"])];
  const both = [add(good), add(bad)];
  await settled();
  const next = add(linesOf(["next"]));
  requests[0]?.answer(bad, new Error("no"));
  assert.deepEqual(await both[0], { count: 1, left: [] });
  assert.deepEqual(await both[1], { count: 0, left: [{ line: bad[0], failure: new Error("no") }] });
  await settled();
  requests[1]?.answer();
  assert.equal((await next).count, 1);
});
