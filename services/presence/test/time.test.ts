import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { RETENTION_MS } from "../src/adapters/retention.ts";
import { createWebhook } from "../src/domain/webhook.ts";
import { ANNA, BERT, deskUnderTest, ENGINES, openPresence } from "./desk-under-test.ts";
import { startReceiver } from "./receiver.ts";

const expiries = (
  events: Array<{ type: string; data: { status: { source: string; member: { email: string } } } }>,
) => events.filter(({ type, data }) => type === "member.status.changed" && data.status.source === "expiry");

for (const { engine, database } of ENGINES) {
  test(`${engine}: a status runs out once, though several copies sweep at the same time`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const copies = [
      desk,
      await openPresence(t, desk.databaseUrl, desk.clock),
      await openPresence(t, desk.databaseUrl, desk.clock),
    ];
    const token = await desk.token();
    const expiresAt = new Date(desk.clock.now() + 5_000).toISOString();
    for (const email of [ANNA, BERT])
      await desk.call(token, "POST", `members/${email}/status`, { status: "away", expiresAt });
    desk.clock.advance(4_999);
    await Promise.all(copies.map(({ rounds }) => rounds.expire()));
    assert.equal(expiries(await desk.events()).length, 0);
    desk.clock.advance(1);
    await Promise.all(copies.map(({ rounds }) => rounds.expire()));
    await Promise.all(copies.map(({ rounds }) => rounds.expire()));
    const told = expiries(await desk.events());
    assert.deepEqual(
      told.map(({ data }) => data.status.member.email),
      [ANNA, BERT],
    );
    const { body } = await desk.call(token, "GET", `members/${ANNA}/status`);
    assert.deepEqual([body.status, body.setAt, body.source], ["available", expiresAt, "expiry"]);
  });

  test(`${engine}: a status that ran out while nobody was there is told at the next start, by itself and once`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const expiresAt = new Date(desk.clock.now() + 60_000).toISOString();
    await desk.call(token, "POST", `members/${ANNA}/status`, { status: "away", expiresAt });
    desk.clock.advance(3_600_000);
    const copies = [
      await openPresence(t, desk.databaseUrl, desk.clock),
      await openPresence(t, desk.databaseUrl, desk.clock),
    ];
    for (const copy of copies) copy.start();
    while (expiries(await desk.events()).length === 0) await delay(20);
    await Promise.all(copies.map(({ rounds }) => rounds.expire()));
    assert.equal(expiries(await desk.events()).length, 1);
    assert.equal((await desk.call(token, "GET", `members/${ANNA}/status`)).body.setAt, expiresAt);
  });

  test(`${engine}: a status that was changed in time does not run out`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const path = `members/${ANNA}/status`;
    const at = (ms: number) => new Date(desk.clock.now() + ms).toISOString();
    await desk.call(token, "POST", path, { status: "away", expiresAt: at(5_000) });
    await desk.call(token, "POST", path, { status: "away", expiresAt: at(60_000) });
    await desk.call(token, "POST", `members/${BERT}/status`, { status: "away", expiresAt: at(5_000) });
    await desk.call(token, "POST", `members/${BERT}/status`, { status: "sick" });
    desk.clock.advance(10_000);
    await desk.rounds.expire();
    assert.equal((await desk.call(token, "GET", path)).body.status, "away");
    assert.equal((await desk.call(token, "GET", `members/${BERT}/status`)).body.status, "sick");
    assert.equal(expiries(await desk.events()).length, 0);
  });

  test(`${engine}: events and deliveries are kept for thirty days, and whoever asks for older ones is told`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
    const token = await desk.token();
    for (let i = 0; i < 600; i++)
      await desk.change(async (unit) => unit.emit("share_link.accessed", {} as never));
    await desk.dispatcher.idle();
    const count = async (table: "events" | "deliveries" | "attempts") =>
      (
        await desk.store.read
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as("n"))
          .executeTakeFirstOrThrow()
      ).n;
    assert.deepEqual(
      [await count("events"), await count("deliveries"), await count("attempts")],
      [602, 600, 600],
    );
    desk.clock.advance(RETENTION_MS);
    await desk.rounds.forget();
    assert.equal(await count("events"), 602, "a month has not passed by yet");
    await desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus" });
    desk.clock.advance(1);
    await desk.rounds.forget();
    assert.deepEqual([await count("events"), await count("deliveries"), await count("attempts")], [1, 0, 0]);
    const gone = await desk.call(token, "GET", "events?after=601");
    assert.deepEqual([gone.status, gone.body.code], [410, "events_gone"]);
    const kept = await desk.call(token, "GET", "events?after=602");
    assert.deepEqual([kept.status, kept.body.data.length, kept.body.lastSequence], [200, 1, 603]);
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.at(-1)?.body.sequence, 603, "webhooks go on");
  });
}
