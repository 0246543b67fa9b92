import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  acknowledge,
  give,
  givenAfter,
  type OwnedRange,
  type Ownership,
  ownedBy,
  ownerOf,
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
