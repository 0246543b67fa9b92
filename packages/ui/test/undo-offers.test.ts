import assert from "node:assert/strict";
import { test } from "node:test";
import { createUndoOffers } from "../src/undo-offers.ts";

test("the offer to take a change back goes with the next change of the same thing, and with no other", () => {
  const hidden: string[] = [];
  const offers = createUndoOffers((id) => hidden.push(id));
  const status = offers.next("status ada");
  const todo = offers.next("todo 1");
  assert.deepEqual(hidden, []);
  const again = offers.next("status ada");
  assert.deepEqual(hidden, [status]);
  assert.equal(new Set([status, todo, again]).size, 3);
  offers.withdraw("status ada");
  offers.withdraw("status ada");
  offers.withdraw("status ben");
  assert.deepEqual(hidden, [status, again]);
});
