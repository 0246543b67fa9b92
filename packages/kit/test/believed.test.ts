import assert from "node:assert/strict";
import { test } from "node:test";
import { believed } from "../src/believed.ts";

/** A check that ends when it is told to, and how often it was made. */
function checked() {
  let now = 0;
  const ends: Array<{ well: () => void; badly: () => void }> = [];
  const made = believed(
    () =>
      new Promise<void>((resolve, reject) =>
        ends.push({ well: resolve, badly: () => reject(new Error("no")) }),
      ),
    { now: () => now },
  );
  return {
    ...made,
    ends,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test("many who ask at once cost one check, and so do those who ask soon after", async () => {
  const { check, ends, advance } = checked();
  const asked = Promise.all([check(), check(), check()]);
  ends[0]?.well();
  await asked;
  advance(4_999);
  await check();
  assert.equal(ends.length, 1);
  advance(1);
  void check();
  assert.equal(ends.length, 2);
});

test("a check that went badly is made again by whoever asks next", async () => {
  const { check, ends } = checked();
  const asked = assert.rejects(check());
  ends[0]?.badly();
  await asked;
  void check();
  assert.equal(ends.length, 2);
});

test("what is doubted while it is checked is checked again", async () => {
  const { check, doubt, ends } = checked();
  const asked = check();
  doubt();
  ends[0]?.well();
  await asked;
  void check();
  assert.equal(ends.length, 2);
});
