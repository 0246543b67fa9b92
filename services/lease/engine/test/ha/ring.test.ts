import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { Ring } from "../../src/ha/ring.ts";

const newRing = (capacity: number) => new Ring(Ring.memoryOf(capacity));

test("records come out as they went in, in their order, wherever the ring's end cuts them", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant("read"), fc.uint8Array({ maxLength: 90 }))), (steps) => {
      const ring = newRing(128);
      const expected: Uint8Array[] = [];
      for (const step of steps) {
        if (typeof step === "string") assert.deepEqual(ring.read()?.octets, expected.shift());
        else if (ring.write(3, 4, step)) expected.push(step);
      }
      for (const octets of expected) assert.deepEqual(ring.read(), { kind: 3, link: 4, octets });
      assert.equal(ring.read(), undefined);
      assert.equal(ring.used, 0);
    }),
  );
});

test("what has no room is not written, and there is room again after reading", () => {
  const ring = newRing(64);
  assert.ok(ring.write(1, 1, new Uint8Array(20)));
  assert.ok(!ring.write(1, 2, new Uint8Array(21)), "32 octets are left, 12 of them for the header");
  assert.ok(ring.write(1, 2, new Uint8Array(20)));
  assert.ok(!ring.write(1, 3));
  assert.deepEqual(
    [ring.read()?.link, ring.write(1, 3), ring.read()?.link, ring.read()?.link],
    [1, true, 2, 3],
  );
});

test("the writer knows whether the reader may be asleep", () => {
  const ring = newRing(256);
  const write = () => ring.write(1, 1, new Uint8Array(5)) && ring.hadReadAllBefore(5);
  assert.equal(write(), true);
  assert.equal(write(), false, "the first is still to be read");
  ring.read();
  ring.read();
  assert.equal(write(), true);
});

test("positions go on where 32 bits end", () => {
  const ring = newRing(64);
  const positions = new Int32Array(ring.memory, 0, 2);
  positions.fill(-24);
  for (let n = 0; n < 10; n++) {
    assert.ok(ring.write(2, n, Uint8Array.of(n, n, n)));
    assert.ok(ring.write(2, n, Uint8Array.of(n)));
    assert.equal(ring.used, 32);
    assert.deepEqual(ring.read()?.octets, Uint8Array.of(n, n, n));
    assert.deepEqual(ring.read()?.octets, Uint8Array.of(n));
  }
});

test("a thread reads what another one writes while it writes, each waiting for the other", async () => {
  const ring = newRing(4096);
  const count = 50_000;
  const worker = new Worker(new URL("./ring-reader.ts", import.meta.url), {
    workerData: { memory: ring.memory, count },
  });
  const told = once(worker, "message");
  for (let n = 0; n < count; n++) {
    const octets = new Uint8Array((n * 31) % 200).fill(n % 251);
    while (!ring.write(n % 7, n, octets)) await ring.drained(1000);
  }
  assert.deepEqual(await told, [[]]);
});
