import assert from "node:assert/strict";
import { test } from "node:test";
import { PairTime } from "../../src/ha/pair-time.ts";

const NOW = 10_000;

test("the time of a pair is that of the wall clock, forward steps and sleep included", () => {
  const time = new PairTime(10);
  assert.deepEqual(time.at(NOW, NOW - 40), { now: NOW, engine: NOW - 40, shift: -40 });
  assert.deepEqual(time.at(NOW + 7200, NOW - 39), { now: NOW + 7200, engine: NOW - 39, shift: -7239 });
});

test("it stands still while the clock is a little behind, and goes back with one that was set back further", () => {
  const time = new PairTime(10);
  time.at(NOW, NOW);
  assert.equal(time.at(NOW - 10, NOW + 1).now, NOW);
  assert.equal(time.at(NOW - 3, NOW + 8).now, NOW);
  assert.equal(time.at(NOW + 1, NOW + 12).now, NOW + 1);
  assert.equal(time.at(NOW - 9.5, NOW + 13).now, NOW - 9.5);
});

test("parts of a second move no lease", () => {
  const time = new PairTime(10);
  assert.equal(time.at(NOW, NOW + 0.4).shift, 0);
  assert.equal(time.at(NOW + 1, NOW + 1.9).shift, 0);
  assert.equal(time.at(NOW + 2, NOW + 3.1).shift, 1);
});

test("a clock that is set by more than the skew is told once, and sleep or a small step is not", () => {
  const time = new PairTime(10);
  const told = [
    [NOW, NOW],
    [NOW + 7200, NOW + 7200],
    [NOW + 7209, NOW + 7201],
    [NOW + 7229, NOW + 7202],
    [NOW + 7230, NOW + 7203],
    [NOW + 7200, NOW + 7204],
  ].map(([wall, engine]) => time.stepAt(time.at(wall as number, engine as number)));
  assert.deepEqual(told, [0, 0, 0, 19, 0, -31]);
});

test("a clock that was set while the process was down is told by what was kept", () => {
  assert.equal(new PairTime(10, 5).stepAt({ now: NOW, engine: NOW + 3605, shift: 3605 }), -3600);
  assert.equal(new PairTime(10, 5).stepAt({ now: NOW, engine: NOW + 9, shift: 9 }), 0);
});
