import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import { AUDIT_RETENTION_MS, RETENTION_MS } from "../src/adapters/retention.ts";
import { createWebhook, setWebhookState } from "../src/domain/webhook.ts";
import type { Timer } from "../src/rounds.ts";
import { type DeskUnderTest, deskUnderTest, ENGINES, openPresence, silent } from "./desk-under-test.ts";
import { accept, fail, startReceiver } from "./receiver.ts";

const DAY = 24 * 60 * 60_000;
const YEARS = 10 * 365 * DAY;

const hook = (desk: DeskUnderTest, url: string) =>
  desk.change((unit) => createWebhook(unit, { url, events: [] }));
const happen = (desk: DeskUnderTest) =>
  desk.change(async (unit) => unit.emit("share_link.accessed", {} as never));
const kept = async (desk: DeskUnderTest) => {
  const rows = await desk.store.read.selectFrom("events").select("sequence").orderBy("sequence").execute();
  return rows.map(({ sequence }) => sequence);
};
const audited = (desk: DeskUnderTest) => desk.store.read.selectFrom("audit_log").select("at").execute();

for (const { engine, database } of ENGINES) {
  test(`${engine}: what an active webhook has not been sent is kept, however old it is`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const ahead = await hook(desk, receiver.url);
    for (let i = 0; i < 3; i++) await happen(desk);
    await desk.dispatcher.idle();
    const behind = await hook(desk, receiver.url);
    for (let i = 0; i < 3; i++) await happen(desk);
    await desk.store.write((tx) =>
      tx.updateTable("webhooks").set({ cursor: 7 }).where("id", "=", ahead.id).execute(),
    );
    desk.clock.advance(RETENTION_MS + 1);
    await desk.rounds.forget();
    assert.deepEqual(await kept(desk), [6, 7, 8], "up to the lowest cursor of active webhooks");
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals
        .slice(3)
        .map(({ body }) => body.sequence)
        .sort(),
      [6, 7, 8, 8],
    );
    await desk.change((unit) => setWebhookState(unit, behind.id, "paused"));
    await happen(desk);
    await desk.dispatcher.idle();
    desk.clock.advance(RETENTION_MS + 1);
    await desk.rounds.forget();
    assert.deepEqual(await kept(desk), [], "a paused one holds nothing back");
  });

  test(`${engine}: what waits for its next attempt is kept until it has been sent`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    receiver.behave = fail;
    await hook(desk, receiver.url);
    await happen(desk);
    await desk.dispatcher.idle();
    desk.clock.advance(RETENTION_MS + 1);
    await desk.rounds.forget();
    receiver.behave = accept;
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.sequence),
      [3, 3],
    );
    await desk.rounds.forget();
    assert.deepEqual(await kept(desk), []);
  });

  test(`${engine}: an event that is dated ahead does not keep the ones before and after it`, async (t) => {
    const desk = await deskUnderTest(t, database);
    await happen(desk);
    desk.clock.advance(YEARS);
    for (let i = 0; i < 600; i++) await happen(desk);
    desk.clock.advance(-YEARS);
    await desk.rounds.forget();
    assert.equal((await kept(desk)).length, 603, "when those ahead happened, nobody knows");
    await happen(desk);
    desk.clock.advance(DAY);
    await happen(desk);
    desk.clock.advance(RETENTION_MS - DAY + 1);
    await desk.rounds.forget();
    assert.deepEqual(await kept(desk), [605], "not before something that came after them is old enough");
  });

  test(`${engine}: an entry of the audit log that is dated ahead does not keep the others`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const audit = () => desk.change(async (unit) => unit.audit("webhook.rotated", "x"));
    desk.clock.advance(YEARS);
    for (let i = 0; i < 501; i++) await audit();
    desk.clock.advance(-YEARS);
    await audit();
    desk.clock.advance(AUDIT_RETENTION_MS + 1);
    await desk.rounds.forget();
    const now = desk.clock.now();
    assert.deepEqual(
      (await audited(desk)).filter(({ at }) => at <= now),
      [],
    );
  });
}

test("a start with the clock ahead forgets nothing before an hour has passed", async (t) => {
  const { database } = ENGINES[0] as (typeof ENGINES)[number];
  const desk = await deskUnderTest(t, database);
  await desk.token();
  const before = [await kept(desk), await audited(desk)];
  assert.ok(before.every(({ length }) => length > 0));
  desk.clock.advance(YEARS);
  const pauses: Array<{ ms: number; done: () => void }> = [];
  const timer: Timer = (done, ms) => {
    pauses.push({ ms, done });
    return () => {};
  };
  const next = await openPresence(t, desk.databaseUrl, desk.clock, { timer });
  await next.start();
  const ROUNDS = 9;
  await until("each round has been due once", () => pauses.length === ROUNDS);
  assert.deepEqual([await kept(desk), await audited(desk)], before);
  for (const { ms, done } of [...pauses]) if (ms === 60 * 60_000) done();
  await until(
    "old events and entries are gone",
    async () => (await kept(desk)).length + (await audited(desk)).length === 0,
  );
});

test("a mail that was written while the clock was ahead is given up after five days, not at that time", async (t) => {
  const { database } = ENGINES[0] as (typeof ENGINES)[number];
  const log = { ...silent, warn: () => {}, error: () => {} } as never;
  const desk = await deskUnderTest(t, database, {
    log,
    mailer: async () => {
      throw new Error("the mail server is away");
    },
  });
  const left = async () => (await desk.store.read.selectFrom("mails").select("id").execute()).length;
  const mail = { id: "1", recipients: "[]", subject: "Hello", body: "", lease_until: 0 };
  await desk.store.write((tx) =>
    tx
      .insertInto("mails")
      .values({ ...mail, created_at: desk.clock.now() + YEARS })
      .execute(),
  );
  await desk.rounds.mail();
  desk.clock.advance(5 * DAY - 1);
  await desk.rounds.mail();
  assert.equal(await left(), 1);
  desk.clock.advance(60_001);
  await desk.rounds.mail();
  assert.equal(await left(), 0);
});

test("a start with the clock ahead, while the mail server is away, gives no mail up", async (t) => {
  const { database } = ENGINES[0] as (typeof ENGINES)[number];
  const log = { ...silent, warn: () => {}, error: () => {} } as never;
  let away = true;
  const sent: string[] = [];
  const desk = await deskUnderTest(t, database, {
    log,
    mailer: async ({ subject }) => {
      if (away) throw new Error("the mail server is away");
      sent.push(subject);
    },
  });
  const mail = { id: "1", recipients: "[]", subject: "Hello", body: "", lease_until: 0 };
  await desk.store.write((tx) =>
    tx
      .insertInto("mails")
      .values({ ...mail, created_at: desk.clock.now() - YEARS })
      .execute(),
  );
  await desk.rounds.mail();
  away = false;
  desk.clock.advance(60_001);
  await desk.rounds.mail();
  assert.deepEqual(sent, ["Hello"]);
});
