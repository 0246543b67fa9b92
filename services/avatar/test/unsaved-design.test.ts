import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, change } from "../console/src/editor/design.ts";
import { held, isBehind, isSame, kept } from "../console/src/editor/unsaved-design.ts";

const design = (seed: string) => ({ collection: "personas", seed, options: {} });
const [OLD, MINE, THEIRS] = [design("old"), design("mine"), design("theirs")];
const CHANGED = { history: change(begin(OLD), MINE), base: OLD };
const SAVED = { ...CHANGED, base: MINE };

test("what was saved elsewhere takes the place of a design that was not changed since its save", () => {
  assert.equal(kept(SAVED, THEIRS), undefined);
  assert.equal(kept(SAVED, MINE), SAVED);
  // A picture that took its place, or nothing known yet: the design can be saved again.
  assert.equal(kept(SAVED, undefined), SAVED);
});

test("changes stay, and it is told that something else was saved meanwhile", () => {
  assert.equal(kept(CHANGED, THEIRS), CHANGED);
  assert.equal(isBehind(CHANGED, THEIRS), true);
  assert.equal(isBehind(CHANGED, OLD), false);
  // The moment between a save and its base.
  assert.equal(isBehind(CHANGED, MINE), false);
  assert.equal(isBehind({ history: CHANGED.history }, THEIRS), false);
});

test("a design that a picture takes the place of stays in the editor, unless changes are there", () => {
  assert.deepEqual(held(undefined, THEIRS), { history: begin(THEIRS), base: THEIRS });
  assert.deepEqual(held(SAVED, THEIRS), { history: begin(THEIRS), base: THEIRS });
  assert.deepEqual(held(SAVED, MINE), SAVED);
  assert.equal(held(CHANGED, THEIRS), CHANGED);
});

test("an option that was changed and changed back is no change", () => {
  const eyes = { ...OLD, options: { eyes: "wink", mouth: "smile" } };
  const { eyes: before, ...rest } = eyes.options;
  assert.equal(isSame(eyes, { ...eyes, options: { ...rest, eyes: before } }), true);
  assert.equal(isSame(eyes, { ...eyes, options: { ...rest, eyes: "open" } }), false);
  assert.equal(isSame(eyes, { ...eyes, options: rest }), false);
  assert.equal(isSame(undefined, null), false);
});
