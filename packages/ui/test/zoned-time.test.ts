import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf, wallTimeOf } from "../src/zoned-time.ts";

const cases: ReadonlyArray<[wall: string, zone: string, instant: string]> = [
  ["2026-11-15 09:00:00", "Europe/Berlin", "2026-11-15T08:00:00.000Z"],
  ["2026-07-15 09:00:00", "Europe/Berlin", "2026-07-15T07:00:00.000Z"],
  ["2026-11-15 09:00:00", "America/New_York", "2026-11-15T14:00:00.000Z"],
  ["2026-11-15 00:00:00", "Asia/Kathmandu", "2026-11-14T18:15:00.000Z"],
  ["2026-11-15 23:59:00", "Pacific/Kiritimati", "2026-11-15T09:59:00.000Z"],
];

for (const [wall, zone, instant] of cases) {
  test(`${wall} in ${zone} is ${instant}, and back`, () => {
    assert.equal(instantOf(wall, zone), instant);
    assert.equal(wallTimeOf(instant, zone), wall);
  });
}

test("a time that the clocks skip is taken as far after the change", () => {
  assert.equal(instantOf("2026-03-29 02:30:00", "Europe/Berlin"), "2026-03-29T01:30:00.000Z");
  assert.equal(wallTimeOf("2026-03-29T01:30:00.000Z", "Europe/Berlin"), "2026-03-29 03:30:00");
});

test("a time that the clocks show twice is the first of the two", () => {
  assert.equal(instantOf("2026-10-25 02:30:00", "Europe/Berlin"), "2026-10-25T00:30:00.000Z");
  assert.equal(instantOf("2026-11-01 01:30:00", "America/New_York"), "2026-11-01T05:30:00.000Z");
});
