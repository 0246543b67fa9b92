import assert from "node:assert/strict";
import { test } from "node:test";
import { createMoves, inOrderOf, type Move, moveTo } from "../src/moves.ts";

const items = ["a", "b", "c", "d"].map((id) => ({ id }));
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join("");

test("three steps down within a moment are three steps, whatever is stored by then", async () => {
  const stored: Move[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const idle = Promise.withResolvers<void>();
  const add = createMoves(async (move) => {
    stored.push(move);
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    await answer.promise;
  }, idle.resolve);
  let shown: readonly { id: string }[] = items;
  for (let step = 0; step < 3; step++) {
    const moved = moveTo(shown, "a", ids(shown).indexOf("a") + 1);
    assert.ok(moved);
    shown = inOrderOf(items, moved.order);
    add(moved.move);
  }
  assert.equal(ids(shown), "bcda");
  assert.deepEqual(stored, [{ id: "a", after: "b" }], "one after the other");
  answers[0]?.resolve();
  await new Promise(setImmediate);
  assert.deepEqual(stored.slice(1), [{ id: "a", after: "d" }], "only where it ends");
  answers[1]?.resolve();
  await idle.promise;
});

test("moves of several items are stored in their order", async () => {
  const stored: string[] = [];
  const idle = Promise.withResolvers<void>();
  const add = createMoves(async ({ id, after }) => void stored.push(`${id} after ${after}`), idle.resolve);
  add({ id: "a", after: "b" });
  add({ id: "c", after: null });
  add({ id: "a", after: "c" });
  add({ id: "a", after: "d" });
  await idle.promise;
  assert.deepEqual(stored, ["a after b", "c after null", "a after d"]);
});

test("what is at an end stays there, what has gone is not moved, and what has come since is last", () => {
  assert.equal(moveTo(items, "a", -1), undefined);
  assert.equal(moveTo(items, "d", 9), undefined);
  assert.equal(moveTo(items, "x", 1), undefined);
  assert.deepEqual(moveTo(items, "d", 0)?.move, { id: "d", after: null });
  assert.equal(ids(inOrderOf([...items, { id: "e" }], ["d", "x", "a", "b", "c"])), "dabce");
});
