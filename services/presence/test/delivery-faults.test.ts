import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { MAIL_LIMIT_MS, type Mail } from "@frontdesk/kit/mailer";
import { fakeClock } from "@frontdesk/testkit/clock";
import { sql } from "kysely";
import { readDeliveryLog } from "../src/adapters/delivery-log.ts";
import { RETENTION_MS } from "../src/adapters/retention.ts";
import { bodySignature } from "../src/delivery/signature.ts";
import type { EventType } from "../src/domain/resources.ts";
import {
  changeWebhook,
  createWebhook,
  redeliver,
  removeWebhook,
  rotateSecret,
  setWebhookState,
  testWebhook,
} from "../src/domain/webhook.ts";
import { DELIVERY_TIMES, RATE_POLICY } from "../src/presence.ts";
import { ANNA, type DeskUnderTest, deskUnderTest, ENGINES, openPresence } from "./desk-under-test.ts";
import { accept, fail, startReceiver } from "./receiver.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const hook = (desk: DeskUnderTest, url: string, events: EventType[] = []) =>
  desk.change((unit) => createWebhook(unit, { url, events }));
const rowOf = (desk: DeskUnderTest, id: string) =>
  desk.store.read.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const addTodo = async (desk: DeskUnderTest, token: string, text: string) =>
  desk.call(token, "POST", `members/${ANNA}/todos`, { text });

for (const { engine, database } of ENGINES) {
  test(`${engine}: a webhook resumed after its events were purged comes to rest`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    await desk.change((unit) => setWebhookState(unit, id, "paused"));
    for (const text of ["a", "b", "c"]) await addTodo(desk, token, text);
    desk.clock.advance(RETENTION_MS + 1);
    await desk.rounds.forget();
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.dispatcher.idle();
    const { commits } = desk.store.counts;
    await desk.dispatcher.idle();
    await desk.dispatcher.idle();
    assert.equal(desk.store.counts.commits, commits, "nothing is written any more");
    assert.equal((await rowOf(desk, id)).cursor, 5);
  });

  test(`${engine}: prevSequence names a purged event, so that the receiver sees that it missed something`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    await addTodo(desk, token, "delivered");
    await desk.dispatcher.idle();
    await desk.change((unit) => setWebhookState(unit, id, "paused"));
    await addTodo(desk, token, "purged");
    desk.clock.advance(RETENTION_MS + 1);
    await desk.rounds.forget();
    await addTodo(desk, token, "kept");
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => [body.sequence, body.prevSequence]),
      [
        [3, null],
        [5, 4],
      ],
    );
  });

  test(`${engine}: a retry that was planned while the clock was ahead does not wait for that day`, async (t) => {
    const monotonic = fakeClock(0);
    const desk = await deskUnderTest(t, database, { monotonic });
    const receiver = await startReceiver(t);
    receiver.behave = fail;
    const { id } = await hook(desk, receiver.url);
    await desk.rounds.retryTimes();
    desk.clock.advance(30 * DAY);
    await desk.change((unit) => testWebhook(unit, id));
    await desk.dispatcher.idle();
    receiver.behave = accept;
    await desk.rounds.retryTimes();
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 1, "the retry is for later");
    desk.clock.advance(-30 * DAY);
    await desk.rounds.retryTimes();
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 2);
  });

  test(`${engine}: a clock that is set back stops neither webhooks nor tokens nor mails`, async (t) => {
    const mails: Mail[] = [];
    const desk = await deskUnderTest(t, database, { mailer: async (mail) => void mails.push(mail) });
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    for (let i = 0; i < RATE_POLICY.max; i++) await desk.call(token, "GET", "statuses");
    assert.equal((await desk.call(token, "GET", "statuses")).status, 429);
    await desk.change((unit) => testWebhook(unit, id));
    await desk.dispatcher.idle();
    // Someone else holds the lane and a mail, and will never give them back.
    await desk.store.write(async (tx) => {
      const until = desk.clock.now() + 30_000;
      await tx.updateTable("webhooks").set({ lease: "gone", lease_until: until }).execute();
      const mail = { id: "1", recipients: "[]", subject: "Hello", body: "", created_at: 0 };
      await tx
        .insertInto("mails")
        .values({ ...mail, lease_until: until })
        .execute();
    });
    desk.clock.advance(-HOUR);
    assert.equal((await desk.call(token, "GET", "statuses")).status, 200);
    await addTodo(desk, token, "x");
    await desk.dispatcher.idle();
    await desk.rounds.mail();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.type),
      ["webhook.test", "todo.created"],
    );
    assert.equal(mails.length, 1);
    await addTodo(desk, token, "y");
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 3, "a lane that was given back is free at once");
  });

  test(`${engine}: what another copy has taken is left to it, though its clock is a little ahead`, async (t) => {
    const mails: Mail[] = [];
    const desk = await deskUnderTest(t, database, { mailer: async (mail) => void mails.push(mail) });
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    const ahead = desk.clock.now() + 50;
    await desk.store.write(async (tx) => {
      const until = ahead + DELIVERY_TIMES.leaseMs;
      await tx.updateTable("webhooks").set({ lease: "other copy", lease_until: until }).execute();
      const mail = { id: "1", recipients: "[]", subject: "Hello", body: "", created_at: 0 };
      await tx
        .insertInto("mails")
        .values({ ...mail, lease_until: ahead + MAIL_LIMIT_MS + 15_000 })
        .execute();
    });
    await addTodo(desk, token, "x");
    await desk.dispatcher.idle();
    await desk.rounds.mail();
    assert.deepEqual([receiver.arrivals.length, mails.length], [0, 0]);
    assert.equal((await rowOf(desk, id)).lease, "other copy");
  });

  test(`${engine}: a copy whose lane was taken by another sends nothing more from it`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    await desk.change((unit) => setWebhookState(unit, id, "paused"));
    for (const text of ["a", "b", "c"]) await addTodo(desk, token, text);
    receiver.behave = async (response, arrival) => {
      const until = desk.clock.now() + DELIVERY_TIMES.leaseMs;
      await desk.store.write(async (tx) => {
        await tx.updateTable("webhooks").set({ lease: "other copy", lease_until: until }).execute();
      });
      accept(response, arrival);
    };
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 1);
  });

  test(`${engine}: what happens after a filter was widened is sent, though a turn was under way`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url, ["todo.created"]);
    const token = await desk.token();
    receiver.behave = async (response, arrival) => {
      receiver.behave = accept;
      await desk.change((unit) =>
        changeWebhook(unit, id, { events: ["todo.created", "member.status.changed"] }),
      );
      await desk.call(token, "POST", `members/${ANNA}/status`, { status: "remote" });
      accept(response, arrival);
    };
    await addTodo(desk, token, "x");
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.type),
      ["todo.created", "member.status.changed"],
    );
  });

  test(`${engine}: what made a webhook disabled is sent when it is resumed`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    receiver.behave = (response) => response.writeHead(410).end();
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    await addTodo(desk, token, "first");
    await desk.dispatcher.idle();
    await addTodo(desk, token, "second");
    assert.equal((await rowOf(desk, id)).state, "disabled");
    receiver.behave = accept;
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.sequence),
      [3, 3, 4],
    );
  });

  test(`${engine}: quiet days are not days of failure`, async (t) => {
    const desk = await deskUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, schedule: [] } });
    const receiver = await startReceiver(t);
    receiver.behave = fail;
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    await addTodo(desk, token, "fails");
    await desk.dispatcher.idle();
    desk.clock.advance(6 * DAY);
    await addTodo(desk, token, "fails once more");
    await desk.dispatcher.idle();
    assert.equal((await rowOf(desk, id)).state, "active");
    for (let day = 0; day < 5; day++) {
      desk.clock.advance(DAY);
      await addTodo(desk, token, "fails every day");
      await desk.dispatcher.idle();
    }
    assert.equal((await rowOf(desk, id)).state, "disabled");
  });

  test(`${engine}: slow receivers leave half of the places to others`, async (t) => {
    const delivery = { ...DELIVERY_TIMES, maxLanes: 4, batchMs: 100 };
    const desk = await deskUnderTest(t, database, { delivery });
    const [slow, brisk] = [await startReceiver(t), await startReceiver(t)];
    const held: ServerResponse[] = [];
    const allHeld = Promise.withResolvers<void>();
    slow.behave = (response) => {
      held.push(response);
      if (held.length === 4) allHeld.resolve();
    };
    for (let i = 0; i < 4; i++) await hook(desk, `${slow.url}/${i}`);
    await hook(desk, brisk.url);
    const token = await desk.token();
    await addTodo(desk, token, "x");
    desk.dispatcher.poke();
    await allHeld.promise;
    desk.clock.advance(2_000);
    const arrived = Promise.withResolvers<void>();
    brisk.behave = (response) => {
      response.writeHead(200).end();
      arrived.resolve();
    };
    desk.dispatcher.poke();
    await arrived.promise;
    assert.equal(held.length, 4, "all that are slow still wait");
    slow.behave = accept;
    for (const response of held) response.writeHead(200).end();
    await desk.dispatcher.idle();
  });

  test(`${engine}: however many receivers are slow, one that is not is served at once`, async (t) => {
    const desk = await deskUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, maxLanes: 2 } });
    const [slow, brisk] = [await startReceiver(t), await startReceiver(t)];
    slow.behave = (response) => {
      desk.clock.advance(2_000);
      response.writeHead(200).end();
    };
    for (let i = 0; i < 12; i++) await hook(desk, `${slow.url}/${i}`);
    const token = await desk.token();
    await addTodo(desk, token, "all are known as slow after it");
    await desk.dispatcher.idle();
    await hook(desk, brisk.url);
    const held: ServerResponse[] = [];
    slow.behave = (response) => void held.push(response);
    const arrived = Promise.withResolvers<void>();
    brisk.behave = (response) => {
      response.writeHead(200).end();
      arrived.resolve();
    };
    // It has waited for a shorter time than all the others.
    desk.clock.advance(1);
    await desk.store.write((tx) =>
      tx
        .updateTable("webhooks")
        .set({ lease_until: desk.clock.now() })
        .where("url", "=", brisk.url)
        .execute(),
    );
    await addTodo(desk, token, "x");
    desk.dispatcher.poke();
    await arrived.promise;
    slow.behave = accept;
    for (const response of held) response.writeHead(200).end();
    await desk.dispatcher.idle();
  });

  test(`${engine}: from the moment that a rotation has returned, every delivery carries the new secret`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    let rotated: string | undefined;
    const signaturesAfter: number[] = [];
    receiver.behave = async (response, { headers }) => {
      if (rotated !== undefined)
        signaturesAfter.push(String(headers["x-service-signature"]).split(",").length);
      else rotated = (await desk.change((unit) => rotateSecret(unit, id))).secret;
      response.writeHead(200).end();
    };
    for (let i = 0; i < 20; i++) await addTodo(desk, token, `${i}`);
    await desk.dispatcher.idle();
    assert.deepEqual(signaturesAfter, Array(19).fill(2));
  });

  test(`${engine}: a receiver with the secret from before two rotations is believed for a day`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const first = await hook(desk, receiver.url);
    const second = await desk.change((unit) => rotateSecret(unit, first.id));
    const third = await desk.change((unit) => rotateSecret(unit, first.id));
    await desk.change((unit) => testWebhook(unit, first.id));
    await desk.dispatcher.idle();
    const { raw, headers } = receiver.arrivals[0] as (typeof receiver.arrivals)[0];
    const expected = [third, second, first].map(({ secret }) => bodySignature(secret, String(raw)));
    assert.deepEqual(String(headers["x-service-signature"]).split(","), expected);
    desk.clock.advance(DAY + 1);
    await desk.change((unit) => testWebhook(unit, first.id));
    await desk.dispatcher.idle();
    const later = receiver.arrivals[1] as (typeof receiver.arrivals)[0];
    assert.equal(later.headers["x-service-signature"], bodySignature(third.secret, String(later.raw)));
  });

  test(`${engine}: a webhook that is paused while it is served gets nothing more`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    receiver.behave = async (response) => {
      await desk.change((unit) => setWebhookState(unit, id, "paused"));
      response.writeHead(200).end();
    };
    for (let i = 0; i < 5; i++) await addTodo(desk, token, `${i}`);
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 1);
    receiver.behave = accept;
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.sequence),
      [3, 4, 5, 6, 7],
    );
  });

  test(`${engine}: failed since a time is by when a delivery failed, not by when it was first tried`, async (t) => {
    const desk = await deskUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, schedule: [2 * DAY] } });
    const receiver = await startReceiver(t);
    receiver.behave = fail;
    const { id } = await hook(desk, receiver.url);
    await addTodo(desk, await desk.token(), "x");
    await desk.dispatcher.idle();
    const tuesday = desk.clock.now() + DAY;
    desk.clock.advance(2 * DAY);
    await desk.dispatcher.idle();
    assert.equal((await readDeliveryLog(desk.store, "acme", id))[0]?.state, "failed");
    assert.equal(await desk.change((unit) => redeliver(unit, id, { failedSince: tuesday })), 1);
  });

  test(`${engine}: a removed webhook is gone at once, and its deliveries in portions`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const made = Array.from({ length: 1_100 }, (_, i) => ({
      id: `d${i}`,
      webhook_id: id,
      org_id: desk.orgId,
      sequence: i + 1,
      event_id: `e${i}`,
      event_type: "todo.created",
      prev_sequence: null,
      state: "failed",
      step: 0,
      attempts: 1,
      next_attempt_at: null,
      created_at: desk.clock.now(),
      updated_at: desk.clock.now(),
    }));
    await desk.store.write((tx) => tx.insertInto("deliveries").values(made).execute());
    await desk.change((unit) => removeWebhook(unit, id));
    const token = await desk.token();
    await addTodo(desk, token, "x");
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 0);
    await assert.rejects(
      desk.change((unit) => removeWebhook(unit, id)),
      { code: "webhook_not_found" },
    );
    const row = await rowOf(desk, id);
    assert.deepEqual([row.state, row.secret], ["removed", ""]);
    const before = desk.store.counts.writes;
    await desk.rounds.forget();
    assert.ok(desk.store.counts.writes - before >= 4, "three portions, and the webhook itself");
    assert.deepEqual(await desk.store.read.selectFrom("webhooks").select("id").execute(), []);
    assert.deepEqual(await desk.store.read.selectFrom("deliveries").select("id").execute(), []);
  });

  test(`${engine}: the event of a test tells of the webhook's address only where it is`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const { id } = await hook(desk, "https://hooks.example/T0/secret?key=secret");
    await desk.change((unit) => testWebhook(unit, id));
    const { data } = (await desk.events()).at(-1) ?? {};
    assert.deepEqual(data, { webhook: { id, url: "https://hooks.example" } });
  });
}

test("rotating a secret does not enable a webhook that another connection disables meanwhile", async (t) => {
  const { database } = ENGINES[1] as (typeof ENGINES)[number];
  const desk = await deskUnderTest(t, database);
  const { id } = await hook(desk, "https://example.org/");
  const waitsForLock = async () => {
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await waiting.execute(desk.store.read)).rows.length === 0) await turn();
  };
  let disabling: Promise<unknown> = Promise.resolve();
  await desk.change((unit) =>
    rotateSecret(
      {
        ...unit,
        webhooks: {
          ...unit.webhooks,
          find: async (wanted) => {
            const found = await unit.webhooks.find(wanted);
            // What delivers writes the row without the organisation's lock, as soon as it may.
            disabling = desk.store.write((tx) =>
              tx.updateTable("webhooks").set({ state: "disabled" }).where("id", "=", id).execute(),
            );
            await Promise.race([disabling, waitsForLock()]);
            return found;
          },
        },
      },
      id,
    ),
  );
  await disabling;
  assert.equal((await rowOf(desk, id)).state, "disabled");
});

test("a second start on the same file takes no lane before it has the port", async (t) => {
  const { database } = ENGINES[0] as (typeof ENGINES)[number];
  const desk = await deskUnderTest(t, database);
  const { id } = await hook(desk, "https://example.org/");
  await desk.store.write((tx) =>
    tx
      .updateTable("webhooks")
      .set({ lease: "mine", lease_until: desk.clock.now() + 1_000 })
      .execute(),
  );
  const second = await openPresence(t, desk.databaseUrl, desk.clock);
  assert.equal((await rowOf(desk, id)).lease, "mine");
  await second.start();
  assert.notEqual((await rowOf(desk, id)).lease, "mine");
});
