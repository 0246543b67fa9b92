import assert from "node:assert/strict";
import { test } from "node:test";
import { type FileResult, summaryOf, worthRerun } from "./run-tests.ts";

const fine: FileResult = { passed: 3, failures: [], skips: [], seconds: 1 };
const failed: FileResult = { passed: 2, failures: ["b: it broke"], skips: [], seconds: 1 };

test("a file that fails again, alone, has failed", () => {
  const results = new Map([
    ["a", fine],
    ["b", failed],
  ]);
  assert.deepEqual(worthRerun(results), ["b"]);
  const { failures, unsteady } = summaryOf(results, new Map([["b", failed]]));
  assert.deepEqual([failures, unsteady], [["b: it broke"], []]);
});

test("a file that passes alone counts as passed, and its first failure is told", () => {
  const results = new Map([
    ["a", fine],
    ["b", failed],
  ]);
  const summary = summaryOf(results, new Map([["b", fine]]));
  assert.deepEqual(summary, { passed: 6, failures: [], skips: [], unsteady: ["b: it broke"] });
});

test("more failed files than an accident explains are not run again", () => {
  const results = new Map(["a", "b", "c"].map((file) => [file, failed]));
  assert.deepEqual(worthRerun(results), []);
  assert.equal(summaryOf(results, new Map()).failures.length, 3);
});
