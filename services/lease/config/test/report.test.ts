import assert from "node:assert/strict";
import { test } from "node:test";
import { Report } from "../src/shape.ts";
import { ConfigError } from "../src/toml-document.ts";
import { readConfig } from "../src/validate.ts";

const problemsOf = (text: string) => {
  try {
    readConfig(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

test("of a text that is all wrong, as many problems are told as anybody reads, and how many more there are", () => {
  const lines = Array.from({ length: 5000 }, (_, line) => `nonsense_${line} = 1`);
  const problems = problemsOf(lines.join("\n"));
  assert.equal(problems.length, 101);
  assert.match(problems.at(-1)?.message ?? "", /^and \d+ more problems\.$/);
  assert.equal(problems[0]?.line, 1);
});

test("a key as long as a book is told by its beginning", () => {
  const [problem] = problemsOf(`${"k".repeat(200_000)} = 1\n`);
  assert.match(problem?.message ?? "", /^k{64}… is not a key of the configuration\.$/);
});

test("what nobody is told of is not put into words: a guess at each of 40,000 keys takes seconds", () => {
  const report = new Report();
  let made = 0;
  for (let line = 1; line <= 500; line++) {
    report.add({ line, column: 1 }, () => `mistake ${++made}`);
  }
  assert.equal(made, 100);
  assert.throws(() => report.throwIfAny(), /and 400 more problems/);
});
