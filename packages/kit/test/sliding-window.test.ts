import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlidingWindows } from "@frontdesk/kit/sliding-window";
import { fakeClock } from "@frontdesk/testkit/clock";

test("each caller has its own count, which slides, and a refusal is not counted", () => {
  const clock = fakeClock();
  const windows = createSlidingWindows({ max: 2, windowMs: 1_000 }, clock);
  const allowed = (caller: string) => windows.consume(caller, 1).allowed;
  assert.deepEqual([allowed("a"), allowed("a"), allowed("a"), allowed("b")], [true, true, false, true]);
  clock.advance(600);
  assert.equal(windows.consume("a", 1).waitMs, 400);
  clock.advance(400);
  assert.equal(allowed("a"), true);
});

test("callers that are invented without end fill nothing, and push out the one that was heard of first", () => {
  const clock = fakeClock();
  const windows = createSlidingWindows({ max: 1, windowMs: 1_000 }, clock);
  for (let n = 0; n < 10_000; n++) windows.consume(`caller ${n}`, 1);
  assert.equal(windows.consume("caller 1", 1).allowed, false);
  assert.equal(windows.consume("one more", 1).allowed, true);
  assert.equal(windows.consume("caller 1", 1).allowed, false, "it is still counted");
  assert.equal(windows.consume("caller 0", 1).allowed, true, "the first is forgotten");
});
