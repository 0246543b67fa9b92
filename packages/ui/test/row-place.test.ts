import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "../src/row-place.ts";

const at = (name: string | undefined, before: string, now: string) => {
  const rows = [...now];
  const index = placeOf(
    name,
    rows,
    { rows: [...before], at: Math.max(0, before.indexOf(name ?? "")) },
    (row) => row,
  );
  return rows[index];
};

test("rows that come and go above leave a person at the row they were at", () => {
  assert.equal(at("c", "abcd", "abcd"), "c");
  assert.equal(at("c", "abcd", "yxabcd"), "c");
  assert.equal(at("c", "abcd", "cd"), "c");
  assert.equal(at("c", "abcd", "dcba"), "c", "sorted anew");
});

test("the row that followed one which has left is in its place, whatever came above at the same time", () => {
  assert.equal(at("c", "abcd", "abd"), "d");
  assert.equal(at("c", "abcde", "yxabe"), "e");
  assert.equal(at("d", "abcd", "xabc"), "c", "the last one's is the one before it");
  assert.equal(at("c", "abcd", "xyz"), "z", "another list altogether: as far down");
  assert.equal(at("c", "abcd", ""), undefined);
  assert.equal(at(undefined, "abcd", "xabcd"), "x", "who has been at none begins with the first");
});
