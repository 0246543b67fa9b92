import assert from "node:assert/strict";
import { test } from "node:test";
import { ipv4 } from "../../src/leases/address-family.ts";
import { FreeMap } from "../../src/leases/free-map.ts";
import { PoolSpace } from "../../src/leases/pool-space.ts";

const FIRST = 0x0a4d0000;
const POOL = { index: 0, first: FIRST, last: FIRST + 4095, excluded: [] };

function space() {
  const made = new PoolSpace(ipv4, { pools: [POOL], reserved: new Map() } as never);
  made.countReturned();
  return made;
}

test("what can be lent is what nobody had and what is free again, the last address first", () => {
  const pools = space();
  for (const offset of [4095, 4000, 33, 32]) pools.take(FIRST + offset);
  pools.returned(POOL as never, FIRST + 4000, true);
  pools.returned(POOL as never, FIRST + 32, true);
  const found = [...pools.freeUpTo(POOL as never, FIRST + 31, FIRST + 4095)].map((each) => each - FIRST);
  const expected = Array.from({ length: 4095 - 31 + 1 }, (_, i) => 4095 - i).filter(
    (n) => n !== 4095 && n !== 33,
  );
  assert.deepEqual(found, expected);
  assert.deepEqual([...pools.freeUpTo(POOL as never, FIRST, FIRST)], [FIRST]);
});

test("a map without a free place is looked through once, not for every address", (t) => {
  const pools = space();
  const looks = t.mock.method(FreeMap.prototype, "upTo");
  assert.equal([...pools.freeUpTo(POOL as never, FIRST, FIRST + 4095)].length, 4096);
  assert.ok(looks.mock.callCount() <= 4096 + 2, `${looks.mock.callCount()} looks`);
});
