import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "../src/domain/line-diff.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`);
const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

test("nothing changed, nothing told", () => {
  assert.equal(unifiedDiff("a\nb\n", "a\nb\n"), "");
  assert.equal(unifiedDiff("", ""), "");
});

test("a changed line with three lines around it", () => {
  const before = numbered(9);
  assert.equal(
    unifiedDiff(text(before), text(before.with(4, "other"))),
    "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+other\n line 6\n line 7\n line 8\n",
  );
});

test("changes far apart are told apart; what is added and removed is counted on its side", () => {
  const before = numbered(30);
  const after = [...before.toSpliced(27, 1).toSpliced(2, 0, "new")];
  assert.equal(
    unifiedDiff(text(before), text(after)),
    "@@ -1,5 +1,6 @@\n line 1\n line 2\n+new\n line 3\n line 4\n line 5\n" +
      "@@ -25,6 +26,5 @@\n line 25\n line 26\n line 27\n-line 28\n line 29\n line 30\n",
  );
});

test("all of it is new, or gone", () => {
  assert.equal(unifiedDiff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  assert.equal(unifiedDiff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
});

test("any two texts: the lines without one side's marks are the other text", () => {
  const words = ["a", "b", "c", ""];
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  for (let round = 0; round < 300; round++) {
    const make = () =>
      Array.from({ length: Math.floor(random() * 6) }, () => words[Math.floor(random() * 4)]);
    const [before, after] = [make(), make()];
    const diff = unifiedDiff(
      before.map((each) => `${each}\n`).join(""),
      after.map((each) => `${each}\n`).join(""),
    );
    // So short that all of it is in one hunk, if anything changed.
    const lines = diff.split("\n").slice(1, -1);
    const side = (other: string) => lines.filter((line) => line[0] !== other).map((line) => line.slice(1));
    if (diff === "") assert.deepEqual(before, after);
    else {
      assert.deepEqual(side("+"), before);
      assert.deepEqual(side("-"), after);
    }
  }
});
