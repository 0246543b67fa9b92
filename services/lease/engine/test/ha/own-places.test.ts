import assert from "node:assert/strict";
import { test } from "node:test";
import { ipv4 } from "../../src/leases/address-family.ts";
import { type Own, PoolSpace } from "../../src/leases/pool-space.ts";

const FIRST = 0x0a4d0000;
const SIZE = 65_536;
const POOL = { index: 0, first: FIRST, last: FIRST + SIZE - 1, excluded: [] };

/** Every second address is taken; of the rest the upper part is the peer's. */
function space(ownSize: number) {
  const pools = new PoolSpace(ipv4, { pools: [POOL], reserved: new Map() } as never);
  for (let offset = 0; offset < SIZE; offset += 2) pools.take(FIRST + offset);
  let asked = 0;
  const own: Own<number> = {
    next: (address, last) => {
      asked++;
      // What is taken lies between the ranges that were lent, and is the holder's.
      const offset = address - FIRST;
      const isOwn = offset < ownSize || offset % 2 === 0;
      return { first: isOwn ? address : address + 1, last };
    },
    isAllowed: () => true,
  };
  const find = (hash: number) => {
    asked = 0;
    const address = pools.unused(POOL as never, hash, () => true, undefined, own);
    return { offset: address === undefined ? undefined : address - FIRST, asked };
  };
  return find;
}

test("a client whose place is among ranges of the peer gets an address of the node's own, without a walk through them", () => {
  const find = space(SIZE / 4);
  for (const hash of [SIZE / 4, SIZE / 2, SIZE - 10]) {
    const { offset, asked } = find(hash);
    assert.ok(offset !== undefined && offset < SIZE / 4);
    assert.ok(asked <= 200, `${asked} questions`);
  }
});

test("a client whose place is the node's own gets it", () => {
  assert.equal(space(SIZE / 4)(100).offset, 101);
});

test("the few addresses that a node has left are found as well", () => {
  assert.equal(space(2)(SIZE / 2).offset, 1);
});
