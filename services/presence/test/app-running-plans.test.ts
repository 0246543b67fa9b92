import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppUnderTest, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT } from "./desk-under-test.ts";

const HOUR_MS = 3_600_000;
const VACATION = {
  repeats: "never",
  status: "vacation",
  note: "Sea",
  from: "2026-01-02T00:00:00Z",
  to: "2026-01-06T00:00:00Z",
};
/** The clock begins on Thursday, 2026-01-01. */
const FRIDAYS = { repeats: "weekly", status: "remote", weekday: 5, start: "09:00", end: "17:00" };

async function sweep(app: AppUnderTest): Promise<void> {
  await app.rounds.expire();
  await app.rounds.schedule();
}

async function bertAt(app: AppUnderTest, time: string) {
  app.clock.advance(Date.parse(time) - app.clock.now());
  await sweep(app);
  return app.signIn(BERT);
}

/** What integrations are told of Bert from here on, once every hour has been lived through. */
async function told(app: AppUnderTest, since: number, hours = 0): Promise<string[]> {
  for (let hour = 0; hour < hours; hour++) {
    await sweep(app);
    app.clock.advance(HOUR_MS);
  }
  return (await app.events()).slice(since).map(({ data: { status, previous } }) => {
    const shown = (each: { status: string; expiresAt: string | null }) =>
      each.expiresAt === null ? each.status : `${each.status} ${each.expiresAt.slice(5, 13)}`;
    return `${shown(previous)} -> ${shown(status)}`;
  });
}

const eventCount = async (app: AppUnderTest) => (await app.events()).length;

test("a planned status that is removed ends now if it has begun, and is told once", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const since = await eventCount(app);
  assert.equal((await bert("DELETE", `me/planned/${id}`)).status, 204);
  const ended = ["vacation 01-06T00 -> available"];
  assert.deepEqual(await told(app, since), ended);
  assert.deepEqual(await told(app, since, 5 * 24), ended);
});

test("a weekly status that is removed while it runs ends now: what was chosen for longer comes back", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(BERT);
  const { id } = (await early("POST", "me/planned", FRIDAYS)).body;
  await early("PUT", "me/status", { status: "focus", until: { at: "2026-01-08T12:00:00Z" } });
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${id}`);
  const ended = ["remote 01-02T17 -> focus 01-08T12"];
  assert.deepEqual(await told(app, since), ended);
  assert.deepEqual(await told(app, since, 24), ended);
});

test("a planned status that is removed beneath something shorter does not come back after it", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  await bert("PUT", "me/status", { status: "in-meeting", until: { minutes: 60 } });
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since, 24), ["in-meeting 01-03T09 -> available"]);
});

test("a planned status that is removed leaves alone what was set since, by the member or an integration", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  await bert("PUT", "me/status", { status: "vacation", note: "Hills", until: { at: VACATION.to } });
  const token = await app.token("hr");
  const body = { status: "sick", expiresAt: "2026-01-04T00:00:00Z" };
  await app.call(token, "POST", `members/${BERT}/status`, body);
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since, 4 * 24), [
    "sick 01-04T00 -> vacation 01-06T00",
    "vacation 01-06T00 -> available",
  ]);
});

test("who plans a weekly status for a day that runs already, and removes it, keeps what they have set for today", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  const { id } = (await bert("POST", "me/planned", FRIDAYS)).body;
  await bert("PUT", "me/status", { status: "remote", until: { at: "2026-01-02T17:00:00Z" } });
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since), []);
});

test("a planned status that is made shorter while it runs does not come back at its new end", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const since = await eventCount(app);
  await bert("PUT", `me/planned/${id}`, { ...VACATION, to: "2026-01-04T00:00:00Z" });
  assert.deepEqual(await told(app, since, 4 * 24), [
    "vacation 01-06T00 -> vacation 01-04T00",
    "vacation 01-04T00 -> available",
  ]);
});

test("a planned status that runs ends when it says now: shorter, later, or as another status", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const replan = async (fields: object) => {
    const since = await eventCount(app);
    assert.equal((await bert("PUT", `me/planned/${id}`, { ...VACATION, ...fields })).status, 200);
    await sweep(app);
    return told(app, since);
  };
  assert.deepEqual(await replan({}), [], "the same again");
  assert.deepEqual(await replan({ to: "2026-01-04T00:00:00Z" }), ["vacation 01-06T00 -> vacation 01-04T00"]);
  assert.deepEqual(await replan({ status: "sick", to: "2026-01-05T00:00:00Z" }), [
    "vacation 01-04T00 -> sick 01-05T00",
  ]);
  assert.deepEqual(await replan({ from: "2026-01-05T00:00:00Z" }), ["sick 01-05T00 -> available"]);
  const since = await eventCount(app);
  assert.deepEqual(await told(app, since, 4 * 24), [
    "available -> vacation 01-06T00",
    "vacation 01-06T00 -> available",
  ]);
});

test("a weekly status that runs ends when it says now, also where it runs no longer", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", { ...FRIDAYS, status: "sick" })).body;
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  const replan = async (fields: object) => {
    const since = await eventCount(app);
    const replanned = await bert("PUT", `me/planned/${id}`, { ...FRIDAYS, ...fields });
    await sweep(app);
    return { told: await told(app, since), next: replanned.body.nextAt };
  };
  const next = "2026-01-09T09:00:00.000Z";
  assert.deepEqual(await replan({ status: "sick", end: "12:00" }), {
    told: ["sick 01-02T17 -> sick 01-02T12"],
    next,
  });
  assert.deepEqual(await replan({}), { told: ["sick 01-02T12 -> remote 01-02T17"], next });
  assert.deepEqual(await replan({ weekday: 1 }), {
    told: ["remote 01-02T17 -> available"],
    next: "2026-01-05T09:00:00.000Z",
  });
});

test("a planned status that is changed while something shorter is shown above it leaves that alone, and comes back as it says now", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", FRIDAYS)).body;
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  await bert("PUT", "me/status", { status: "in-meeting", until: { at: "2026-01-02T11:00:00Z" } });
  const since = await eventCount(app);
  assert.equal((await bert("PUT", `me/planned/${id}`, FRIDAYS)).status, 200);
  assert.equal((await bert("PUT", `me/planned/${id}`, { ...FRIDAYS, end: "18:00" })).status, 200);
  assert.deepEqual(await told(app, since), []);
  assert.deepEqual(await told(app, since, 24), [
    "in-meeting 01-02T11 -> remote 01-02T18",
    "remote 01-02T18 -> available",
  ]);
});

test("what a person sets by hand is theirs, also where it is the same as a planned status that runs", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const same = { status: "vacation", note: "Sea", until: { at: VACATION.to } };
  const since = await eventCount(app);
  await bert("PUT", "me/status", same);
  assert.deepEqual(await told(app, since), [], "nothing is seen of it");
  await bert("PUT", `me/planned/${id}`, { ...VACATION, to: "2026-01-04T00:00:00Z" });
  await bert("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since), []);
  await bert("PUT", "me/status", { status: "in-meeting", until: { minutes: 60 } });
  assert.deepEqual(await told(app, since, 4 * 24), [
    "vacation 01-06T00 -> in-meeting 01-03T09",
    "in-meeting 01-03T09 -> vacation 01-06T00",
    "vacation 01-06T00 -> available",
  ]);
});

test("what a person had set to the same before a planned status began is theirs, too", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(BERT);
  const { id } = (await early("POST", "me/planned", VACATION)).body;
  await early("PUT", "me/status", { status: "vacation", note: "Sea", until: { at: VACATION.to } });
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since), []);
});

test("what was set over a planned status and then again as that is by hand, by whomever, stays when it is removed", async (t) => {
  for (const by of ["member", "reception", "integration"]) {
    const app = await appUnderTest(t, anyEngine);
    const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
    const bert = await bertAt(app, "2026-01-03T08:00:00Z");
    const anna = await app.signIn(ANNA);
    const token = await app.token("hr");
    const member = (await app.reader.memberList(app.orgId)).find(({ email }) => email === BERT);
    const set = (status: string, note: string | null) => {
      const wanted = { status, note, until: { at: VACATION.to } };
      if (by === "member") return bert("PUT", "me/status", wanted);
      if (by === "reception") return anna("PUT", `members/${member?.id}/status`, wanted);
      return app.call(token, "POST", `members/${BERT}/status`, { status, expiresAt: VACATION.to });
    };
    assert.equal((await set("sick", null)).status, 200);
    assert.equal((await set("vacation", "Sea")).status, 200);
    const since = await eventCount(app);
    assert.equal((await bert("DELETE", `me/planned/${id}`)).status, 204);
    assert.deepEqual(await told(app, since), [], by);
  }
});

test("a weekly status that came back after something shorter ends when it is removed", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", FRIDAYS)).body;
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  await bert("PUT", "me/status", { status: "in-meeting", until: { minutes: 60 } });
  const later = await bertAt(app, "2026-01-02T12:00:00Z");
  const since = await eventCount(app);
  await later("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since), ["remote 01-02T17 -> available"]);
});

test("of two planned statuses of the same words, the one that began last runs", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(BERT);
  const first = (await early("POST", "me/planned", VACATION)).body.id;
  const second = (await early("POST", "me/planned", { ...VACATION, from: "2026-01-03T00:00:00Z" })).body.id;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${first}`);
  assert.deepEqual(await told(app, since), []);
  await bert("DELETE", `me/planned/${second}`);
  assert.deepEqual(await told(app, since), ["vacation 01-06T00 -> available"]);
});

test("what a planned status had begun is not brought back by an undo once it is removed, or planned otherwise", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const set = async (status: string) =>
    (await bert("PUT", "me/status", { status, until: { minutes: 60 } })).body.undo;
  assert.equal((await bert("POST", "me/status/undo", { undo: await set("focus") })).status, 200);
  const beforeChange = await set("focus");
  await bert("PUT", `me/planned/${id}`, { ...VACATION, to: "2026-01-04T00:00:00Z" });
  assert.equal((await bert("POST", "me/status/undo", { undo: beforeChange })).status, 409);
  await bert("DELETE", "me/status");
  const { id: another } = (await bert("POST", "me/planned", { ...VACATION, from: "2026-01-03T08:00:00Z" }))
    .body;
  await sweep(app);
  const beforeRemoval = await set("focus");
  await bert("DELETE", `me/planned/${another}`);
  const since = await eventCount(app);
  assert.equal((await bert("POST", "me/status/undo", { undo: beforeRemoval })).status, 409);
  assert.deepEqual(await told(app, since, 4 * 24), ["focus 01-03T09 -> available"]);
});

test("an undo that brings a run back brings back that it is one", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  const { undo } = (await bert("PUT", "me/status", { status: "remote", until: "open" })).body;
  await bert("POST", "me/status/undo", { undo });
  const since = await eventCount(app);
  await bert("DELETE", `me/planned/${id}`);
  assert.deepEqual(await told(app, since, 24), ["vacation 01-06T00 -> available"]);
});

test("a planned status over which something else was set does not begin again by being changed, unless it is moved ahead", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", VACATION)).body;
  const bert = await bertAt(app, "2026-01-03T08:00:00Z");
  await bert("PUT", "me/status", { status: "remote", until: "open" });
  const since = await eventCount(app);
  const replan = async (fields: object) =>
    (await bert("PUT", `me/planned/${id}`, { ...VACATION, ...fields })).body.nextAt;
  assert.equal(await replan({ note: "Hills" }), null);
  assert.equal(await replan({ to: "2026-01-07T00:00:00Z" }), null);
  assert.deepEqual(await told(app, since, 2), []);
  const from = "2026-01-05T00:00:00.000Z";
  assert.equal(await replan({ from }), from);
  assert.deepEqual(await told(app, since, 4 * 24), [
    "remote -> vacation 01-06T00",
    "vacation 01-06T00 -> available",
  ]);
});

/** The zone is the member's own, or that of the organisation: both at 11:00 in Berlin, where the status runs from 9:00. */
for (const whose of ["member", "organisation"])
  test(`a weekly status that runs follows the clocks when the zone of the ${whose} is another`, async (t) => {
    const app = await appUnderTest(t, anyEngine);
    const member = (await app.reader.memberList(app.orgId)).find(({ email }) => email === BERT);
    const move = async (timeZone: string) => {
      const anna = await app.signIn(ANNA);
      const path = whose === "member" ? `members/${member?.id}` : "/orgs/acme";
      const moved = await anna("PATCH", path, { timeZone });
      assert.equal(moved.status, 200);
      const { members } = (await anna("GET", "board")).body;
      const shown = members.find(({ email }: { email: string }) => email === BERT);
      if (whose === "member") assert.deepEqual(moved.body, shown, "the answer is what is shown then");
      await sweep(app);
    };
    await move("Europe/Berlin");
    const { id } = (await (await app.signIn(BERT))("POST", "me/planned", FRIDAYS)).body;
    const bert = await bertAt(app, "2026-01-02T10:00:00Z");
    const nextAt = async () => (await bert("GET", "me/planned")).body.data[0].nextAt;
    let since = await eventCount(app);
    const heard = async () => {
      const news = await told(app, since);
      since += news.length;
      return news;
    };
    await move("Europe/London");
    assert.deepEqual(await heard(), ["remote 01-02T16 -> remote 01-02T17"]);
    assert.equal(await nextAt(), "2026-01-09T09:00:00.000Z");
    const { status } = (await bert("GET", "board")).body.members.find(
      ({ email }: { email: string }) => email === BERT,
    );
    assert.deepEqual([status.source, status.setBy ?? null], ["plan", null], "nobody else has set it");
    await move("America/New_York");
    assert.deepEqual(await heard(), ["remote 01-02T17 -> available"], "it is five in the morning");
    assert.equal(await nextAt(), "2026-01-02T14:00:00.000Z");
    await move("Europe/Berlin");
    assert.deepEqual(await heard(), ["available -> remote 01-02T16"], "it was to begin today");
    await bert("DELETE", `me/planned/${id}`);
    assert.deepEqual(await heard(), ["remote 01-02T16 -> available"]);
  });

const OFFICE_HOURS = { ...FRIDAYS, status: "in-office" };

/** Bert's Friday in the office is shown over a choice that lasts longer, from 9:00; it is 10:00. */
async function officeOver(app: AppUnderTest, until: unknown = "open") {
  const early = await app.signIn(BERT);
  const { id } = (await early("POST", "me/planned", OFFICE_HOURS)).body;
  await early("PUT", "me/status", { status: "remote", until });
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  return { id, bert };
}

for (const by of ["member", "reception", "integration"])
  test(`a weekly status over a longer choice comes back after something shorter that is set by: ${by}`, async (t) => {
    const app = await appUnderTest(t, anyEngine);
    const { bert } = await officeOver(app);
    const since = await eventCount(app);
    const until = { at: "2026-01-02T11:00:00Z" };
    if (by === "integration") {
      const body = { status: "in-meeting", expiresAt: until.at };
      await app.call(await app.token("calendar"), "POST", `members/${BERT}/status`, body);
    } else {
      const member = (await app.reader.memberList(app.orgId)).find(({ email }) => email === BERT);
      const path = by === "member" ? "me/status" : `members/${member?.id}/status`;
      const ask = by === "member" ? bert : await app.signIn(ANNA);
      const { body } = await ask("PUT", path, { status: "in-meeting", until });
      assert.equal(body.afterwards, "in-office");
    }
    await bertAt(app, until.at);
    const shown = (await app.reader.memberList(app.orgId)).find(({ email }) => email === BERT);
    assert.equal(shown?.statusSource, "plan", "nobody has set it");
    assert.deepEqual(await told(app, since, 24), [
      "in-office 01-02T17 -> in-meeting 01-02T11",
      "in-meeting 01-02T11 -> in-office 01-02T17",
      "in-office 01-02T17 -> remote",
    ]);
  });

test("what is set over a weekly status for longer than it lasts is followed by the longer choice beneath it", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { bert } = await officeOver(app);
  const since = await eventCount(app);
  const meeting = { status: "in-meeting", until: { at: "2026-01-02T18:00:00Z" } };
  assert.equal((await bert("PUT", "me/status", meeting)).body.afterwards, "remote");
  await bert("PUT", "me/status", { status: "focus", until: { at: "2026-01-02T12:00:00Z" } });
  assert.deepEqual(await told(app, since, 24), [
    "in-office 01-02T17 -> in-meeting 01-02T18",
    "in-meeting 01-02T18 -> focus 01-02T12",
    "focus 01-02T12 -> in-meeting 01-02T18",
    "in-meeting 01-02T18 -> remote",
  ]);
});

test("a choice that lasts longer than all beneath it, or is cleared, is followed by none of that", async (t) => {
  for (const [until, news] of [
    ["open", ["in-office 01-02T17 -> focus"]],
    [{ at: "2026-01-09T00:00:00Z" }, ["in-office 01-02T17 -> focus 01-09T00"]],
    [null, ["in-office 01-02T17 -> available"]],
  ] as const) {
    const app = await appUnderTest(t, anyEngine);
    const { bert } = await officeOver(app, { at: "2026-01-08T00:00:00Z" });
    const since = await eventCount(app);
    if (until === null) await bert("DELETE", "me/status");
    else await bert("PUT", "me/status", { status: "focus", until });
    await bert("PUT", "me/status", { status: "in-meeting", until: { minutes: 60 } });
    const next = news[0].split(" -> ")[1];
    assert.deepEqual(await told(app, since, 24), [
      ...news,
      `${next} -> in-meeting 01-02T11`,
      `in-meeting 01-02T11 -> ${next}`,
    ]);
  }
});

test("who says until when they are in the office makes the weekly status shorter: it does not come back", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { bert } = await officeOver(app);
  const since = await eventCount(app);
  await bert("PUT", "me/status", { status: "in-office", until: { at: "2026-01-02T12:00:00Z" } });
  assert.deepEqual(await told(app, since, 24), [
    "in-office 01-02T17 -> in-office 01-02T12",
    "in-office 01-02T12 -> remote",
  ]);
});

test("weekly statuses within each other come back one after the other, and so does what a member set within them", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(BERT);
  await early("POST", "me/planned", { ...FRIDAYS, status: "in-meeting", start: "10:00", end: "14:00" });
  const { bert } = await officeOver(app);
  await bert("PUT", "me/status", { status: "focus", until: { at: "2026-01-02T13:00:00Z" } });
  const since = await eventCount(app);
  const body = { status: "away", expiresAt: "2026-01-02T12:00:00Z" };
  await app.call(await app.token("badge"), "POST", `members/${BERT}/status`, body);
  assert.deepEqual(await told(app, since, 24), [
    "focus 01-02T13 -> away 01-02T12",
    "away 01-02T12 -> focus 01-02T13",
    "focus 01-02T13 -> in-meeting 01-02T14",
    "in-meeting 01-02T14 -> in-office 01-02T17",
    "in-office 01-02T17 -> remote",
  ]);
});

test("a weekly status that waits beneath two others is changed, removed and moved with the clocks as one that is shown", async (t) => {
  for (const [what, news] of [
    ["change", ["in-meeting 01-02T11 -> in-office 01-02T18", "in-office 01-02T18 -> remote"]],
    ["remove", ["in-meeting 01-02T11 -> remote"]],
    ["move", ["in-meeting 01-02T11 -> in-office 01-02T16", "in-office 01-02T16 -> remote"]],
    ["remove the status", ["in-meeting 01-02T11 -> remote"]],
  ] as const) {
    const app = await appUnderTest(t, anyEngine);
    const { id, bert } = await officeOver(app);
    const anna = await app.signIn(ANNA);
    const { undo } = (
      await bert("PUT", "me/status", { status: "in-meeting", until: { at: "2026-01-02T11:00:00Z" } })
    ).body;
    const since = await eventCount(app);
    if (what === "change") await bert("PUT", `me/planned/${id}`, { ...OFFICE_HOURS, end: "18:00" });
    if (what === "remove") await bert("DELETE", `me/planned/${id}`);
    if (what === "move") await anna("PATCH", "/orgs/acme", { timeZone: "Europe/Berlin" });
    if (what === "remove the status") await anna("DELETE", "statuses/in-office");
    if (what !== "move") assert.equal((await bert("POST", "me/status/undo", { undo })).status, 409, what);
    assert.deepEqual(await told(app, since, 24), news, what);
  }
});

test("an undo brings back a weekly status with the longer choice beneath it, also where the closing time has ended that", async (t) => {
  for (const closes of [false, true]) {
    const app = await appUnderTest(t, anyEngine);
    const { bert } = await officeOver(app);
    const anna = await app.signIn(ANNA);
    if (closes) await anna("PATCH", "/orgs/acme", { closingTime: "11:00" });
    const { undo } = (await bert("PUT", "me/status", { status: "focus", until: { minutes: 120 } })).body;
    const later = await bertAt(app, "2026-01-02T11:30:00Z");
    const since = await eventCount(app);
    assert.equal((await later("POST", "me/status/undo", { undo })).status, 200);
    await later("PUT", "me/status", { status: "in-meeting", until: { minutes: 60 } });
    assert.deepEqual(await told(app, since, 24), [
      "focus 01-02T12 -> in-office 01-02T17",
      "in-office 01-02T17 -> in-meeting 01-02T12",
      "in-meeting 01-02T12 -> in-office 01-02T17",
      `in-office 01-02T17 -> ${closes ? "available" : "remote"}`,
    ]);
  }
});

test("a weekly status does not begin while somebody is out for longer beneath what is shown", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(BERT);
  await early("POST", "me/planned", OFFICE_HOURS);
  await early("PUT", "me/status", { status: "focus", until: { at: "2026-01-20T00:00:00Z" } });
  await early("POST", "me/planned", VACATION);
  const bert = await bertAt(app, "2026-01-02T08:00:00Z");
  const since = await eventCount(app);
  await bert("PUT", "me/status", { status: "in-meeting", until: { at: "2026-01-02T10:00:00Z" } });
  assert.deepEqual(await told(app, since, 24), [
    "vacation 01-06T00 -> in-meeting 01-02T10",
    "in-meeting 01-02T10 -> vacation 01-06T00",
  ]);
});

test("a planned status that is removed, or moved ahead, while it runs gives back what it covered, also where that ends earlier", async (t) => {
  const meeting = {
    repeats: "never",
    status: "in-meeting",
    from: "2026-01-02T10:00:00Z",
    to: "2026-01-02T18:00:00Z",
  };
  for (const [how, end] of [
    ["removed", "remote 01-02T17 -> available"],
    ["moved", "remote 01-02T17 -> in-meeting 01-02T18"],
  ] as const) {
    const app = await appUnderTest(t, anyEngine);
    const early = await app.signIn(BERT);
    const weekly = (await early("POST", "me/planned", FRIDAYS)).body;
    const { id } = (await early("POST", "me/planned", meeting)).body;
    await bertAt(app, "2026-01-02T09:00:00Z");
    const bert = await bertAt(app, "2026-01-02T10:05:00Z");
    // What is set within the meeting gives way to it, and what it covers stays beneath it when that is planned anew.
    await bert("PUT", `me/planned/${weekly.id}`, { ...FRIDAYS, note: "at home" });
    await bert("PUT", "me/status", { status: "focus", until: { minutes: 10 } });
    const since = await eventCount(app);
    await bertAt(app, "2026-01-02T10:20:00Z");
    assert.deepEqual(await told(app, since), ["focus 01-02T10 -> in-meeting 01-02T18"]);
    if (how === "removed") await bert("DELETE", `me/planned/${id}`);
    else await bert("PUT", `me/planned/${id}`, { ...meeting, from: "2026-01-02T15:00:00Z" });
    assert.deepEqual((await told(app, since, 9)).slice(1), [
      "in-meeting 01-02T18 -> remote 01-02T17",
      end,
      ...(how === "removed" ? [] : ["in-meeting 01-02T18 -> available"]),
    ]);
  }
});

test("a planned status that is changed while something shorter is shown over it stays over what it covers", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(BERT);
  await early("POST", "me/planned", FRIDAYS);
  const meeting = {
    repeats: "never",
    status: "in-meeting",
    from: "2026-01-02T10:00:00Z",
    to: "2026-01-02T18:00:00Z",
  };
  const { id } = (await early("POST", "me/planned", meeting)).body;
  await bertAt(app, "2026-01-02T09:00:00Z");
  const bert = await bertAt(app, "2026-01-02T10:05:00Z");
  await bert("PUT", "me/status", { status: "focus", until: { minutes: 10 } });
  await bert("PUT", `me/planned/${id}`, { ...meeting, note: "in the hall" });
  const since = await eventCount(app);
  await bertAt(app, "2026-01-02T10:20:00Z");
  assert.deepEqual(await told(app, since), ["focus 01-02T10 -> in-meeting 01-02T18"]);
});

test("a planned status that is changed into what lies over it already leaves that where it is", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const plan = {
    repeats: "never",
    status: "in-office",
    from: "2026-01-02T09:00:00Z",
    to: "2026-01-02T20:00:00Z",
  };
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", plan)).body;
  const bert = await bertAt(app, "2026-01-02T09:00:00Z");
  for (const [status, end] of [
    ["focus", "18:00"],
    ["remote", "17:00"],
    ["in-meeting", "10:00"],
  ])
    await bert("PUT", "me/status", { status, until: { at: `2026-01-02T${end}:00Z` } });
  await bert("PUT", `me/planned/${id}`, { ...plan, status: "remote", to: "2026-01-02T17:00:00Z" });
  const since = await eventCount(app);
  assert.deepEqual(await told(app, since, 12), [
    "in-meeting 01-02T10 -> remote 01-02T17",
    "remote 01-02T17 -> focus 01-02T18",
    "focus 01-02T18 -> available",
  ]);
});

const OFFICE_DAY = {
  repeats: "never",
  status: "in-office",
  from: "2026-01-02T09:00:00Z",
  to: "2026-01-02T20:00:00Z",
};
const REMOTE_DAY = { ...OFFICE_DAY, status: "remote", to: "2026-01-02T17:00:00Z" };
const REMOTE = { status: "remote", until: { at: "2026-01-02T17:00:00Z" } };
const MEETING = { status: "in-meeting", until: { at: "2026-01-02T11:00:00Z" } };

for (const [where, early, late, news] of [
  ["over it", [], [REMOTE], ["remote 01-02T17 -> in-office 01-02T20"]],
  [
    "over it, under a meeting",
    [],
    [REMOTE, MEETING],
    ["in-meeting 01-02T11 -> remote 01-02T17", "remote 01-02T17 -> in-office 01-02T20"],
  ],
  ["beneath it, under a meeting", [REMOTE], [MEETING], ["in-meeting 01-02T11 -> in-office 01-02T20"]],
] as const)
  test(`a planned status that was changed into what is chosen ${where} ends as it says last`, async (t) => {
    const app = await appUnderTest(t, anyEngine);
    const { id } = (await (await app.signIn(BERT))("POST", "me/planned", OFFICE_DAY)).body;
    const before = await bertAt(app, "2026-01-02T08:30:00Z");
    for (const status of early) await before("PUT", "me/status", status);
    const bert = await bertAt(app, "2026-01-02T10:00:00Z");
    for (const status of late) await bert("PUT", "me/status", status);
    const since = await eventCount(app);
    await bert("PUT", `me/planned/${id}`, REMOTE_DAY);
    await bert("PUT", `me/planned/${id}`, OFFICE_DAY);
    assert.deepEqual(await told(app, since, 12), [...news, "in-office 01-02T20 -> available"]);
  });

test("a planned status that was changed into what it covers, and has a meeting over it then, ends as it says last", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", OFFICE_DAY)).body;
  await (await bertAt(app, "2026-01-02T08:30:00Z"))("PUT", "me/status", REMOTE);
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  await bert("PUT", `me/planned/${id}`, REMOTE_DAY);
  await bert("PUT", "me/status", MEETING);
  const since = await eventCount(app);
  await bert("PUT", `me/planned/${id}`, OFFICE_DAY);
  assert.deepEqual(await told(app, since, 12), [
    "in-meeting 01-02T11 -> in-office 01-02T20",
    "in-office 01-02T20 -> available",
  ]);
});

for (const [plan, longer] of [
  [REMOTE_DAY, { to: "2026-01-02T20:00:00Z" }],
  [FRIDAYS, { end: "20:00" }],
] as const)
  test(`a planned status that began as what was shown already is followed when it is made longer: ${plan.repeats}`, async (t) => {
    const app = await appUnderTest(t, anyEngine);
    const { id } = (await (await app.signIn(BERT))("POST", "me/planned", plan)).body;
    const early = await bertAt(app, "2026-01-02T08:30:00Z");
    const { undo } = (await early("PUT", "me/status", REMOTE)).body;
    const since = await eventCount(app);
    const bert = await bertAt(app, "2026-01-02T10:00:00Z");
    assert.equal((await bert("GET", "board")).body.me.undo, undo, "nothing is seen of it");
    await bert("PUT", `me/planned/${id}`, { ...plan, ...longer });
    assert.deepEqual(await told(app, since, 12), [
      "remote 01-02T17 -> remote 01-02T20",
      "remote 01-02T20 -> available",
    ]);
  });

test("an undo leaves a planned status running that has begun as what is taken back", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const plan = {
    status: "remote",
    repeats: "never",
    from: "2026-01-02T09:00:00Z",
    to: "2026-01-02T17:00:00Z",
  };
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", plan)).body;
  const early = await bertAt(app, "2026-01-02T08:00:00Z");
  await early("PUT", "me/status", { status: "focus", until: { at: "2026-01-02T20:00:00Z" } });
  const { undo } = (
    await early("PUT", "me/status", { status: "remote", until: { at: "2026-01-02T17:00:00Z" } })
  ).body;
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  const since = await eventCount(app);
  assert.equal((await bert("POST", "me/status/undo", { undo })).status, 200);
  await bert("PUT", `me/planned/${id}`, { ...plan, to: "2026-01-02T18:00:00Z" });
  assert.deepEqual(await told(app, since, 12), [
    "remote 01-02T17 -> remote 01-02T18",
    "remote 01-02T18 -> focus 01-02T20",
    "focus 01-02T20 -> available",
  ]);
});

for (const whose of ["their own", "the organisation's"])
  test(`an undo brings back no weekly status on the clocks of the zone before, be it ${whose}`, async (t) => {
    const app = await appUnderTest(t, anyEngine);
    const move = async (timeZone: string) =>
      whose === "their own"
        ? (await app.signIn(BERT))("PATCH", "me", { timeZone })
        : (await app.signIn(ANNA))("PATCH", "/orgs/acme", { timeZone });
    await move("Europe/Berlin");
    await (await app.signIn(BERT))("POST", "me/planned", FRIDAYS);
    const bert = await bertAt(app, "2026-01-02T09:00:00Z");
    const { undo } = (
      await bert("PUT", "me/status", { status: "focus", until: { at: "2026-01-02T20:00:00Z" } })
    ).body;
    await move("America/New_York");
    assert.equal((await bert("POST", "me/status/undo", { undo })).status, 409);
  });

test("an undo brings back no run of a planned status that went with its status", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const early = await app.signIn(ANNA);
  const lunch = {
    key: "lunch",
    label: "Lunch",
    color: "#112233",
    emoji: "",
    kind: "away",
    defaultMinutes: null,
  };
  assert.equal((await early("POST", "statuses", lunch)).status, 201);
  await (await app.signIn(BERT))("POST", "me/planned", { ...FRIDAYS, status: "lunch" });
  const bert = await bertAt(app, "2026-01-02T10:00:00Z");
  const { undo } = (await bert("PUT", "me/status", { status: "focus", until: "open" })).body;
  const anna = await app.signIn(ANNA);
  await anna("DELETE", "statuses/lunch");
  assert.equal((await anna("POST", "statuses", lunch)).status, 201);
  assert.equal((await bert("POST", "me/status/undo", { undo })).status, 409);
});

test("the board shows by whom a status is, also where nothing else of it changes", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const { id } = (await (await app.signIn(BERT))("POST", "me/planned", FRIDAYS)).body;
  const early = await bertAt(app, "2026-01-02T08:00:00Z");
  await early("PUT", "me/status", { status: "remote", until: { at: "2026-01-02T17:00:00Z" } });
  const token = await app.token("hr");
  const focus = { status: "focus", expiresAt: "2026-01-02T18:00:00Z" };
  await app.call(token, "POST", `members/${BERT}/status`, focus);
  const bert = await bertAt(app, "2026-01-02T09:00:00Z");
  const boards = async () => (await bert("GET", "board")).body.members[1].status;
  await boards();
  await bert("DELETE", `me/planned/${id}`);
  const { source, setAt } = (await app.call(token, "GET", `members/${BERT}/status`)).body;
  const board = await boards();
  assert.deepEqual([board.source, board.setAt], [source, setAt]);
});
