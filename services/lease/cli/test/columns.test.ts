import assert from "node:assert/strict";
import { test } from "node:test";
import { columns } from "../src/columns.ts";

test("a table of two hundred thousand rows is only long", () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => [String(i), "x"]);
  const lines = columns(["number", "letter"], rows).split("\n");
  assert.equal(lines.length, 200_001);
  assert.equal(lines.at(-1), "199999  x");
});

test("what a client calls itself does nothing to the terminal", () => {
  assert.equal(columns(["name"], [["a\u061cb\u200ec\u200f"]]), "name\na?b?c?");
  assert.equal(columns(["name"], [["a\u001b[2Jb\u009b1m\u202ec\n"]]), "name\na?[2Jb?1m?c?");
});
