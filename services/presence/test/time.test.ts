import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import { RETENTION_MS } from "../src/adapters/retention.ts";
import { createWebhook } from "../src/domain/webhook.ts";
import { ANNA, BERT, deskUnderTest, ENGINES, openPresence } from "./desk-under-test.ts";
import { fakeTimer } from "./fake-timer.ts";
import { startReceiver } from "./receiver.ts";

/** How many things a running copy does again and again. */
const ROUNDS = 9;

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
    for (const copy of copies) await copy.start();
    await until("the expiry is told", async () => expiries(await desk.events()).length > 0);
    await Promise.all(copies.map(({ rounds }) => rounds.expire()));
    assert.equal(expiries(await desk.events()).length, 1);
    assert.equal((await desk.call(token, "GET", `members/${ANNA}/status`)).body.setAt, expiresAt);
  });

  test(`${engine}: running copies tell that a status ran out once and within a second, also after a restart`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const { clock } = desk;
    const startCopy = async () => {
      const time = fakeTimer(clock);
      const copy = await openPresence(t, desk.databaseUrl, clock, { timer: time.timer });
      await copy.start();
      await time.settled(ROUNDS);
      return { copy, time };
    };
    const toldAt = async () =>
      (
        await desk.store.read
          .selectFrom("events")
          .select(["occurred_at", "data"])
          .where("type", "=", "member.status.changed")
          .orderBy("sequence")
          .execute()
      ).flatMap(({ occurred_at, data }) =>
        JSON.parse(data).status.source === "expiry" ? [occurred_at] : [],
      );
    /** Lets time pass for all copies, from one moment when somebody has something to do to the next. */
    const run = async (copies: Array<Awaited<ReturnType<typeof startCopy>>>, until: number) => {
      while (clock.now() < until) for (const { time } of copies) await time.advance(until);
    };
    const begin = clock.now();
    // At moments that fall together with no round.
    const ends = [1_234, 1_500, 5_001].map((ms) => begin + ms);
    const set = async (email: string, end: number | undefined) => {
      const expiresAt = new Date(end ?? 0).toISOString();
      const { status } = await desk.call(token, "POST", `members/${email}/status`, {
        status: "away",
        expiresAt,
      });
      assert.equal(status, 200);
    };
    await set(ANNA, ends[0]);
    await set(BERT, ends[1]);
    const copies = [await startCopy(), await startCopy(), await startCopy()];
    await run(copies, begin + 1_233);
    assert.deepEqual(await toldAt(), [], "not before its time");
    await run(copies, begin + 2_500);
    const first = await toldAt();
    assert.equal(first.length, 2, "each once");
    await set(ANNA, ends[2]);
    await Promise.all(copies.map(({ copy }) => copy.close()));
    clock.advance(1_000_000);
    const restartedAt = clock.now();
    const later = [await startCopy(), await startCopy()];
    await run(later, restartedAt + 2_000);
    const all = await toldAt();
    assert.equal(all.length, 3, "each once, also after nobody was there");
    for (const [i, due] of [ends[0], ends[1], restartedAt].entries()) {
      const late = (all[i] ?? 0) - (due ?? 0);
      assert.ok(late >= 0 && late <= 1_000, `told ${late} ms after its time`);
    }
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
