import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { longestCommon } from "../src/longest-common.ts";

/** An element that is known by its key and may differ in what else it says. */
interface Element {
  readonly key: string;
  readonly rest: number;
}
const element: fc.Arbitrary<Element> = fc.record({
  key: fc.constantFrom("a", "b", "c", "d"),
  rest: fc.nat(1),
});
const isEqual = (a: Element, b: Element) => a.key === b.key && a.rest === b.rest;
const common = (one: readonly Element[], other: readonly Element[]) =>
  longestCommon(one, other, ({ key }) => key, isEqual);

/** How many pairs the best subsequence has, and how many of them are equal: tried in every way. */
function best(one: readonly Element[], other: readonly Element[]): [pairs: number, equal: number] {
  const [a, b] = [one[0], other[0]];
  if (!a || !b) return [0, 0];
  const ways = [best(one.slice(1), other), best(one, other.slice(1))];
  if (a.key === b.key) {
    const [pairs, equal] = best(one.slice(1), other.slice(1));
    ways.push([pairs + 1, equal + (isEqual(a, b) ? 1 : 0)]);
  }
  return ways.reduce((x, y) => (y[0] > x[0] || (y[0] === x[0] && y[1] > x[1]) ? y : x));
}

test("the elements that two lists have in common are as many as there can be, and as equal", () => {
  const list = fc.array(element, { maxLength: 6 });
  fc.assert(
    fc.property(list, list, (one, other) => {
      const pairs = common(one, other);
      for (const [i, [from, to]] of pairs.entries()) {
        assert.equal(one[from]?.key, other[to]?.key);
        const [before, beforeTo] = pairs[i - 1] ?? [-1, -1];
        assert.ok(before < from && beforeTo < to, "in the order of both");
      }
      const equal = pairs.filter(([from, to]) => isEqual(one[from] as Element, other[to] as Element));
      assert.deepEqual([pairs.length, equal.length], best(one, other));
    }),
    { numRuns: 500 },
  );
});

test("elements are compared with those of the same key alone", () => {
  const list = (rest: number) => Array.from({ length: 5000 }, (_, i) => ({ key: `k${i}`, rest }));
  let compared = 0;
  const pairs = longestCommon(
    list(0),
    list(1),
    ({ key }) => key,
    () => ++compared < 0,
  );
  assert.deepEqual([pairs.length, compared], [5000, 5000]);
});
