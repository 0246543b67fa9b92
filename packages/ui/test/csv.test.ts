import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../src/csv.ts";

test("cells with commas, quotes and line ends come back as they were", () => {
  assert.equal(
    csvOf(
      ["name", "labels"],
      [
        ['Lager "Süd", 2', 3],
        ["two\nlines", null],
      ],
    ),
    '\uFEFFname,labels\r\n"Lager ""Süd"", 2",3\r\n"two\nlines",\r\n',
  );
});

test("what a page called itself is never a formula in somebody's spreadsheet", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"]) {
    assert.ok(csvOf([], [[text]]).includes(`'${text}`), text);
  }
  assert.ok(csvOf([], [[-1]]).includes("\r\n-1\r\n"), "a number stays a number");
});
