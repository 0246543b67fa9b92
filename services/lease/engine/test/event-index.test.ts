import assert from "node:assert/strict";
import { test } from "node:test";
import { findInSlot, packChunk, slotOf } from "../src/store/event-index.ts";

test("who held an address is found past any number of refusals that name it, without reading them", () => {
  const many = 1000;
  const ip = 0x0a4d0109;
  const keys = new Uint32Array(many).fill(ip);
  const tellsHolder = new Uint8Array(many);
  tellsHolder[3] = 1;
  tellsHolder[700] = 1;
  const entries = new Map(packChunk(keys, tellsHolder, many)).get(slotOf(ip)) ?? new Uint8Array();
  assert.deepEqual(findInSlot(entries, ip, true), [3, 700]);
  assert.deepEqual(
    findInSlot(entries, ip),
    Array.from({ length: many }, (_, place) => place),
  );
});
