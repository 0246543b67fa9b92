import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, readableColors } from "../src/domain/contrast.ts";
import type { PlannedRecord } from "../src/domain/records.ts";
import { endOf, offeredEnds, type Until } from "../src/domain/status-end.ts";
import { FIRST_VOCABULARY } from "../src/domain/vocabulary.ts";
import { endAfter } from "../src/domain/weekly-time.ts";
import { instantOf, isTimeZone, nextDaily, wallTimeOf } from "../src/domain/zoned-time.ts";

const end = (until: Until, now: string, zone: string) => {
  const at = endOf(until, {}, Date.parse(now), zone);
  return at === null ? null : new Date(at).toISOString();
};

/** Around both changes of the clocks in each zone: now, what is said, and the instant that is meant. */
const ENDS: ReadonlyArray<readonly [zone: string, now: string, until: Until, at: string]> = [
  // Berlin: 29 March 2026 2:00 -> 3:00, 25 October 2026 3:00 -> 2:00.
  ["Europe/Berlin", "2026-03-28T12:00:00Z", { day: "today", time: "17:00" }, "2026-03-28T16:00:00.000Z"],
  ["Europe/Berlin", "2026-03-28T12:00:00Z", { day: "tomorrow", time: "09:00" }, "2026-03-29T07:00:00.000Z"],
  ["Europe/Berlin", "2026-03-28T12:00:00Z", { day: "tomorrow", time: "02:30" }, "2026-03-29T01:30:00.000Z"],
  ["Europe/Berlin", "2026-03-27T12:00:00Z", { day: "monday", time: "09:00" }, "2026-03-30T07:00:00.000Z"],
  ["Europe/Berlin", "2026-10-24T12:00:00Z", { day: "tomorrow", time: "09:00" }, "2026-10-25T08:00:00.000Z"],
  ["Europe/Berlin", "2026-10-24T12:00:00Z", { day: "tomorrow", time: "02:30" }, "2026-10-25T00:30:00.000Z"],
  ["Europe/Berlin", "2026-10-23T12:00:00Z", { day: "monday", time: "09:00" }, "2026-10-26T08:00:00.000Z"],
  ["Europe/Berlin", "2026-03-28T23:30:00Z", { day: "today", time: "17:00" }, "2026-03-29T15:00:00.000Z"],
  // New York: 8 March 2026 2:00 -> 3:00, 1 November 2026 2:00 -> 1:00.
  ["America/New_York", "2026-03-07T20:00:00Z", { day: "today", time: "17:00" }, "2026-03-07T22:00:00.000Z"],
  [
    "America/New_York",
    "2026-03-07T20:00:00Z",
    { day: "tomorrow", time: "09:00" },
    "2026-03-08T13:00:00.000Z",
  ],
  ["America/New_York", "2026-03-07T20:00:00Z", { day: "monday", time: "09:00" }, "2026-03-09T13:00:00.000Z"],
  [
    "America/New_York",
    "2026-10-31T20:00:00Z",
    { day: "tomorrow", time: "09:00" },
    "2026-11-01T14:00:00.000Z",
  ],
  ["America/New_York", "2026-10-31T20:00:00Z", { day: "monday", time: "09:00" }, "2026-11-02T14:00:00.000Z"],
  [
    "America/New_York",
    "2026-11-01T03:30:00Z",
    { day: "tomorrow", time: "01:30" },
    "2026-11-01T05:30:00.000Z",
  ],
  // Lord Howe changes by half an hour: 5 April 2026 2:00 -> 1:30, 4 October 2026 2:00 -> 2:30.
  [
    "Australia/Lord_Howe",
    "2026-04-04T03:00:00Z",
    { day: "tomorrow", time: "09:00" },
    "2026-04-04T22:30:00.000Z",
  ],
  [
    "Australia/Lord_Howe",
    "2026-04-03T03:00:00Z",
    { day: "monday", time: "09:00" },
    "2026-04-05T22:30:00.000Z",
  ],
  [
    "Australia/Lord_Howe",
    "2026-10-03T03:00:00Z",
    { day: "tomorrow", time: "09:00" },
    "2026-10-03T22:00:00.000Z",
  ],
  [
    "Australia/Lord_Howe",
    "2026-10-02T03:00:00Z",
    { day: "monday", time: "09:00" },
    "2026-10-04T22:00:00.000Z",
  ],
];

for (const [zone, now, until, at] of ENDS)
  test(`${zone}: at ${now}, ${JSON.stringify(until)} is ${at}`, () =>
    assert.equal(end(until, now, zone), at));

test("a weekday is the next one, never today", () => {
  const monday = "2026-06-01T06:00:00Z";
  assert.equal(end({ day: "monday", time: "09:00" }, monday, "Europe/Berlin"), "2026-06-08T07:00:00.000Z");
  assert.equal(end({ day: "tuesday", time: "09:00" }, monday, "Europe/Berlin"), "2026-06-02T07:00:00.000Z");
  assert.equal(end({ day: "sunday", time: "09:00" }, monday, "Europe/Berlin"), "2026-06-07T07:00:00.000Z");
});

test("what a day of 23 and of 25 hours shows is read back as it was said, minute by minute", () => {
  for (const [zone, year, month, day] of [
    ["Europe/Berlin", 2026, 3, 29],
    ["Europe/Berlin", 2026, 10, 25],
    ["America/New_York", 2026, 3, 8],
    ["Australia/Lord_Howe", 2026, 4, 5],
    ["Asia/Kathmandu", 2026, 5, 5],
  ] as const) {
    let skipped = 0;
    for (let minute = 0; minute < 24 * 60; minute++) {
      const shown = wallTimeOf(instantOf({ year, month, day }, minute, zone), zone);
      if (shown.minute !== minute) skipped++;
      assert.equal(shown.day, day);
    }
    assert.equal(skipped, month === 3 ? 60 : 0, `${zone} skips as many minutes as its clocks do`);
  }
});

test("a closing time comes once a day, also where the clocks skip it or show it twice", () => {
  for (const [zone, minute] of [
    ["Europe/Berlin", 150],
    ["America/New_York", 90],
    ["Australia/Lord_Howe", 105],
  ] as const) {
    let at = Date.parse("2026-01-01T12:00:00Z");
    const days = new Set<string>();
    for (let i = 0; i < 365; i++) {
      at = nextDaily(at, minute, zone);
      const { year, month, day } = wallTimeOf(at, zone);
      days.add(`${year}-${month}-${day}`);
    }
    assert.equal(days.size, 365, zone);
    assert.equal(new Date(at).getUTCFullYear(), zone === "Australia/Lord_Howe" ? 2026 : 2027, zone);
  }
});

test("only ends that are still to come are offered", () => {
  const evening = Date.parse("2026-06-03T18:00:00Z");
  assert.deepEqual(
    offeredEnds(evening, "Europe/Berlin").map(({ name }) => name),
    ["30m", "1h", "2h", "tomorrow-9:00", "monday-9:00"],
  );
  assert.ok(offeredEnds(evening, "America/New_York").some(({ name }) => name === "today-17:00"));
});

test("zones are those of the IANA, and nothing else", () => {
  for (const zone of ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"]) assert.ok(isTimeZone(zone));
  for (const zone of ["", "+02:00", "Mars/Olympus", "Europe/Berlin\0", "x".repeat(64)])
    assert.ok(!isTimeZone(zone), zone);
});

test("every colour is readable on light and on dark pages", () => {
  const some = FIRST_VOCABULARY.map(({ color }) => color);
  for (const color of [...some, "#000000", "#ffffff", "#ffff00", "#0000ff", "#808080"]) {
    const { light, dark } = readableColors(color);
    for (const ground of ["#ffffff", "#faf9f6", "#f3f1ec"])
      assert.ok(contrast(light, ground) >= 4.5, `${color} on ${ground}`);
    for (const ground of ["#0c0f0e", "#181c1a", "#1f2422", "#2b322e"])
      assert.ok(contrast(dark, ground) >= 4.5, `${color} on ${ground}`);
  }
  assert.equal(contrast("#000000", "#ffffff"), 21);
});

test("no day is left out by clocks that skip the last hour before midnight", () => {
  // Nuuk, 28 March 2026: 22:59:59 is followed by midnight.
  const skipped = Date.parse("2026-03-29T01:30:00Z");
  assert.equal(nextDaily(Date.parse("2026-03-29T01:00:00Z"), 23 * 60 + 30, "America/Nuuk"), skipped);
  const planned = { weekday: 6, startMinute: 23 * 60, endMinute: 0 } as PlannedRecord;
  const begun = Date.parse("2026-03-29T01:00:00Z");
  assert.equal(endAfter(planned, begun, "America/Nuuk"), begun + 3_600_000);
});
