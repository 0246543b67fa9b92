import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AddressMap, AddressMap6, AddressSet, mapKey6 } from "../src/address-map.ts";

test("values are found by their address, and the addresses come back as they were", () => {
  const address = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
  fc.assert(
    fc.property(fc.uniqueArray(address, { maxLength: 50 }), (addresses) => {
      const map = new AddressMap6<number>();
      for (const [i, each] of addresses.entries()) map.set(each, i);
      assert.deepEqual([...map.keys()], addresses);
      assert.deepEqual(
        addresses.map((each) => map.get(each)),
        addresses.map((_, i) => i),
      );
      assert.deepEqual(
        [...map],
        addresses.map((each, i) => [each, i]),
      );
      assert.deepEqual([...new AddressSet(addresses)], addresses);
      for (const each of addresses) assert.equal(map.delete(each), true);
      assert.equal(map.size, 0);
    }),
  );
});

test("the keys of neighbouring prefixes differ in the bits that V8 hashes", () => {
  const low = (key: bigint) => key & ((1n << 64n) - 1n);
  const prefixes = Array.from({ length: 1000 }, (_, n) => (0xfd65n << 112n) | (BigInt(n) << 72n));
  assert.equal(new Set(prefixes.map(mapKey6).map(low)).size, 1000);
  const addresses = Array.from({ length: 1000 }, (_, n) => (0xfd65n << 112n) | BigInt(n));
  assert.equal(new Set(addresses.map(mapKey6).map(low)).size, 1000);
});

test("an address of IPv4 and one of IPv6 are two, whatever their numbers are", () => {
  const map = new AddressMap<number | bigint, string>([
    [5, "v4"],
    [5n, "v6"],
  ]);
  assert.deepEqual([map.get(5), map.get(5n), map.size], ["v4", "v6", 2]);
});
