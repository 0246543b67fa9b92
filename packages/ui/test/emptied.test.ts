import assert from "node:assert/strict";
import { test } from "node:test";
import { emptied } from "../src/emptied.ts";

test("a field is emptied once its content was written, and not where the next one is typed already", () => {
  assert.equal(emptied("bob")("bob"), "");
  assert.equal(emptied("bob")("carol"), "carol");
});
