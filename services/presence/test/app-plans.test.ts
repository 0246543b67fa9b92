import assert from "node:assert/strict";
import { test } from "node:test";
import { addMember } from "../src/domain/member.ts";
import { planStatus } from "../src/domain/planned-status.ts";
import { type AppUnderTest, appUnderTest } from "./app-under-test.ts";
import { ANNA, BERT, ENGINES } from "./desk-under-test.ts";

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

  test(`${engine}: a clock that was ahead for a moment delays neither closing time nor weekly statuses`, async (t) => {
    const app = await appUnderTest(t, database);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    await anna("PATCH", "/orgs/acme", { closingTime: "17:00" });
    await bert("POST", "me/planned", { ...WEEKLY, weekday: 5, end: "12:00" });
    const ahead = 10 * 365 * 24 * HOUR_MS;
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
}
