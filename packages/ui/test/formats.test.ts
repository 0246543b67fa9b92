import assert from "node:assert/strict";
import { test } from "node:test";
import { clockTime, count, isKnownZone, nearDate, nearTime } from "../src/formats.ts";

const BERLIN = "Europe/Berlin";
const at = (time: string) => Date.parse(time);

test("a day of another year has its year, by the clocks of the reader's zone", () => {
  const now = at("2026-11-17T12:00:00Z");
  assert.doesNotMatch(nearDate(at("2026-12-24T12:00:00Z"), now, BERLIN), /20\d\d/);
  assert.match(nearDate(at("2027-11-17T12:00:00Z"), now, BERLIN), /2027/);
  assert.match(nearDate(at("9999-12-31T12:00:00Z"), now, BERLIN), /9999/);
  const newYear = at("2026-12-31T23:30:00Z");
  assert.match(nearDate(newYear, now, BERLIN), /2027/, "half past midnight there");
  assert.doesNotMatch(nearDate(newYear, now, "UTC"), /20\d\d/);
});

test("a time of another day says which", () => {
  const now = at("2026-11-17T22:30:00Z");
  const morning = at("2026-11-17T06:00:00Z");
  assert.equal(nearTime(morning, now, BERLIN), clockTime(morning, BERLIN));
  assert.match(nearTime(morning, at("2026-11-20T06:00:00Z"), BERLIN), /17/);
  assert.match(nearTime(now, at("2026-11-17T23:30:00Z"), BERLIN), /17/, "past midnight there");
});

test("a zone that is not known here is told from one that is", () => {
  assert.deepEqual(["Europe/Berlin", "UTC", "Europe/Atlantis"].map(isKnownZone), [true, true, false]);
});

test("none of a kind is said by its own words, which may be none", () => {
  const forms = { one: "# label", other: "# labels" };
  assert.deepEqual(
    [0, 1, 2].map((amount) => count(amount, forms)),
    ["0 labels", "1 label", "2 labels"],
  );
  assert.equal(count(0, { ...forms, zero: "no label" }), "no label");
  assert.equal(count(0, { ...forms, zero: "" }), "");
});
