import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppUnderTest, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT } from "./desk-under-test.ts";

const to = async (app: AppUnderTest, time: string) => {
  app.clock.advance(Date.parse(time) - app.clock.now());
  await app.rounds.expire();
  await app.rounds.schedule();
};
const shown = async (app: AppUnderTest) =>
  (await app.reader.memberList(app.orgId)).find(({ email }) => email === BERT)?.statusKey ?? "default";
const change = async (app: AppUnderTest, settings: object) => {
  assert.equal((await (await app.signIn(ANNA))("PATCH", "/orgs/acme", settings)).status, 200);
  await app.rounds.schedule();
};
const set = async (app: AppUnderTest, status: string, until: unknown) =>
  (await (await app.signIn(BERT))("PUT", "me/status", { status, until })).body;

test("a closing time that is moved to later ends no day before, also not on the first of a month", async (t) => {
  for (const day of ["2026-04-01", "2026-05-01", "2026-05-02"]) {
    const app = await appUnderTest(t, anyEngine);
    const before = new Date(Date.parse(day) - 24 * 3_600_000).toISOString().slice(0, 10);
    await to(app, `${before}T09:00:00Z`);
    await change(app, { closingTime: "18:00" });
    await to(app, `${before}T18:00:00Z`);
    await to(app, `${before}T19:00:00Z`);
    await set(app, "remote", "open");
    await to(app, `${day}T09:00:00Z`);
    await change(app, { closingTime: "20:00" });
    assert.equal(await shown(app), "remote", day);
    await to(app, `${day}T20:00:00Z`);
    assert.equal(await shown(app), "default", day);
  }
});

test("a closing time shortly after midnight is that of the day before", async (t) => {
  for (const [before, after, time, expected] of [
    ["00:00", "18:00", "18:30", "default"],
    ["01:00", "18:00", "18:30", "default"],
    ["18:00", "00:00", "09:01", "remote"],
  ] as const) {
    const app = await appUnderTest(t, anyEngine);
    await to(app, "2026-01-04T22:00:00Z");
    await set(app, "remote", "open");
    await to(app, "2026-01-05T08:00:00Z");
    await change(app, { closingTime: before });
    await to(app, `2026-01-05T${time}:00Z`);
    await change(app, { closingTime: after });
    assert.equal(await shown(app), expected, `${before} to ${after}`);
  }
});

test("a closing time in the morning is that of the day before, also in the night in which the clocks change", async (t) => {
  // Berlin is an hour ahead in winter, two in summer.
  for (const [before, chosen, moved, after, expected] of [
    ["06:00", "2026-01-05T12:00Z", "2026-01-05T19:00Z", "18:00", "default"],
    ["07:00", "2026-01-05T12:00Z", "2026-01-05T19:00Z", "18:00", "default"],
    ["05:30", "2026-10-24T11:00Z", "2026-10-24T18:00Z", "18:00", "default"],
    ["11:59", "2026-03-28T12:00Z", "2026-03-28T19:00Z", "18:00", "default"],
    ["18:00", "2026-01-05T05:30Z", "2026-01-05T08:00Z", "07:00", "remote"],
    // At noon the day itself ends.
    ["12:00", "2026-01-05T12:00Z", "2026-01-05T19:00Z", "18:00", "remote"],
    ["12:00", "2026-03-28T12:00Z", "2026-03-28T19:00Z", "18:00", "remote"],
  ] as const) {
    const app = await appUnderTest(t, anyEngine);
    await to(app, chosen);
    await change(app, { timeZone: "Europe/Berlin", closingTime: before });
    await set(app, "remote", "open");
    await to(app, moved);
    await change(app, { closingTime: after });
    assert.equal(await shown(app), expected, `${before} to ${after}, ${moved}`);
  }
});

test("where the organisation moves east past its closing time, the day ends at once", async (t) => {
  for (const [moved, closingTime] of [
    ["Asia/Tokyo", "18:00"],
    // There it is the next day already.
    ["Pacific/Kiritimati", "00:30"],
  ]) {
    const app = await appUnderTest(t, anyEngine);
    await to(app, "2026-01-05T07:00:00Z");
    await change(app, { timeZone: "Europe/Berlin", closingTime: "18:00" });
    await set(app, "remote", "open");
    await to(app, "2026-01-05T11:00:00Z");
    assert.equal(await shown(app), "remote");
    await change(app, { timeZone: moved, closingTime });
    assert.equal(await shown(app), "default", moved);
  }
});

test("what ends at the closing time together with what it covers is one change", async (t) => {
  for (const rounds of [["expire", "schedule"], ["schedule", "expire"], ["set"]] as const) {
    const app = await appUnderTest(t, anyEngine);
    await to(app, "2026-01-05T15:00:00Z");
    await change(app, { closingTime: "17:00" });
    await set(app, "remote", "open");
    await set(app, "focus", { at: "2026-01-05T17:00:00Z" });
    app.clock.advance(2 * 3_600_000);
    const before = (await app.events()).length;
    for (const round of rounds)
      if (round === "set") await set(app, "away", "open");
      else await app.rounds[round]();
    const told = (await app.events())
      .slice(before)
      .map(({ data }) => `${data.previous.status} ${data.status.status}`);
    const next = rounds[0] === "set" ? ["available away"] : [];
    assert.deepEqual(told, ["focus available", ...next], rounds.join());
  }
});

test("what is said to come back afterwards is what the closing time leaves", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await to(app, "2026-01-05T10:00:00Z");
  await change(app, { closingTime: "17:00" });
  const meeting = async (at: string) =>
    (await set(app, "in-meeting", { at: `2026-01-05T${at}:00Z` })).afterwards;
  await set(app, "remote", "open");
  assert.deepEqual([await meeting("16:59"), await meeting("17:00")], ["remote", null]);
  await set(app, "vacation", "open");
  assert.equal(await meeting("17:30"), "vacation");
});

test("an undo goes by closing times that were: none that a clock found that was ahead", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await to(app, "2026-01-05T15:00:00Z");
  await change(app, { closingTime: "17:00" });
  await to(app, "2026-01-05T18:00:00Z");
  await to(app, "2026-01-05T15:10:00Z");
  await set(app, "remote", "open");
  const { undo } = await set(app, "focus", { minutes: 60 });
  const undone = await (await app.signIn(BERT))("POST", "me/status/undo", { undo });
  assert.equal(undone.body.member.status.status, "remote");
});

test("an undo does not bring back for the night what a closing time has ended that was moved to before the change", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await to(app, "2026-01-05T10:00:00Z");
  await change(app, { closingTime: "17:00" });
  await set(app, "remote", "open");
  await to(app, "2026-01-05T16:10:00Z");
  const { undo } = await set(app, "focus", { at: "2026-01-05T18:00:00Z" });
  await to(app, "2026-01-05T16:30:00Z");
  await change(app, { closingTime: "16:00" });
  const undone = await (await app.signIn(BERT))("POST", "me/status/undo", { undo });
  assert.equal(undone.body.member.status.status, "available");
});

test("what was set by a clock that was ahead ends at the next closing time", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await change(app, { closingTime: "17:00" });
  await to(app, "2026-02-05T10:00:00Z");
  await set(app, "remote", "open");
  await to(app, "2026-01-05T10:00:00Z");
  assert.equal(await shown(app), "remote");
  await to(app, "2026-01-05T17:00:00Z");
  assert.equal(await shown(app), "default");
});
