import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppUnderTest, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES, openPresence } from "./desk-under-test.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const statusEvents = async (app: AppUnderTest) =>
  (await app.events())
    .filter(({ type }) => type === "member.status.changed")
    .map(({ data }) => [data.previous.status, data.status.status]);

for (const { engine, database } of ENGINES) {
  test(`${engine}: a status is set with its own default duration, with a note, and shown on the board`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const set = await anna("PUT", "me/status", { status: "focus", note: "  writing  " });
    assert.equal(set.status, 200);
    assert.deepEqual(set.body.member.status, {
      status: "focus",
      note: "writing",
      expiresAt: "2026-01-01T02:00:00.000Z",
      setAt: "2026-01-01T00:00:00.000Z",
      source: "app",
      setBy: null,
    });
    const open = await anna("PUT", "me/status", { status: "focus", until: "open", note: "writing" });
    assert.equal(open.body.member.status.expiresAt, null);
    const board = (await anna("GET", "board")).body;
    const shown = board.members.find(({ email }: { email: string }) => email === ANNA);
    assert.deepEqual(shown.status, open.body.member.status);
    assert.equal(board.sequence, (await app.events()).length);
    assert.equal(typeof board.me.undo, "string");
    assert.equal(board.statuses.find(({ key }: { key: string }) => key === "sick").kind, "out");

    const token = await app.token();
    const { body } = await app.call(token, "GET", `members/${ANNA}/status`);
    assert.equal(body.note, "writing", "an addition for integrations");
    const cleared = await anna("DELETE", "me/status");
    assert.deepEqual(
      [cleared.body.member.status.status, cleared.body.member.status.note],
      ["available", null],
    );
    assert.deepEqual(
      Object.hasOwn((await app.call(token, "GET", `members/${ANNA}/status`)).body, "note"),
      false,
    );
  });

  test(`${engine}: what others set falls back to one's own choice while that holds, and is told once`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const token = await app.token("calendar");
    const meeting = (minutes: number) => ({
      status: "in-meeting",
      expiresAt: new Date(app.clock.now() + minutes * 60_000).toISOString(),
    });
    const shown = async () => {
      const { status, source, expiresAt } = (await app.call(token, "GET", `members/${ANNA}/status`)).body;
      return [status, source, expiresAt];
    };
    const until = "2026-01-01T03:00:00.000Z";
    await anna("PUT", "me/status", { status: "remote", until: { at: until }, note: "at home" });
    await app.call(token, "POST", `members/${ANNA}/status`, meeting(60));
    app.clock.advance(HOUR_MS);
    assert.deepEqual(await shown(), ["remote", "app", until], "before anyone has swept");
    await app.rounds.expire();
    await app.rounds.expire();
    assert.deepEqual(await shown(), ["remote", "app", until]);
    assert.equal((await anna("GET", "board")).body.members[0].status.note, "at home");

    await app.call(token, "POST", `members/${ANNA}/status`, meeting(180));
    app.clock.advance(3 * HOUR_MS);
    await app.rounds.expire();
    assert.deepEqual((await shown())[0], "available", "what was chosen has ended meanwhile");
    assert.deepEqual(await statusEvents(app), [
      ["available", "remote"],
      ["remote", "in-meeting"],
      ["in-meeting", "remote"],
      ["remote", "in-meeting"],
      ["in-meeting", "available"],
    ]);

    await anna("PUT", "me/status", { status: "remote", until: "open" });
    await app.call(token, "DELETE", `members/${ANNA}/status`);
    await app.call(token, "POST", `members/${ANNA}/status`, meeting(60));
    app.clock.advance(HOUR_MS);
    await app.rounds.expire();
    assert.equal((await shown())[0], "available", "clearing forgets what was chosen");
  });

  test(`${engine}: an integration that sets what is set already leaves the person's note, and tells nobody`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const badges = await app.token("badges");
    const arrives = (body: object) => app.call(badges, "POST", `members/${ANNA}/status`, body);
    await arrives({ status: "in-office" });
    await anna("PUT", "me/status", { status: "in-office", until: "open", note: "room 4" });
    const before = (await anna("GET", "board")).body;
    assert.equal((await arrives({ status: "in-office" })).body.note, "room 4");
    const after = (await anna("GET", "board")).body;
    assert.deepEqual([after.members, after.sequence], [before.members, before.sequence]);
    assert.equal((await arrives({ status: "remote" })).body.note, undefined, "the note was of the other one");
    await anna("PUT", "me/status", { status: "available", until: "open", note: "back" });
    assert.equal((await arrives({ status: "available" })).body.note, "back");
    await anna("PUT", "me/status", { status: "available", until: "open" });
    assert.equal((await arrives({ status: "available" })).body.note, undefined);
  });

  test(`${engine}: reception sets others' statuses, which is seen and audited; undo brings back what was`, async (t) => {
    const app = await appUnderTest(t, database);
    const reception = await app.join("front@example.org", "reception", "Front");
    const front = await app.signIn("front@example.org");
    const bert = await app.signIn(BERT);
    const bertId = (await bert("GET", "board")).body.me.id;
    await bert("PUT", "me/status", { status: "remote", until: "open", note: "home" });
    const set = await front("PUT", `members/${bertId}/status`, { status: "sick", until: "open" });
    assert.equal(set.body.member.status.setBy, reception);
    const { body: audit } = await (await app.signIn(ANNA))("GET", "audit?limit=1");
    assert.deepEqual(
      [audit.data[0].actorName, audit.data[0].action, audit.data[0].subjectName],
      ["Front", "member.status.changed", "Bert"],
    );
    const undone = await front("POST", `members/${bertId}/status/undo`, { undo: set.body.undo });
    const { status, note, setBy } = undone.body.member.status;
    assert.deepEqual([status, note, setBy], ["remote", "home", null]);
    const again = await front("POST", `members/${bertId}/status/undo`, { undo: set.body.undo });
    assert.deepEqual([again.status, again.body.code], [409, "nothing_to_undo"]);

    const { undo } = (await bert("PUT", "me/status", { status: "focus" })).body;
    const token = await app.token();
    await app.call(token, "POST", `members/${BERT}/status`, { status: "away" });
    assert.equal(
      (await bert("POST", "me/status/undo", { undo })).status,
      409,
      "somebody else has changed it since",
    );
    assert.equal(
      (await front("PUT", "members/01JGFJJZ00000000000000000Z/status", { status: "sick" })).status,
      404,
    );
  });

  test(`${engine}: an undo takes back the change that it was offered for, and no later one of anybody`, async (t) => {
    const app = await appUnderTest(t, database);
    await app.join("front@example.org", "reception", "Front");
    const front = await app.signIn("front@example.org");
    const [bert, otherTab] = [await app.signIn(BERT), await app.signIn(BERT)];
    const bertId = (await bert("GET", "board")).body.me.id;
    const shown = async () => (await bert("GET", "board")).body.members[1].status;
    const refused = async (undone: ReturnType<typeof bert>) => {
      const { status, body } = await undone;
      assert.deepEqual([status, body.code], [409, "nothing_to_undo"]);
    };
    const meeting = await front("PUT", `members/${bertId}/status`, { status: "in-meeting", until: "open" });
    await bert("PUT", "me/status", { status: "focus", until: "open", note: "mine" });
    await refused(front("POST", `members/${bertId}/status/undo`, { undo: meeting.body.undo }));
    assert.deepEqual([(await shown()).status, (await shown()).note], ["focus", "mine"]);

    const remote = await bert("PUT", "me/status", { status: "remote", until: "open" });
    const away = await otherTab("PUT", "me/status", { status: "away", until: "open" });
    await refused(bert("POST", "me/status/undo", { undo: remote.body.undo }));
    assert.equal((await shown()).status, "away");
    assert.equal((await bert("GET", "board")).body.me.undo, away.body.undo, "what can be taken back now");
    assert.equal((await bert("POST", "me/status/undo", { undo: away.body.undo })).status, 200);
    assert.equal((await shown()).status, "remote");
    assert.equal((await bert("POST", "me/status/undo")).status, 422, "it has to be said what");
  });

  test(`${engine}: the same status pressed again changes nothing, also not what an undo brings back, and offers nobody another's undo`, async (t) => {
    const app = await appUnderTest(t, database);
    await app.join("front@example.org", "reception", "Front");
    const front = await app.signIn("front@example.org");
    const bert = await app.signIn(BERT);
    const bertId = (await bert("GET", "board")).body.me.id;
    const remote = { status: "remote", until: "open" };
    await bert("PUT", "me/status", { status: "in-office", until: "open" });
    const set = await bert("PUT", "me/status", remote);
    app.clock.advance(HOUR_MS);
    assert.equal((await front("PUT", `members/${bertId}/status`, remote)).body.undo, null);
    const again = await bert("PUT", "me/status", remote);
    assert.equal(again.body.undo, set.body.undo, "what was before the first press");
    const undone = await bert("POST", "me/status/undo", { undo: again.body.undo });
    assert.equal(undone.body.member.status.status, "in-office");

    const token = await app.token("badges");
    await app.call(token, "POST", `members/${BERT}/status`, { status: "away" });
    const { undo } = (await bert("PUT", "me/status", { status: "away", until: "open" })).body;
    assert.equal((await bert("POST", "me/status/undo", { undo })).body.member.status.status, "away");
    assert.deepEqual(await statusEvents(app), [
      ["available", "in-office"],
      ["in-office", "remote"],
      ["remote", "in-office"],
      ["in-office", "away"],
    ]);
  });

  test(`${engine}: an undo that would be refused, because its status is removed, is not offered`, async (t) => {
    const app = await appUnderTest(t, database);
    const [bert, anna] = [await app.signIn(BERT), await app.signIn(ANNA)];
    await bert("PUT", "me/status", { status: "focus", until: "open" });
    app.clock.advance(1_000);
    const remote = { status: "remote", until: "open" };
    const { undo } = (await bert("PUT", "me/status", remote)).body;
    const offered = async () => (await bert("GET", "board")).body.me.undo;
    assert.equal(await offered(), undo);
    await anna("DELETE", "statuses/focus");
    assert.equal((await bert("POST", "me/status/undo", { undo })).status, 409);
    assert.equal(await offered(), null);
    assert.equal((await bert("PUT", "me/status", remote)).body.undo, null);
  });

  test(`${engine}: ends are computed in the member's zone, and what has passed is refused`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    await anna("PATCH", "me", { timeZone: "America/New_York" });
    // Wednesday 19:00 in New York.
    const { body: ends } = await anna("GET", "me/ends");
    assert.equal(ends.timeZone, "America/New_York");
    assert.equal(Date.parse(ends.now), app.clock.now());
    assert.deepEqual(
      ends.ends.map(({ name, at }: Record<string, string>) => [name, at]),
      [
        ["30m", "2026-01-01T00:30:00.000Z"],
        ["1h", "2026-01-01T01:00:00.000Z"],
        ["2h", "2026-01-01T02:00:00.000Z"],
        ["tomorrow-9:00", "2026-01-01T14:00:00.000Z"],
        ["monday-9:00", "2026-01-05T14:00:00.000Z"],
      ],
    );
    const set = await anna("PUT", "me/status", { status: "away", until: ends.ends[3].until });
    assert.equal(set.body.member.status.expiresAt, "2026-01-01T14:00:00.000Z");
    const past = await anna("PUT", "me/status", { status: "away", until: { day: "today", time: "17:00" } });
    assert.deepEqual([past.status, past.body.code], [422, "expiry_in_past"]);
    assert.equal((await anna("PATCH", "me", { timeZone: "Mars/Olympus" })).status, 422);
    const unknown = await anna("PUT", "me/status", { status: "asleep" });
    assert.deepEqual([unknown.status, unknown.body.code], [422, "unknown_status"]);
    const long = await anna("PUT", "me/status", { status: "away", note: "x".repeat(121) });
    assert.deepEqual([long.status, long.body.errors[0].pointer], [422, "#/note"]);
  });

  test(`${engine}: planned and weekly statuses and the closing time happen once each, with two copies sweeping`, async (t) => {
    const app = await appUnderTest(t, database);
    const copies = [app];
    if (engine === "postgres")
      copies.push({ ...app, ...(await openPresence(t, app.databaseUrl, app.clock)) });
    const sweep = () =>
      Promise.all(copies.flatMap(({ rounds }) => [rounds.schedule(), rounds.expire(), rounds.schedule()]));
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const token = await app.token();
    // Thursday 1 January 2026, 0:00 UTC.
    await anna("PATCH", "/orgs/acme", { timeZone: "Europe/Berlin", closingTime: "18:00" });
    const planned = await anna("POST", "me/planned", {
      status: "vacation",
      repeats: "never",
      from: "2026-01-01T08:00:00Z",
      to: "2026-01-03T08:00:00Z",
      note: "skiing",
    });
    assert.deepEqual([planned.status, planned.body.nextAt], [200, "2026-01-01T08:00:00.000Z"]);
    const weekly = { status: "remote", repeats: "weekly", weekday: 5, start: "09:00", end: "17:00" };
    const made = await bert("POST", "me/planned", weekly);
    assert.equal(made.body.nextAt, "2026-01-02T08:00:00.000Z", "Friday 9:00 in Berlin");
    await bert("PUT", "me/status", { status: "in-office", until: "open" });
    const to = async (time: string) => {
      app.clock.advance(Date.parse(time) - app.clock.now());
      await sweep();
      await sweep();
      const { data: members } = (await app.call(token, "GET", "members")).body;
      return members.map(
        ({ status }: { status: Record<string, string> }) => `${status.status} ${status.source}`,
      );
    };
    assert.deepEqual(await to("2026-01-01T07:59:59.999Z"), ["available default", "in-office app"]);
    assert.deepEqual(await to("2026-01-01T08:00:00Z"), ["vacation plan", "in-office app"]);
    assert.deepEqual(await to("2026-01-01T16:59:59Z"), ["vacation plan", "in-office app"]);
    assert.deepEqual(
      await to("2026-01-01T17:00:00Z"),
      ["vacation plan", "available expiry"],
      "18:00 in Berlin",
    );
    assert.deepEqual(await to("2026-01-02T08:00:00Z"), ["vacation plan", "remote plan"]);
    assert.deepEqual(await to("2026-01-02T16:00:00Z"), ["vacation plan", "available expiry"]);
    assert.deepEqual(await to("2026-01-03T08:00:00Z"), ["available expiry", "available expiry"]);
    assert.deepEqual((await anna("GET", "me/planned")).body.data, [], "what is over is not listed");
    assert.equal((await bert("GET", "me/planned")).body.data[0].nextAt, "2026-01-09T08:00:00.000Z");
    assert.deepEqual(await statusEvents(app), [
      ["available", "in-office"],
      ["available", "vacation"],
      ["in-office", "available"],
      ["available", "remote"],
      ["remote", "available"],
      ["vacation", "available"],
    ]);
    const { data } = (await app.events()).find(({ data: each }) => each.status?.status === "vacation") ?? {};
    assert.equal(data.status.note, "skiing");

    // Long asleep, the service begins nothing that is over; both changes of the clocks are passed.
    assert.deepEqual(await to("2026-07-03T15:30:00Z"), ["available expiry", "available expiry"]);
    const later = await app.signIn(BERT);
    assert.equal((await later("GET", "me/planned")).body.data[0].nextAt, "2026-07-10T07:00:00.000Z");
    await later("DELETE", `me/planned/${made.body.id}`);
    assert.equal((await later("DELETE", `me/planned/${made.body.id}`)).status, 404);
  });
}

test("what begins when something else ends is one change: nobody sees the default between them", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const plan = (status: string, from: string, to: string) =>
    anna("POST", "me/planned", {
      status,
      repeats: "never",
      from: `2026-01-01T${from}Z`,
      to: `2026-01-01T${to}Z`,
    });
  await plan("remote", "08:00:00", "12:00:00");
  await plan("in-meeting", "12:00:00", "13:00:00");
  for (const time of ["08:00:00", "12:00:00", "13:00:00"]) {
    app.clock.advance(Date.parse(`2026-01-01T${time}Z`) - app.clock.now());
    // Whichever comes first.
    await app.rounds.expire();
    await app.rounds.schedule();
  }
  assert.deepEqual(await statusEvents(app), [
    ["available", "remote"],
    ["remote", "in-meeting"],
    ["in-meeting", "available"],
  ]);
});

test("weekly statuses follow the clocks of both changes in three zones", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  for (const [zone, weekday, before, instants] of [
    // Sundays at 9:00 around 29 March and 25 October.
    ["Europe/Berlin", 7, "2026-03-20T00:00:00Z", ["2026-03-22T08:00:00.000Z", "2026-03-29T07:00:00.000Z"]],
    ["Europe/Berlin", 7, "2026-10-16T00:00:00Z", ["2026-10-18T07:00:00.000Z", "2026-10-25T08:00:00.000Z"]],
    ["America/New_York", 7, "2026-10-30T00:00:00Z", ["2026-11-01T14:00:00.000Z", "2026-11-08T14:00:00.000Z"]],
    ["America/New_York", 7, "2027-03-08T00:00:00Z", ["2027-03-14T13:00:00.000Z", "2027-03-21T13:00:00.000Z"]],
    [
      "Australia/Lord_Howe",
      7,
      "2027-03-29T00:00:00Z",
      ["2027-04-03T22:30:00.000Z", "2027-04-10T22:30:00.000Z"],
    ],
    [
      "Australia/Lord_Howe",
      7,
      "2027-09-27T00:00:00Z",
      ["2027-10-02T22:00:00.000Z", "2027-10-09T22:00:00.000Z"],
    ],
  ] as const) {
    app.clock.advance(Date.parse(before) - app.clock.now());
    const anna = await app.signIn(ANNA);
    await anna("PATCH", "me", { timeZone: zone });
    const weekly = { status: "remote", repeats: "weekly", weekday, start: "09:00", end: "10:00" };
    const { body } = await anna("POST", "me/planned", weekly);
    const seen = [body.nextAt];
    app.clock.advance(Date.parse(body.nextAt) - app.clock.now());
    await app.rounds.schedule();
    const shown = (await anna("GET", "board")).body.members[0].status;
    assert.equal(Date.parse(shown.expiresAt) - app.clock.now(), HOUR_MS, `${zone} ${before}`);
    seen.push((await anna("GET", "me/planned")).body.data[0].nextAt);
    assert.deepEqual(seen, instants, zone);
    await anna("DELETE", `me/planned/${body.id}`);
    app.clock.advance(DAY_MS);
    await app.rounds.expire();
  }
});

test("a member plans at most fifty statuses, and none that ends before it begins", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const plan = {
    status: "vacation",
    repeats: "never",
    from: "2026-02-01T00:00:00Z",
    to: "2026-02-02T00:00:00Z",
  };
  for (const bad of [
    { ...plan, to: plan.from },
    { ...plan, from: "2025-01-01T00:00:00Z", to: "2025-02-01T00:00:00Z" },
    { ...plan, to: "2999-01-01T00:00:00Z" },
    { ...plan, status: "asleep" },
    { ...plan, repeats: "daily" },
    { status: "remote", repeats: "weekly", weekday: 8, start: "09:00", end: "17:00" },
    { status: "remote", repeats: "weekly", weekday: 1, start: "09:00", end: "25:00" },
  ])
    assert.equal((await anna("POST", "me/planned", bad)).status, 422, JSON.stringify(bad));
  for (let i = 0; i < 50; i++)
    assert.equal((await anna("POST", "me/planned", { ...plan, note: `${i}` })).status, 200);
  const more = await anna("POST", "me/planned", plan);
  assert.deepEqual([more.status, more.body.code], [409, "too_many_planned"]);
});
