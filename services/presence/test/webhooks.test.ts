import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Mail } from "@frontdesk/kit/mailer";
import { until } from "@frontdesk/testkit/until";
import { Webhook } from "standardwebhooks";
import { readDeliveryLog } from "../src/adapters/delivery-log.ts";
import type { EventType } from "../src/domain/resources.ts";
import {
  createWebhook,
  redeliver,
  removeWebhook,
  rotateSecret,
  setWebhookState,
  testWebhook,
} from "../src/domain/webhook.ts";
import { DELIVERY_TIMES } from "../src/presence.ts";
import { ANNA, BERT, type DeskUnderTest, deskUnderTest, ENGINES } from "./desk-under-test.ts";
import {
  type Arrival,
  accept,
  drip,
  earlyHints,
  endless,
  fail,
  hang,
  reset,
  startReceiver,
} from "./receiver.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const hook = (desk: DeskUnderTest, url: string, events: EventType[] = []) =>
  desk.change((unit) => createWebhook(unit, { url, events }));

const logOf = (desk: DeskUnderTest, id: string) => readDeliveryLog(desk.store, "acme", id);

/** Verifies as the docs tell receivers to, with both ways and tools that are not ours. */
function verifyWithPeers(arrival: Arrival, secret: string): void {
  const { headers, raw } = arrival;
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-signature-"));
  try {
    writeFileSync(join(folder, "body"), raw);
    const words = ["dgst", "-sha256", "-hmac", secret, join(folder, "body")];
    const hex = /= ([0-9a-f]{64})\s*$/.exec(execFileSync("openssl", words, { encoding: "utf8" }))?.[1];
    assert.ok(String(headers["x-service-signature"]).split(",").includes(`sha256=${hex}`), "by openssl");
  } finally {
    rmSync(folder, { recursive: true });
  }
  // The library holds the clock against the timestamp, so it is given the timestamp's own time.
  const now = Date.now;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    new Webhook(secret).verify(raw.toString(), headers as Record<string, string>);
  } finally {
    Date.now = now;
  }
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: an event arrives signed both ways, whole, with the sequence of the one before it`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const webhook = await hook(desk, receiver.url);
    const token = await desk.token();
    await desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus" });
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "Ünïcode ✓" });
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 2);
    const events = await desk.events();
    for (const [i, arrival] of receiver.arrivals.entries()) {
      const event = events[i + 2];
      assert.deepEqual(arrival.body, {
        id: event?.id,
        type: event?.type,
        sequence: i + 3,
        prevSequence: i === 0 ? null : 3,
        orgSlug: "acme",
        occurredAt: "2026-01-01T00:00:00.000Z",
        source: "integration:hr",
        data: event?.data,
      });
      assert.equal(arrival.headers["webhook-id"], event?.id);
      assert.equal(arrival.headers["content-type"], "application/json");
      verifyWithPeers(arrival, webhook.secret);
      assert.throws(() => verifyWithPeers(arrival, `${webhook.secret.slice(0, -4)}AAA=`));
      assert.throws(() =>
        verifyWithPeers({ ...arrival, raw: Buffer.concat([arrival.raw, Buffer.from(" ")]) }, webhook.secret),
      );
    }
    const [newest] = await logOf(desk, webhook.id);
    assert.equal(newest?.state, "delivered");
    assert.equal(newest?.request, receiver.arrivals[1]?.raw.toString());
    assert.deepEqual([newest?.attempts[0]?.status, newest?.attempts[0]?.response], [200, "thanks"]);
  });

  test(`${engine}: failed attempts are repeated to the second of the schedule, then the delivery has failed`, async (t) => {
    for (const [random, factor] of [
      [0, 0.9],
      [0.5, 1],
      [1, 1.1],
    ] as const) {
      const desk = await deskUnderTest(t, database, { random: () => random });
      const receiver = await startReceiver(t);
      receiver.behave = fail;
      const webhook = await hook(desk, receiver.url);
      await desk.call(await desk.token(), "POST", `members/${ANNA}/status`, { status: "focus" });
      await desk.dispatcher.idle();
      assert.equal(receiver.arrivals.length, 1);
      const waits = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];
      for (const [i, wait] of waits.entries()) {
        desk.clock.advance(wait * factor - 1);
        await desk.dispatcher.idle();
        assert.equal(receiver.arrivals.length, i + 1, `nothing before ${wait * factor}`);
        desk.clock.advance(1);
        await desk.dispatcher.idle();
        assert.equal(receiver.arrivals.length, i + 2, `an attempt at ${wait * factor}`);
      }
      desk.clock.advance(48 * HOUR);
      await desk.dispatcher.idle();
      assert.equal(receiver.arrivals.length, 8);
      assert.equal(new Set(receiver.arrivals.map(({ body }) => body.id)).size, 1, "the id stays the same");
      assert.equal(new Set(receiver.arrivals.map(({ raw }) => raw.toString())).size, 1, "so does the body");
      const [delivery] = await logOf(desk, webhook.id);
      assert.deepEqual(
        [delivery?.state, delivery?.attempts.length, delivery?.nextAttemptAt],
        ["failed", 8, null],
      );
      assert.equal(delivery?.attempts[7]?.response, "out of order");
    }
  });

  test(`${engine}: a receiver that asks for more time gets it, within the schedule`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const webhook = await hook(desk, receiver.url);
    const token = await desk.token();
    const answers = ["7200", "1", "Fri, 02 Jan 2026 00:00:00 GMT", "99999999", "soon"];
    for (const [i, answer] of answers.entries()) {
      receiver.behave = (response) => response.writeHead(503, { "retry-after": answer }).end();
      await desk.call(token, "POST", `members/${ANNA}/todos`, { text: `${i}` });
      await desk.dispatcher.idle();
    }
    const waits = (await logOf(desk, webhook.id))
      .map(({ nextAttemptAt }) => (Date.parse(nextAttemptAt ?? "") - desk.clock.now()) / 1000)
      .reverse();
    assert.deepEqual(waits, [7_200, 60, 86_400, 86_400, 60]);
  });

  test(`${engine}: hanging, resetting, dripping, endless and redirecting receivers are borne`, async (t) => {
    const desk = await deskUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, limitMs: 1_000 } });
    const receiver = await startReceiver(t);
    const target = await startReceiver(t);
    const webhook = await hook(desk, receiver.url);
    const token = await desk.token();
    const behaviours = [
      hang,
      reset,
      drip,
      endless,
      (response: Parameters<typeof drip>[0]) => response.writeHead(307, { location: target.url }).end(),
      (response: Parameters<typeof drip>[0]) =>
        response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
      (response: Parameters<typeof drip>[0]) => response.writeHead(204).end(),
      (response: Parameters<typeof drip>[0]) => response.socket?.end("HTTP/1.1 200 OK\r\nx: \u0000\r\n\r\n"),
      (response: Parameters<typeof drip>[0]) => response.writeHead(200).end("a\0b"),
      earlyHints,
    ];
    for (const behave of behaviours) {
      receiver.behave = behave;
      await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x" });
      await desk.dispatcher.idle();
    }
    const log = (await logOf(desk, webhook.id)).reverse();
    assert.deepEqual(
      log.map(({ state, attempts }) => [
        state,
        attempts[0]?.status ?? attempts[0]?.error?.replace(/:.*/, ""),
      ]),
      [
        ["pending", "no answer within 1 s"],
        ["pending", "ECONNRESET"],
        ["delivered", 200],
        ["delivered", 200],
        ["pending", 307],
        ["pending", 302],
        ["delivered", 204],
        ["pending", "Response does not match the HTTP/1.1 protocol (Invalid header value char)"],
        ["delivered", 200],
        ["pending", "more than 16 interim answers"],
      ],
    );
    assert.equal(log[3]?.attempts[0]?.response?.length, 2_048, "an endless answer is cut");
    assert.equal(target.connections, 0, "a redirect is not followed");
  });

  test(`${engine}: a webhook hears what its filter names, and its own tests`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const [all, some] = [await startReceiver(t), await startReceiver(t)];
    await hook(desk, all.url);
    const filtered = await hook(desk, some.url, ["todo.completed", "todo.deleted"]);
    const token = await desk.token();
    const { body } = await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x" });
    await desk.call(token, "POST", `todos/${body.id}/complete`);
    await desk.call(token, "POST", `members/${BERT}/status`, { status: "sick" });
    await desk.change((unit) => testWebhook(unit, filtered.id));
    await desk.call(token, "DELETE", `todos/${body.id}`);
    await desk.dispatcher.idle();
    assert.deepEqual(
      all.arrivals.map(({ body: { type, sequence, prevSequence } }) => [type, sequence, prevSequence]),
      [
        ["todo.created", 3, null],
        ["todo.completed", 4, 3],
        ["member.status.changed", 5, 4],
        ["todo.deleted", 7, 5],
      ],
    );
    assert.deepEqual(
      some.arrivals.map(({ body: { type, sequence, prevSequence } }) => [type, sequence, prevSequence]),
      [
        ["todo.completed", 4, null],
        ["webhook.test", 6, 4],
        ["todo.deleted", 7, 6],
      ],
    );
  });

  test(`${engine}: a failing delivery does not hold up the ones after it, and a hanging webhook not the others`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const [healthy, hanging] = [await startReceiver(t), await startReceiver(t)];
    const held: Array<Parameters<typeof drip>[0]> = [];
    hanging.behave = (response) => void held.push(response);
    let first = true;
    healthy.behave = (response) => {
      response.writeHead(first ? 500 : 200).end();
      first = false;
    };
    await hook(desk, hanging.url);
    await hook(desk, healthy.url);
    const token = await desk.token();
    for (let i = 0; i < 5; i++) await desk.call(token, "POST", `members/${ANNA}/todos`, { text: `${i}` });
    const allHere = new Promise<void>((resolve) => {
      const { behave } = healthy;
      healthy.behave = (response, arrival) => {
        behave(response, arrival);
        if (healthy.arrivals.length === 5) resolve();
      };
    });
    const idle = desk.dispatcher.idle();
    await allHere;
    await until("the other hangs in its first attempt", () => hanging.arrivals.length > 0);
    assert.equal(hanging.arrivals.length, 1);
    hanging.behave = accept;
    held[0]?.writeHead(200).end();
    await idle;
    assert.deepEqual(
      hanging.arrivals.map(({ body }) => body.sequence),
      [3, 4, 5, 6, 7],
    );
    desk.clock.advance(MINUTE);
    await desk.dispatcher.idle();
    assert.deepEqual(
      healthy.arrivals.map(({ body }) => body.sequence),
      [3, 4, 5, 6, 7, 3],
    );
  });

  test(`${engine}: 410 disables a webhook, failing for five days does too, and the admins are told`, async (t) => {
    const mails: Mail[] = [];
    const desk = await deskUnderTest(t, database, {
      mailer: async (mail) => void mails.push(mail),
    });
    const [gone, dead] = [await startReceiver(t), await startReceiver(t)];
    gone.behave = (response) => response.writeHead(410).end();
    dead.behave = fail;
    const webhooks = [await hook(desk, gone.url), await hook(desk, dead.url)];
    const token = await desk.token();
    const state = async () =>
      (await desk.store.read.selectFrom("webhooks").select(["id", "state"]).orderBy("id").execute()).map(
        (row) => row.state,
      );
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x" });
    await desk.dispatcher.idle();
    assert.deepEqual(await state(), ["disabled", "active"]);
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "y" });
    await desk.dispatcher.idle();
    assert.equal(gone.arrivals.length, 1, "nothing more is sent");

    for (let day = 1; day < 5; day++) {
      desk.clock.advance(24 * HOUR);
      await desk.dispatcher.idle();
    }
    desk.clock.advance(24 * HOUR - 1);
    await desk.dispatcher.idle();
    assert.deepEqual(await state(), ["disabled", "active"]);
    desk.clock.advance(24 * HOUR);
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "z" });
    await desk.dispatcher.idle();
    assert.deepEqual(await state(), ["disabled", "disabled"]);

    await desk.rounds.mail();
    await desk.rounds.mail();
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [0, 1].map(() => [[ANNA], "A webhook of acme was disabled"]),
    );
    assert.match(mails[0]?.text ?? "", /answered 410 Gone/);
    assert.ok(mails[0]?.text.includes(`webhook resume acme ${webhooks[0]?.id}`));

    gone.behave = (response) => response.writeHead(200).end();
    await desk.change((unit) => setWebhookState(unit, webhooks[0]?.id ?? "", "active"));
    await desk.dispatcher.idle();
    assert.deepEqual(
      gone.arrivals.map(({ body }) => body.sequence),
      [3, 3, 4, 5],
      "what it did not take and what was missed is sent",
    );
  });

  test(`${engine}: a success in between starts the five days anew`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const webhook = await hook(desk, receiver.url);
    const token = await desk.token();
    for (let day = 0; day < 12; day++) {
      receiver.behave = day % 4 === 3 ? (response) => response.writeHead(200).end() : fail;
      await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x" });
      await desk.dispatcher.idle();
      desk.clock.advance(24 * HOUR);
    }
    const row = await desk.store.read
      .selectFrom("webhooks")
      .select("state")
      .where("id", "=", webhook.id)
      .executeTakeFirst();
    assert.equal(row?.state, "active");
  });

  test(`${engine}: a paused webhook gets nothing until it is resumed, then everything`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    await desk.change((unit) => setWebhookState(unit, id, "paused"));
    for (let i = 0; i < 3; i++) await desk.call(token, "POST", `members/${ANNA}/todos`, { text: `${i}` });
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 0);
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.data.todo.text),
      ["0", "1", "2"],
    );
    await desk.change((unit) => removeWebhook(unit, id));
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x" });
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 3);
  });

  test(`${engine}: one delivery, or all that failed since a time, are sent again with the same id`, async (t) => {
    const desk = await deskUnderTest(t, database, {
      delivery: { ...DELIVERY_TIMES, schedule: [] },
    });
    const receiver = await startReceiver(t);
    receiver.behave = fail;
    const { id } = await hook(desk, receiver.url);
    const token = await desk.token();
    for (let i = 0; i < 4; i++) {
      await desk.call(token, "POST", `members/${ANNA}/todos`, { text: `${i}` });
      await desk.dispatcher.idle();
      desk.clock.advance(HOUR);
    }
    const log = (await logOf(desk, id)).reverse();
    assert.deepEqual(
      log.map(({ state }) => state),
      ["failed", "failed", "failed", "failed"],
    );
    receiver.behave = (response) => response.writeHead(200).end();
    receiver.arrivals.length = 0;
    assert.equal(await desk.change((unit) => redeliver(unit, id, { deliveryId: log[0]?.id ?? "" })), 1);
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals[0]?.headers["webhook-id"], log[0]?.eventId);
    const since = desk.clock.now() - 2 * HOUR;
    assert.equal(await desk.change((unit) => redeliver(unit, id, { failedSince: since })), 2);
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.data.todo.text),
      ["0", "2", "3"],
    );
    await assert.rejects(
      desk.change((unit) => redeliver(unit, id, { deliveryId: "none" })),
      { code: "delivery_not_found" },
    );
    await assert.rejects(
      desk.change((unit) => redeliver(unit, "none", { failedSince: 0 })),
      { code: "webhook_not_found" },
    );
    assert.equal(
      ((await logOf(desk, id)).reverse()[0]?.attempts ?? []).length,
      2,
      "the log has both attempts",
    );
  });

  test(`${engine}: while a secret is rotated under load, every delivery verifies with the old or the new one`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id, secret: old } = await hook(desk, receiver.url);
    const token = await desk.token();
    const load = Array.from({ length: 60 }, async (_, i) => {
      await desk.call(token, "POST", `members/${ANNA}/todos`, { text: `${i}` });
      desk.dispatcher.poke();
    });
    await Promise.all(load.slice(0, 20));
    const { secret } = await desk.change((unit) => rotateSecret(unit, id));
    await Promise.all(load);
    await desk.dispatcher.idle();
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "rotated" });
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 61);
    for (const arrival of receiver.arrivals) verifyWithPeers(arrival, old);
    verifyWithPeers(receiver.arrivals.at(-1) as Arrival, secret);
    assert.match(
      String(receiver.arrivals.at(-1)?.headers["x-service-signature"]),
      /^sha256=[0-9a-f]{64},sha256=[0-9a-f]{64}$/,
    );

    desk.clock.advance(24 * HOUR);
    await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "a day later" });
    await desk.dispatcher.idle();
    const last = receiver.arrivals.at(-1) as Arrival;
    verifyWithPeers(last, secret);
    assert.throws(() => verifyWithPeers(last, old), "the old secret has retired");
    assert.match(String(last.headers["x-service-signature"]), /^sha256=[0-9a-f]{64}$/);
  });
}
