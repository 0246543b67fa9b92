import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../src/domain/csv-text.ts";

const cells = (text: string) => parseCsv(text)?.map((row) => row.cells);

test("rows and cells, with either line ending, a byte order mark, and no newline at the end", () => {
  assert.deepEqual(cells("\uFEFFa,b\r\n1, 2 \r\n3,4"), [
    ["a", "b"],
    ["1", "2"],
    ["3", "4"],
  ]);
  assert.deepEqual(cells("a,b\n1,"), [
    ["a", "b"],
    ["1", ""],
  ]);
  assert.deepEqual(cells(""), []);
});

test("quotes keep separators, quotes and newlines; rows know the line they begin at", () => {
  const text = 'a,b\n"x, ""y""","two\nlines"\n,\n1,2\n';
  assert.deepEqual(parseCsv(text), [
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ['x, "y"', "two\nlines"] },
    { line: 5, cells: ["1", "2"] },
  ]);
});

test("semicolons where the first line has them; a quote that is not closed is no CSV", () => {
  assert.deepEqual(cells("a;b\n1,5;2"), [
    ["a", "b"],
    ["1,5", "2"],
  ]);
  assert.equal(parseCsv('a,b\n"1,2'), undefined);
});
