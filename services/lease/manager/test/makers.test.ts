import assert from "node:assert/strict";
import { test } from "node:test";
import { createMakers } from "../src/adapters/makers.ts";

test("a maker is known by the prefix the IEEE gave it; a made-up address has none", () => {
  const makers = createMakers();
  assert.match(makers.of("00:00:0c:12:34:56") ?? "", /^Cisco/);
  assert.match(makers.of("B8:27:EB:00:00:01".toLowerCase()) ?? "", /^Raspberry Pi/);
  assert.equal(makers.of("02:00:0c:12:34:56"), null);
  assert.doesNotMatch(makers.of("00:00:0c:12:34:56") ?? "", /\n/, "the name without its address");
});
