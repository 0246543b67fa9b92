import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI } from "../src/domain/actor.ts";
import { createOrg } from "../src/domain/org.ts";
import { setStatus } from "../src/domain/status.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, BERT, ENGINES } from "./desk-under-test.ts";

const FRIDAYS = { repeats: "weekly", status: "remote", weekday: 5, start: "09:00", end: "17:00" };
const OTHER = "01JGFJJZ00000000000000000B";

for (const { engine, database } of ENGINES) {
  test(`${engine}: a weekly status in a time zone that the runtime does not know is by UTC`, async (t) => {
    const app = await appUnderTest(t, database);
    await (await app.signIn(BERT))("POST", "me/planned", FRIDAYS);
    await app.store.write((tx) =>
      tx.updateTable("members").set({ time_zone: "Mars/Base" }).where("email", "=", BERT).execute(),
    );
    app.clock.advance(Date.parse("2026-01-02T10:00:00Z") - app.clock.now());
    await app.rounds.expire();
    await app.rounds.schedule();
    const { status, expiresAt } = (await app.events()).at(-1)?.data.status ?? {};
    assert.deepEqual([status, expiresAt], ["remote", "2026-01-02T17:00:00.000Z"]);
  });

  test(`${engine}: what fails for one organisation goes on for the others`, async (t) => {
    const app = await appUnderTest(t, database);
    const bert = await app.signIn(BERT);
    await bert("POST", "me/planned", FRIDAYS);
    await bert("PUT", "me/status", { status: "focus", until: { at: "2026-01-02T09:30:00Z" } });
    const admin = { email: ANNA, name: "Anna" };
    await createOrg(app.desk, CLI, { id: OTHER, slug: "other", name: "Other", now: app.clock.now(), admin });
    await app.desk.change(OTHER, CLI, async (unit) => {
      const anna = await unit.members.byEmail(ANNA);
      assert.ok(anna);
      await setStatus(unit, anna, { status: "focus", expiresAt: Date.parse("2026-01-02T09:30:00Z") });
    });
    await app.store.write((tx) =>
      tx
        .updateTable("orgs")
        .set({ vocabulary: "{", vocabulary_id: "damaged" })
        .where("id", "=", app.orgId)
        .execute(),
    );
    app.clock.advance(Date.parse("2026-01-02T10:00:00Z") - app.clock.now());
    await app.rounds.expire();
    await app.rounds.schedule();
    const { items } = await app.reader.events(OTHER, 0, 100);
    const changes = items.filter(({ type }) => type === "member.status.changed");
    assert.deepEqual(changes.length, 2, "set, and ended");
  });
}
