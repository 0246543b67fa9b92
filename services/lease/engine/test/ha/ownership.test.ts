import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  acknowledge,
  give as giveAll,
  givenAfter,
  type OwnedRange,
  type Ownership,
  ownedBy,
  ownerOf,
  partsOf,
  type Role,
  takeOver,
  withoutWaiting,
} from "../../src/ha/ownership.ts";

const range = (first: number, last: number, owner: Role, seq = 0, usableFrom = 0): OwnedRange => ({
  first,
  last,
  owner,
  usableFrom,
  seq,
});
const give = (ownership: Ownership, range: OwnedRange) => giveAll(ownership, [range], range);
const ownersOf = (ownership: Ownership, count: number) =>
  Array.from({ length: count }, (_, address) => ownerOf(ownership, address).owner[0]).join("");

test("everything is the holder's but what was given", () => {
  const ownership = give(ownedBy("primary"), range(2, 4, "secondary", 1));
  assert.equal(ownersOf(ownership, 7), "ppssspp");
});

test("a range given back is the holder's again, and is kept until the peer has acknowledged it", () => {
  const lent = give(ownedBy("primary"), range(2, 6, "secondary"));
  const back = give(lent, range(3, 4, "primary", 9));
  assert.equal(ownersOf(back, 8), "ppsppssp");
  assert.deepEqual(givenAfter(back, 8), [range(3, 4, "primary", 9)]);
  assert.deepEqual(acknowledge(back, 9).ranges, [range(2, 2, "secondary"), range(5, 6, "secondary")]);
});

test("neighbours that are alike are one range", () => {
  const ownership = give(give(ownedBy("primary"), range(2, 3, "secondary")), range(4, 9, "secondary"));
  assert.deepEqual(ownership.ranges, [range(2, 9, "secondary")]);
});

test("after a takeover what was one's own is used at once, and what was the peer's after the wait", () => {
  const lent = give(ownedBy("primary"), range(2, 4, "secondary"));
  const taken = takeOver(lent, "secondary", 500);
  assert.equal(ownersOf(taken, 6), "ssssss");
  assert.equal(ownerOf(taken, 3).usableFrom, 0);
  assert.equal(ownerOf(taken, 5).usableFrom, 500);
});

test("a takeover that begins its wait anew leaves alone what was one's own", () => {
  const taken = takeOver(give(ownedBy("primary"), range(2, 4, "secondary")), "secondary", 500);
  const again = takeOver(taken, "secondary", 800);
  assert.equal(ownerOf(again, 3).usableFrom, 0);
  assert.equal(ownerOf(again, 5).usableFrom, 800);
  assert.deepEqual(withoutWaiting(again), ownedBy("secondary"));
});

test("addresses of IPv6 are ranges too", () => {
  const first = 0xfd77n << 112n;
  const given = { first, last: first + 255n, owner: "secondary", usableFrom: 0, seq: 0 } as const;
  const ownership = give(give(ownedBy("primary"), given), {
    ...given,
    first: first + 8n,
    last: first + 9n,
    owner: "primary",
  });
  assert.equal(ownerOf(ownership, first + 7n).owner, "secondary");
  assert.equal(ownerOf(ownership, first + 8n).owner, "primary");
  assert.equal(ownerOf(ownership, first + 10n).owner, "secondary");
});

test("whatever is given in whatever order, each address has the owner that it was given to last", () => {
  const gift = fc.record({
    at: fc.nat(20),
    size: fc.nat(6),
    owner: fc.constantFrom<Role>("primary", "secondary"),
  });
  fc.assert(
    fc.property(fc.array(gift, { maxLength: 20 }), (gifts) => {
      const model = new Map<number, Role>();
      let ownership = ownedBy("primary");
      for (const { at, size, owner } of gifts) {
        for (let address = at; address <= at + size; address++) model.set(address, owner);
        ownership = give(ownership, range(at, at + size, owner));
      }
      for (let address = 0; address < 30; address++) {
        assert.equal(ownerOf(ownership, address).owner, model.get(address) ?? "primary");
      }
      for (const [i, each] of ownership.ranges.entries()) {
        assert.ok(each.first <= each.last);
        assert.ok(i === 0 || (ownership.ranges[i - 1] as OwnedRange).last < each.first);
      }
    }),
  );
});

test("many ranges that are given at once are as given one after the other", () => {
  const gift = fc.record({ at: fc.nat(60), size: fc.nat(3) });
  const gifts = fc.array(gift, { maxLength: 20 });
  fc.assert(
    fc.property(gifts, gifts, (before, after) => {
      const rangesOf = (all: typeof before, owner: Role, seq: number) =>
        all.map(({ at, size }) => range(at, at + size, owner, seq));
      const lent = rangesOf(before, "secondary", 0).reduce(give, ownedBy("primary"));
      const back = rangesOf(after, "primary", 7);
      const to = range(0, 0, "primary", 7);
      assert.deepEqual(giveAll(lent, back, to), back.reduce(give, lent));
    }),
  );
});

/** Counts how often an entry is read. */
function counted(ownership: Ownership): { readonly ownership: Ownership; reads(): number } {
  let reads = 0;
  const ranges = new Proxy(ownership.ranges, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { ownership: { ...ownership, ranges }, reads: () => reads };
}

test("giving thousands of ranges is one walk through those that there are", () => {
  const every = (step: number, count: number) =>
    Array.from({ length: count }, (_, i) => range(i * step, i * step, "secondary"));
  const lent = giveAll(ownedBy("primary"), every(8, 10_000), range(0, 0, "secondary"));
  const { ownership, reads } = counted(lent);
  const more = giveAll(ownership, every(16, 4000), range(0, 0, "secondary", 5));
  assert.equal(givenAfter(more, 4).length, 4000);
  assert.ok(reads() <= 2 * 10_000, `${reads()} reads`);
});

test("the parts of one pool are found without a look at the ranges of others", () => {
  const lent = Array.from({ length: 10_000 }, (_, i) => range(i * 4, i * 4, "secondary"));
  const { ownership, reads } = counted(giveAll(ownedBy("primary"), lent, range(0, 0, "secondary")));
  assert.equal(partsOf(ownership, { first: 39_000, last: 39_007 }).length, 4);
  assert.ok(reads() <= 30, `${reads()} reads`);
});

test("nothing is looked at for an acknowledgement or an update while nothing that was given awaits one", () => {
  const lent = Array.from({ length: 1000 }, (_, i) => range(i * 4, i * 4, "secondary"));
  const { ownership, reads } = counted(giveAll(ownedBy("primary"), lent, range(0, 0, "secondary")));
  acknowledge(ownership, 1);
  const once = reads();
  for (let seq = 2; seq < 50; seq++)
    assert.deepEqual([acknowledge(ownership, seq), givenAfter(ownership, 0)], [ownership, []]);
  assert.equal(reads(), once);
});
