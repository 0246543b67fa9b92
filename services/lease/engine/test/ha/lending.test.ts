import assert from "node:assert/strict";
import { test } from "node:test";
import { answerTo, excessOf, isShort, rangesOf } from "../../src/ha/lending.ts";

test("a node gives half of what it has beyond its share", () => {
  assert.equal(excessOf({ own: 1000, peer: 0 }, 0.5), 250);
  assert.equal(excessOf({ own: 300, peer: 100 }, 0.5), 50);
});

test("a small difference moves nothing", () => {
  assert.equal(excessOf({ own: 53, peer: 47 }, 0.5), 0);
  assert.equal(excessOf({ own: 2, peer: 1 }, 0.5), 0);
});

test("a node asks when it is short and the peer has more", () => {
  assert.equal(isShort({ own: 3, peer: 100 }, 0, false), true);
  assert.equal(isShort({ own: 50, peer: 100 }, 0, false), false);
  assert.equal(isShort({ own: 50, peer: 100 }, 40, false), true);
  assert.equal(isShort({ own: 3, peer: 3 }, 0, false), false);
  assert.equal(isShort({ own: 0, peer: 0 }, 0, true), false);
});

test("a node that refused a client asks for the peer's last address", () => {
  assert.equal(isShort({ own: 0, peer: 1 }, 0, true), true);
  assert.equal(answerTo({ own: 1, peer: 0 }, 1), 1);
});

test("a node that is asked gives half of the rest at most", () => {
  assert.equal(answerTo({ own: 100, peer: 0 }, 80), 50);
  assert.equal(answerTo({ own: 100, peer: 0 }, 8), 8);
  assert.equal(answerTo({ own: 0, peer: 9 }, 4), 0);
});

test("addresses that follow each other are given as one range", () => {
  assert.deepEqual(rangesOf([1, 2, 3, 7, 9, 10]), [
    { first: 1, last: 3 },
    { first: 7, last: 7 },
    { first: 9, last: 10 },
  ]);
});
