import assert from "node:assert/strict";
import { test } from "node:test";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { until } from "@frontdesk/testkit/until";
import { sql } from "kysely";
import pg from "pg";
import { createWebhook, testWebhook } from "../src/domain/webhook.ts";
import { APP, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, deskUnderTest, openPresence } from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";
import { type Arrival, accept, startReceiver } from "./receiver.ts";
import { openStream } from "./stream-client.ts";

const database = async (t: Parameters<typeof lastInFirstOut>[0]) =>
  new URL(await postgresDatabase(lastInFirstOut(t)));
const POOL = 20;

/** A time during which nobody gets at a database. */
async function outageOf(t: Parameters<typeof lastInFirstOut>[0], { href, pathname }: URL) {
  const name = pathname.slice(1);
  const elsewhere = new URL(href);
  elsewhere.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: elsewhere.href });
  await admin.connect();
  lastInFirstOut(t).after(() => admin.end());
  const left = () => admin.query("select from pg_stat_activity where datname = $1", [name]);
  return {
    begin: async () => {
      await admin.query(`alter database ${name} with allow_connections false`);
      await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
      // They are told to end, and take a moment to.
      await until("every connection has ended", async () => (await left()).rowCount === 0);
    },
    end: () => admin.query(`alter database ${name} with allow_connections true`),
  };
}

test("when every connection to the database is taken, a request is told to come back, and then it passes", async (t) => {
  const desk = await deskUnderTest(t, database);
  const token = await desk.token();
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  const holders = Array.from({ length: POOL }, () => desk.store.write(() => held));
  const reply = await desk.call(token, "GET", "members");
  release();
  await Promise.all(holders);
  assert.deepEqual([reply.status, reply.body.code], [503, "unavailable"]);
  assert.match(String(reply.headers["content-type"]), /^application\/problem\+json/);
  assert.match(String(reply.headers["retry-after"]), /^\d+$/);
  assert.equal((await desk.call(token, "GET", "members")).status, 200);
});

test("a database that goes away and comes back is told, and the service goes on by itself", async (t) => {
  const desk = await deskUnderTest(t, database);
  const token = await desk.token();
  const receiver = await startReceiver(t);
  const webhook = await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
  await desk.start();
  const outage = await outageOf(t, desk.databaseUrl);
  await outage.begin();

  const reply = await desk.call(token, "GET", "members");
  assert.deepEqual([reply.status, reply.body.code], [503, "unavailable"]);
  assert.equal((await desk.app.inject("/healthz")).statusCode, 503);

  await outage.end();
  assert.equal((await desk.call(token, "GET", "members")).status, 200);
  assert.equal((await desk.app.inject("/healthz")).statusCode, 200);
  await desk.change((unit) => testWebhook(unit, webhook.id));
  await until("the test arrives", () => receiver.arrivals.length > 0);
});

test("a webhook whose delivery the database has interrupted goes on when that is back, before any lease has run out", async (t) => {
  const desk = await deskUnderTest(t, database);
  const receiver = await startReceiver(t);
  const webhook = await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
  const outage = await outageOf(t, desk.databaseUrl);
  const answered = Promise.withResolvers<void>();
  receiver.behave = (response) =>
    void answered.promise.then(() => {
      receiver.behave = accept;
      accept(response, receiver.arrivals[0] as Arrival);
    });
  await desk.change((unit) => testWebhook(unit, webhook.id));
  await desk.start();
  await until("the test arrives", () => receiver.arrivals.length > 0);
  await outage.begin();
  answered.resolve();
  await desk.dispatcher.idle();
  await outage.end();
  const delivered = () =>
    desk.store.read.selectFrom("deliveries").select("state").where("webhook_id", "=", webhook.id).execute();
  // Nothing was written down of the first time: the clock stands still, and with it the lease.
  await until("the test is delivered", async () => (await delivered()).length > 0);
  assert.deepEqual(await delivered(), [{ state: "delivered" }]);
  assert.equal(receiver.arrivals.length, 2);
});

test("a disk too full to write down what was delivered does not have it delivered again and again", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const receiver = await startReceiver(t);
  const roomFor = (more: number) =>
    desk.store.write(async (tx) => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(tx);
      await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + more)}`.execute(tx);
    });
  const webhook = await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
  // What is answered is kept, and finds no room.
  receiver.behave = (response) => {
    if (receiver.arrivals.length > 20) void roomFor(1_000);
    response.writeHead(200).end("x".repeat(2_000));
  };
  const EVENTS = 5;
  for (let i = 0; i < EVENTS; i++) await desk.change((unit) => testWebhook(unit, webhook.id));
  await roomFor(0);
  await desk.dispatcher.idle();
  // Once more, as the disk may have room again; then when the lease has run out.
  assert.equal(receiver.arrivals.length, 2 * EVENTS);
});

test("a change by one copy wakes the copy that delivers, before that one looks by itself", async (t) => {
  const desk = await deskUnderTest(t, database);
  const receiver = await startReceiver(t);
  const webhook = await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
  // Its rounds never come again: only a word of another copy makes it look.
  const deliverer = await openPresence(t, desk.databaseUrl, desk.clock, { timer: () => () => {} });
  await deliverer.start();
  const listening = () =>
    sql`select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`.execute(
      desk.store.read,
    );
  await until("the copy listens", async () => (await listening()).rows.length > 0);
  await deliverer.dispatcher.idle();
  for (let i = 1; i <= 3; i++) {
    await desk.change((unit) => testWebhook(unit, webhook.id));
    await until(`test ${i} arrives`, () => receiver.arrivals.length >= i);
  }
  assert.deepEqual(
    receiver.arrivals.map(({ body }) => body.type),
    ["webhook.test", "webhook.test", "webhook.test"],
  );
});

test("streams end when what happens can no longer be read, so that nobody takes the last for the newest", async (t) => {
  const app = await appUnderTest(t, database);
  await app.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.server.address() as { port: number };
  const { cookie } = await app.signIn(ANNA);
  const stream = await openStream(`http://127.0.0.1:${port}${APP}/orgs/acme/stream`, { cookie });
  lastInFirstOut(t).after(() => stream.close());
  await stream.until(({ name }) => name === "hello");
  const outage = await outageOf(t, app.databaseUrl);
  await outage.begin();
  await stream.ended;
  await outage.end();
});

test("a database that refuses in the middle of a batch answers the batch, and nothing of that part is set", async (t) => {
  const desk = await deskUnderTest(t, database);
  const token = await desk.token();
  // As PostgreSQL does when a statement takes too long.
  await sql`create function refuse() returns trigger as $$ begin
      raise exception 'canceling statement due to statement timeout' using errcode = '57014';
    end $$ language plpgsql`.execute(desk.store.read);
  await sql`create trigger refuse before update on members for each row when (new.status_key = 'sick') execute function refuse()`.execute(
    desk.store.read,
  );
  const items = [
    { email: ANNA, status: "remote" },
    { email: ANNA, status: "sick" },
    { email: ANNA, status: "remote" },
  ];
  const reply = await desk.call(token, "POST", "members/status:batch", { items });
  assert.deepEqual([reply.status, reply.body.code], [503, "unavailable"]);
  const { body } = await desk.call(token, "GET", `members/${ANNA}/status`);
  assert.notEqual(body.status, "remote");
});
