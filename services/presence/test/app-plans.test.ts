import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { calendarText } from "../src/domain/calendar.ts";
import { closeDay } from "../src/domain/closing.ts";
import { addMember } from "../src/domain/member.ts";
import { planStatus } from "../src/domain/planned-status.ts";
import type { MemberRecord, PlannedRecord } from "../src/domain/records.ts";
import { moveToOrgZone } from "../src/domain/weekly-move.ts";
import { endAfter, nextOf } from "../src/domain/weekly-time.ts";
import { type AppUnderTest, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES } from "./desk-under-test.ts";

const HOUR_MS = 3_600_000;

/** What Bert shows, hour by hour, as far as it changes. The clock begins on Thursday, 2026-01-01. */
async function hourly(app: AppUnderTest, hours: number): Promise<string[]> {
  const seen: string[] = [];
  let before = "";
  for (let hour = 0; hour < hours; hour++) {
    await app.rounds.expire();
    await app.rounds.schedule();
    const member = (await app.reader.memberList(app.orgId)).find(({ email }) => email === BERT);
    const now = member?.statusKey ?? "default";
    if (now !== before) seen.push(`${new Date(app.clock.now()).toISOString().slice(5, 13)} ${now}`);
    before = now;
    app.clock.advance(HOUR_MS);
  }
  return seen;
}

const WEEKLY = { repeats: "weekly", status: "remote", weekday: 3, start: "09:00", end: "17:00" };

for (const { engine, database } of ENGINES) {
  test(`${engine}: a weekly status does not begin within a vacation, planned or chosen or told by an integration`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    const from = "2026-01-05T00:00:00Z";
    const to = "2026-01-13T00:00:00Z";
    await bert("POST", "me/planned", WEEKLY);
    await bert("POST", "me/planned", { repeats: "never", status: "vacation", from, to });
    assert.deepEqual(await hourly(app, 14 * 24), [
      "01-01T00 default",
      "01-05T00 vacation",
      "01-13T00 default",
      "01-14T09 remote",
      "01-14T17 default",
    ]);
    await bert("PUT", "me/status", { status: "sick", until: { at: "2026-01-22T12:00:00Z" } });
    assert.deepEqual(await hourly(app, 8 * 24), ["01-15T00 sick", "01-22T12 default"]);
    const token = await app.token("hr");
    const body = { status: "vacation", expiresAt: "2026-01-29T12:00:00Z" };
    assert.equal((await app.call(token, "POST", `members/${BERT}/status`, body)).status, 200);
    assert.deepEqual(await hourly(app, 8 * 24), ["01-23T00 vacation", "01-29T12 default"]);
  });

  test(`${engine}: what is planned already is not planned a second time, and what has begun is`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    const once = {
      repeats: "never",
      status: "focus",
      from: "2026-01-01T02:00:00Z",
      to: "2026-01-01T09:00:00Z",
    };
    for (const wanted of [WEEKLY, once]) {
      const [first, again] = [
        await bert("POST", "me/planned", wanted),
        await bert("POST", "me/planned", wanted),
      ];
      assert.equal(again.status, 200);
      assert.deepEqual(again.body, first.body);
    }
    await bert("POST", "me/planned", { ...WEEKLY, note: "at home" });
    assert.equal((await bert("GET", "me/planned")).body.data.length, 3);
    assert.deepEqual(await hourly(app, 4), ["01-01T00 default", "01-01T02 focus"]);
    await bert("PUT", "me/status", { status: "sick", until: "open" });
    await bert("POST", "me/planned", once);
    assert.deepEqual(await hourly(app, 1), ["01-01T04 focus"]);
  });

  test(`${engine}: a weekly status begins today where it was moved to a time that is past, and where the service was off for weeks`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    const late = { ...WEEKLY, start: "12:00" };
    const { id } = (await bert("POST", "me/planned", late)).body;
    // Wednesday, at ten.
    app.clock.advance((6 * 24 + 10) * HOUR_MS);
    await bert("PUT", `me/planned/${id}`, WEEKLY);
    assert.deepEqual(await hourly(app, 8), ["01-07T10 remote", "01-07T17 default"]);
    await bert("PUT", `me/planned/${id}`, { ...WEEKLY, start: "08:00" });
    assert.deepEqual(await hourly(app, 1), ["01-07T18 default"], "it has been today");
    app.clock.advance((13 * 24 + 16) * HOUR_MS);
    assert.deepEqual(await hourly(app, 8), ["01-21T11 remote", "01-21T17 default"]);
    assert.equal((await bert("GET", "me/planned")).body.data[0].nextAt, "2026-01-28T08:00:00.000Z");
  });

  test(`${engine}: an undo lets a weekly status run that would have begun meanwhile`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    await bert("POST", "me/planned", WEEKLY);
    app.clock.advance((6 * 24 + 8) * HOUR_MS);
    const { undo } = (await bert("PUT", "me/status", { status: "vacation", until: "open" })).body;
    // Not this one: it was made after its time today.
    assert.deepEqual(await hourly(app, 2), ["01-07T08 vacation"]);
    await bert("POST", "me/planned", { ...WEEKLY, status: "focus" });
    assert.equal((await bert("POST", "me/status/undo", { undo })).status, 200);
    assert.deepEqual(await hourly(app, 8), ["01-07T10 remote", "01-07T17 default"]);
  });

  test(`${engine}: what was chosen for longer comes back after a weekly status`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    await bert("POST", "me/planned", WEEKLY);
    await bert("PUT", "me/status", { status: "focus", until: { at: "2026-01-09T12:00:00Z" } });
    assert.deepEqual(await hourly(app, 10 * 24), [
      "01-01T00 focus",
      "01-07T09 remote",
      "01-07T17 focus",
      "01-09T12 default",
    ]);
  });

  test(`${engine}: a vacation comes back after something shorter that was planned within it`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    const plan = (status: string, from: string, to: string) =>
      bert("POST", "me/planned", { repeats: "never", status, from, to });
    await plan("vacation", "2026-01-02T00:00:00Z", "2026-01-06T00:00:00Z");
    await plan("in-meeting", "2026-01-03T10:00:00Z", "2026-01-03T12:00:00Z");
    await plan("sick", "2026-01-05T00:00:00Z", "2026-01-08T00:00:00Z");
    assert.deepEqual(await hourly(app, 8 * 24), [
      "01-01T00 default",
      "01-02T00 vacation",
      "01-03T10 in-meeting",
      "01-03T12 vacation",
      "01-05T00 sick",
      "01-08T00 default",
    ]);
  });

  test(`${engine}: what a member has chosen for longer comes back after what they choose within it`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    const plan = {
      repeats: "never",
      status: "vacation",
      from: "2026-01-02T00:00:00Z",
      to: "2026-01-04T00:00:00Z",
    };
    await bert("POST", "me/planned", plan);
    await bert("PUT", "me/status", { status: "remote", until: "open" });
    const meeting = await bert("PUT", "me/status", { status: "in-meeting", until: { minutes: 60 } });
    assert.equal(meeting.body.afterwards, "remote");
    assert.deepEqual(await hourly(app, 30), ["01-01T00 in-meeting", "01-01T01 remote", "01-02T00 vacation"]);
    const focus = await bert("PUT", "me/status", { status: "focus", until: { minutes: 120 } });
    assert.equal(focus.body.afterwards, "vacation");
    assert.deepEqual(await hourly(app, 3), ["01-02T06 focus", "01-02T08 vacation"]);
    const shorter = await bert("PUT", "me/status", { status: "vacation", until: { minutes: 60 } });
    assert.equal(shorter.body.afterwards, null, "it was made shorter");
    assert.deepEqual(await hourly(app, 2), ["01-02T09 vacation", "01-02T10 default"]);
    await bert("PUT", "me/status", { status: "vacation", until: { at: "2026-01-09T00:00:00Z" } });
    await bert("PUT", "me/status", { status: "available", until: "open" });
    await bert("PUT", "me/status", { status: "focus", until: { minutes: 60 } });
    assert.deepEqual(
      await hourly(app, 2),
      ["01-02T11 focus", "01-02T12 default"],
      "nobody is on vacation any more",
    );
  });

  test(`${engine}: at the closing time a vacation comes back that something open-ended was shown over`, async (t) => {
    const app = await appUnderTest(t, database);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
    await bert("PUT", "me/status", { status: "vacation", until: { at: "2026-01-03T12:00:00Z" } });
    const token = await app.token("badges");
    await app.call(token, "POST", `members/${BERT}/status`, { status: "in-office" });
    assert.deepEqual(await hourly(app, 3 * 24), [
      "01-01T00 in-office",
      "01-01T17 vacation",
      "01-03T12 default",
    ]);
    const told = (await app.events()).filter(({ type }) => type === "member.status.changed");
    assert.equal(told.length, 4, "each change once");
  });

  for (const [howMuch, ahead] of [
    ["ten years", 10 * 365 * 24 * HOUR_MS],
    ["a day and a half", 34 * HOUR_MS],
  ] as const)
    test(`${engine}: a clock that was ahead by ${howMuch} delays neither closing time nor weekly statuses`, async (t) => {
      const app = await appUnderTest(t, database, { monotonic: fakeClock(0) });
      const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
      await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
      await bert("POST", "me/planned", { ...WEEKLY, weekday: 5, end: "12:00" });
      app.clock.advance(ahead);
      await app.rounds.expire();
      await app.rounds.schedule();
      app.clock.advance(-ahead);
      await bert("PUT", "me/status", { status: "in-office", until: "open" });
      assert.deepEqual(await hourly(app, 2 * 24), [
        "01-01T00 in-office",
        "01-01T17 default",
        "01-02T09 remote",
        "01-02T12 default",
      ]);
    });

  test(`${engine}: a status that runs out does not wait until everybody's plans have begun`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const due = "2026-01-01T09:00:00Z";
    await app.change(async (unit) => {
      for (let i = 0; i < 200; i++) {
        const member = await addMember(unit, { email: `m${i}@example.org`, name: "", role: "member" });
        const plan = { status: "remote", repeats: "never", from: due, to: "2026-01-02T00:00:00Z" } as const;
        await planStatus(unit, member, plan);
      }
    });
    await anna("PUT", "me/status", { status: "focus", until: { at: due } });
    app.clock.advance(9 * HOUR_MS);
    await app.rounds.expire();
    await app.rounds.schedule();
    const told = (await app.events()).filter(({ type }) => type === "member.status.changed").slice(1);
    assert.equal(told.length, 201);
    const ended = told.findIndex(({ data }) => data.previous.status === "focus");
    assert.ok(ended > 0 && ended < 200, `behind ${ended} of 200`);
  });

  test(`${engine}: another zone of the organisation moves all weekly statuses of a time at once, and none of those who have a zone of their own`, async (t) => {
    const app = await appUnderTest(t, database);
    const times = new Map<string, number>();
    const writes = await app.change(async (unit) => {
      for (let i = 0; i < 100; i++) {
        const member = await addMember(unit, { email: `m${i}@example.org`, name: "", role: "member" });
        if (i === 0) await unit.members.saveProfile({ ...member, timeZone: "Asia/Tokyo" });
        const own = await unit.members.byId(member.id);
        const start = i % 2 === 0 ? "09:00" : "10:30";
        await planStatus(unit, own ?? member, { ...WEEKLY, repeats: "weekly", start });
      }
      let count = 0;
      const move: typeof unit.planned.moveInOrgZone = (...words) => {
        count++;
        return unit.planned.moveInOrgZone(...words);
      };
      await moveToOrgZone({ ...unit, planned: { ...unit.planned, moveInOrgZone: move } }, "Europe/Berlin");
      for (let i = 0; i < 4; i++) {
        const member = await unit.members.byEmail(`m${i}@example.org`);
        const [planned] = await unit.planned.of(member?.id ?? "");
        times.set(`m${i}`, planned?.nextAt ?? 0);
      }
      return count;
    });
    assert.equal(writes, 2, "one for each time of the week");
    const seen = [...times.values()].map((time) => new Date(time).toISOString());
    assert.deepEqual(seen, [
      "2026-01-07T00:00:00.000Z",
      "2026-01-07T09:30:00.000Z",
      "2026-01-07T08:00:00.000Z",
      "2026-01-07T09:30:00.000Z",
    ]);
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: of two planned statuses that begin at the same moment the shorter is seen first, whichever was planned first`, async (t) => {
    const app = await appUnderTest(t, database);
    const early = await app.signIn(BERT);
    const long = { repeats: "weekly", status: "remote", weekday: 5, start: "09:00", end: "17:00" };
    await early("POST", "me/planned", { ...long, status: "in-meeting", end: "10:00" });
    app.clock.advance(10);
    await early("POST", "me/planned", long);
    const seen: string[] = [];
    for (const time of ["09:00", "10:00"]) {
      app.clock.advance(Date.parse(`2026-01-02T${time}:00Z`) - app.clock.now());
      await app.rounds.expire();
      await app.rounds.schedule();
      seen.push((await app.events()).at(-1)?.data.status.status);
    }
    assert.deepEqual(seen, ["in-meeting", "remote"]);
  });
}

test("at the closing time what was chosen with an end is told, though it is the same status", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
  await bert("PUT", "me/status", { status: "remote", until: { at: "2026-01-01T20:00:00Z" } });
  await app.call(await app.token("badges"), "POST", `members/${BERT}/status`, { status: "remote" });
  assert.deepEqual(await hourly(app, 24), ["01-01T00 remote", "01-01T20 default"]);
  const told = (await app.events()).filter(({ type }) => type === "member.status.changed");
  assert.deepEqual(
    told.map(({ data }) => data.status.expiresAt),
    ["2026-01-01T20:00:00.000Z", null, "2026-01-01T20:00:00.000Z", null],
  );
});

test("what a member has chosen after the closing time stays, and is looked at once by it", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
  await app.call(await app.token("badges"), "POST", `members/${BERT}/status`, { status: "remote" });
  app.clock.advance(17 * HOUR_MS + 1_000);
  await bert("PUT", "me/status", { status: "remote", until: "open" });
  assert.equal(await app.change((unit) => closeDay(unit, 1)), true, "as many as it looks at in one go");
  assert.equal(await app.change((unit) => closeDay(unit, 1)), false);
  const { members } = (await bert("GET", "board")).body;
  const shown = members.find(({ email }: { email: string }) => email === BERT);
  assert.equal(shown.status.status, "remote");
});

test("what has ended at the closing time is not brought back by an undo; what lasts longer is", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
  const replaced = { status: "focus", until: { at: "2026-01-01T20:00:00Z" } };
  await anna("PUT", "me/status", { status: "vacation", until: "open" });
  await bert("PUT", "me/status", { status: "remote", until: "open" });
  const undos = [];
  for (const each of [anna, bert]) undos.push((await each("PUT", "me/status", replaced)).body.undo);
  assert.deepEqual(await hourly(app, 19), ["01-01T00 focus"]);
  for (const [at, each] of [anna, bert].entries())
    assert.equal((await each("POST", "me/status/undo", { undo: undos[at] })).status, 200);
  const { members } = (await bert("GET", "board")).body;
  assert.deepEqual(
    members.map(({ status }: { status: { status: string } }) => status.status),
    ["vacation", "available"],
  );
});

test("an undo brings back what no closing time has ended: that of today was set after it had passed", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await (await app.signIn(BERT))("PUT", "me/status", { status: "remote", until: "open" });
  app.clock.advance(18 * HOUR_MS);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
  const { undo } = (await bert("PUT", "me/status", { status: "focus" })).body;
  const undone = await bert("POST", "me/status/undo", { undo });
  assert.equal(undone.body.member.status.status, "remote");
});

test("an undo brings back what was replaced before a closing time that was set only later", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  app.clock.advance(9 * HOUR_MS);
  const early = await app.signIn(BERT);
  await early("PUT", "me/status", { status: "remote", until: "open" });
  const { undo } = (await early("PUT", "me/status", { status: "focus", until: "open" })).body;
  app.clock.advance(2 * HOUR_MS);
  await (await app.signIn(ANNA))("PATCH", "/orgs/acme", { closingTime: "10:00" });
  const undone = await (await app.signIn(BERT))("POST", "me/status/undo", { undo });
  assert.equal(undone.body.member.status.status, "remote");
});

test("a closing time that is moved to an hour that is past today ends the day at once, and no day that has ended", async (t) => {
  for (const [moved, until] of [
    ["16:00", "01-01T17 default"],
    ["20:00", "01-01T20 default"],
    ["02:00", "01-02T02 default"],
  ] as const) {
    const app = await appUnderTest(t, anyEngine);
    await (await app.signIn(ANNA))("PATCH", "/orgs/acme", { closingTime: "18:00" });
    app.clock.advance(9 * HOUR_MS);
    await (await app.signIn(BERT))("PUT", "me/status", { status: "remote", until: "open" });
    await hourly(app, 8);
    const anna = await app.signIn(ANNA);
    await anna("PATCH", "/orgs/acme", { closingTime: moved });
    const seen = await hourly(app, 10);
    assert.deepEqual(seen.at(-1), until, moved);
  }
});

test("an undo does not bring back what the closing time had ended a moment before it was replaced", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
  await anna("PUT", "me/status", { status: "remote", until: "open" });
  app.clock.advance(17 * HOUR_MS + 100);
  const late = await app.signIn(ANNA);
  const { undo } = (await late("PUT", "me/status", { status: "focus" })).body;
  await app.change((unit) => closeDay(unit, 100));
  app.clock.advance(1_000);
  const undone = await late("POST", "me/status/undo", { undo });
  assert.equal(undone.body.member.status.status, "available");
});

test("a weekly status whose start the clocks skip lasts as long as ever", () => {
  const planned = { startMinute: 150, endMinute: 195 } as PlannedRecord;
  const begun = Date.parse("2026-03-29T01:30:00Z");
  assert.equal(endAfter(planned, begun, "Europe/Berlin"), begun + 45 * 60_000);
  assert.equal(
    endAfter(planned, begun - 7 * 24 * HOUR_MS, "Europe/Berlin"),
    Date.parse("2026-03-22T02:15:00Z"),
  );
});

test("a weekly status whose start the clocks skip into the next day ends as if they had not", async (t) => {
  // Nuuk: 28 March 2026, a Saturday, 23:00 -> 0:00.
  const planned = { weekday: 6, startMinute: 23 * 60 + 30, endMinute: 6 * 60 } as PlannedRecord;
  const begun = Date.parse("2026-03-29T01:30:00Z");
  const zone = "America/Nuuk";
  assert.equal(endAfter(planned, begun, zone), Date.parse("2026-03-29T07:00:00Z"));
  for (const after of ["2026-03-28T12:00:00Z", "2026-03-29T01:10:00Z"])
    assert.equal(nextOf(planned, Date.parse(after), zone), begun, after);
  const next = Date.parse("2026-04-05T00:30:00Z");
  assert.equal(nextOf(planned, begun, zone), next);
  assert.equal(endAfter(planned, next, zone), Date.parse("2026-04-05T07:00:00Z"));

  const app = await appUnderTest(t, anyEngine);
  const bert = await app.signIn(BERT);
  assert.equal((await bert("PATCH", "me", { timeZone: zone })).status, 200);
  await bert("POST", "me/planned", { ...WEEKLY, weekday: 6, start: "23:30", end: "06:00" });
  app.clock.advance(Date.parse("2026-03-29T00:30:00Z") - app.clock.now());
  assert.deepEqual(await hourly(app, 48), ["03-29T00 default", "03-29T01 remote", "03-29T07 default"]);
});

test("each entry of a calendar has an identifier of its own, also of what began together", () => {
  const now = Date.parse("2026-01-05T12:00:00Z");
  const status = { statusKey: "in-meeting", statusSetAt: now, statusExpiresAt: now + HOUR_MS };
  const own = { ownKey: "remote", ownSetAt: now, ownExpiresAt: now + 2 * HOUR_MS };
  const member = { id: "m", ...status, statusNote: null, ...own, ownNote: null } as MemberRecord;
  const calendar = { name: "x", timeZone: "UTC", vocabulary: [], member, planned: [] };
  const ids = calendarText(calendar, now).match(/(?<=UID:)\S+/g) ?? [];
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 2);
});

test("a vacation that has begun is in the calendar also while something else is shown over it", () => {
  const now = Date.parse("2026-01-05T12:00:00Z");
  const member = {
    id: "m",
    statusKey: "sick",
    statusSetAt: now - HOUR_MS,
    statusExpiresAt: now + HOUR_MS,
    statusNote: null,
    ownKey: "vacation",
    ownSetAt: now - 24 * HOUR_MS,
    ownExpiresAt: now + 24 * HOUR_MS,
    ownNote: null,
  } as MemberRecord;
  const summaries = (record: MemberRecord) => {
    const calendar = { name: "x", timeZone: "UTC", vocabulary: [], member: record, planned: [] };
    return calendarText(calendar, now).match(/(?<=SUMMARY:)\w+/g);
  };
  assert.deepEqual(summaries(member), ["sick", "vacation"]);
  const { ownKey, ownSetAt, ownExpiresAt } = member;
  const shown = { statusKey: ownKey, statusSetAt: ownSetAt, statusExpiresAt: ownExpiresAt };
  assert.deepEqual(summaries({ ...member, ...shown }), ["vacation"]);
  const run = { key: "vacation", note: null, expiresAt: ownExpiresAt, setAt: now, plan: "p" };
  assert.deepEqual(summaries({ ...member, passing: [run] }), ["sick", "vacation"], "planned as the same");
});

test("what was chosen without an end comes back after a weekly status, unless the closing time ends it meanwhile", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  await bert("POST", "me/planned", { ...WEEKLY, weekday: 4 });
  await bert("POST", "me/planned", { ...WEEKLY, weekday: 5 });
  await bert("PUT", "me/status", { status: "focus", until: "open", note: "Report" });
  assert.deepEqual(await hourly(app, 24), ["01-01T00 focus", "01-01T09 remote", "01-01T17 focus"]);
  assert.equal((await app.events()).at(-1)?.data.status.note, "Report");
  await anna("PATCH", "/orgs/acme", { closingTime: "16:00" });
  assert.deepEqual(await hourly(app, 24), ["01-02T00 focus", "01-02T09 remote", "01-02T17 default"]);
});
