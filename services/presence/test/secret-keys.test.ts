import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mail } from "@frontdesk/kit/mailer";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { bodySignature } from "../src/delivery/signature.ts";
import {
  createWebhook,
  removeWebhook,
  rotateSecret,
  setWebhookState,
  testWebhook,
} from "../src/domain/webhook.ts";
import { DELIVERY_TIMES } from "../src/presence.ts";
import {
  type DeskUnderTest,
  deskUnderTest,
  ENGINES,
  openPresence,
  SECRETS,
  silent,
} from "./desk-under-test.ts";
import { startReceiver } from "./receiver.ts";

const DAY = 24 * 60 * 60_000;
const OLD = { id: "old", secret: "the key that is to go" };
const NEW = { id: "new", secret: "the key that is to come" };
const boxOf = (...keys: Array<typeof OLD>) => createSecretBox(keys, "test");

const hook = (desk: DeskUnderTest, url: string) =>
  desk.change((unit) => createWebhook(unit, { url, events: [] }));
const rowOf = (desk: DeskUnderTest, id: string) =>
  desk.store.read.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const sealAs = (desk: DeskUnderTest, id: string, secret: string) =>
  desk.store.write((tx) => tx.updateTable("webhooks").set({ secret }).where("id", "=", id).execute());

test("signing secrets are sealed in the database, those from before at the next start", async (t) => {
  const { database } = ENGINES[0] as (typeof ENGINES)[number];
  const desk = await deskUnderTest(t, database);
  const receiver = await startReceiver(t);
  const { id, secret } = await hook(desk, receiver.url);
  assert.match((await rowOf(desk, id)).secret, /^sealed1\.test\./);
  await sealAs(desk, id, secret);
  await desk.change((unit) => testWebhook(unit, id));
  await desk.dispatcher.idle();
  assert.equal(
    receiver.arrivals[0]?.headers["x-service-signature"],
    bodySignature(secret, String(receiver.arrivals[0]?.raw)),
  );
  await desk.start();
  assert.match((await rowOf(desk, id)).secret, /^sealed1\.test\./);
  await desk.change((unit) => testWebhook(unit, id));
  await desk.dispatcher.idle();
  assert.equal(
    receiver.arrivals[1]?.headers["x-service-signature"],
    bodySignature(secret, String(receiver.arrivals[1]?.raw)),
  );
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: keys are rotated copy by copy without a webhook that stops`, async (t) => {
    const mails: Mail[] = [];
    const mailer = async (mail: Mail) => void mails.push(mail);
    const first = await deskUnderTest(t, database, { secrets: boxOf(OLD), mailer });
    const receiver = await startReceiver(t);
    const { id } = await hook(first, receiver.url);
    const { secret: sealed } = await rowOf(first, id);
    const send = () => first.change((unit) => testWebhook(unit, id));
    const second = await openPresence(t, first.databaseUrl, first.clock, {
      secrets: boxOf(NEW, OLD),
      mailer,
    });
    await second.start();
    const idle = async () => {
      for (const copy of [first, second]) await copy.dispatcher.idle();
    };
    await send();
    await idle();
    assert.equal((await rowOf(first, id)).secret, sealed, "the first copy may still need it");
    assert.equal(receiver.arrivals.length, 1);

    await second.rounds.secrets();
    assert.match((await rowOf(first, id)).secret, /^sealed1\.new\./);
    await send();
    await idle();
    assert.equal((await rowOf(first, id)).state, "active", "one that lacks the key leaves it to others");
    assert.equal(receiver.arrivals.length, 2);
    await first.rounds.mail();
    assert.equal(mails.length, 0);
  });

  test(`${engine}: webhooks that cannot be signed for hold no place of others`, async (t) => {
    const desk = await deskUnderTest(t, database, { secrets: boxOf(OLD) });
    const [receiver, other] = [await startReceiver(t), await startReceiver(t)];
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push((await hook(desk, receiver.url)).id);
    const { id } = await hook(desk, other.url);
    const narrow = await openPresence(t, desk.databaseUrl, desk.clock, {
      secrets: boxOf(NEW),
      delivery: { ...DELIVERY_TIMES, maxLanes: 2 },
    });
    await sealAs(desk, id, boxOf(NEW).seal("whsec_new"));
    await desk.change((unit) => testWebhook(unit, id));
    await narrow.dispatcher.idle();
    assert.deepEqual([receiver.arrivals.length, other.arrivals.length], [0, 1]);
  });

  test(`${engine}: a webhook whose key is lost waits, is disabled after five days, and lifted by the key`, async (t) => {
    const mails: Mail[] = [];
    const warnings: object[] = [];
    const log = { ...silent, info: () => {}, warn: (about: object) => void warnings.push(about) } as never;
    const options = { mailer: async (mail: Mail) => void mails.push(mail), log };
    const desk = await deskUnderTest(t, database, options);
    const [receiver, other] = [await startReceiver(t), await startReceiver(t)];
    const { id } = await hook(desk, receiver.url);
    await hook(desk, other.url);
    const sealed = boxOf(OLD).seal("whsec_lost");
    await sealAs(desk, id, sealed);
    const restarted = await openPresence(t, desk.databaseUrl, desk.clock, options);
    await restarted.start();
    assert.deepEqual(warnings, [{ webhook: id }]);
    await desk.change(async (unit) => unit.emit("share_link.accessed", {} as never));
    for (const copy of [desk, restarted]) await copy.dispatcher.idle();
    assert.deepEqual([receiver.arrivals.length, other.arrivals.length], [0, 1], "the others go on");
    assert.deepEqual([(await rowOf(desk, id)).state, (await rowOf(desk, id)).lease], ["active", null]);
    desk.clock.advance(5 * DAY);
    await restarted.rounds.secrets();
    assert.equal((await rowOf(desk, id)).state, "active");
    desk.clock.advance(1);
    await restarted.rounds.secrets();
    const row = await rowOf(desk, id);
    assert.deepEqual([row.state, row.secret], ["disabled", sealed]);
    assert.match(String(row.disabled_reason), /key that is not in PRESENCE_SECRET_KEYS.*rotate/s);
    await desk.rounds.mail();
    assert.match(mails[0]?.text ?? "", /PRESENCE_SECRET_KEYS/);
    await assert.rejects(
      desk.change((unit) => setWebhookState(unit, id, "active")),
      { code: "secret_sealed" },
    );

    const withKey = await openPresence(t, desk.databaseUrl, desk.clock, { secrets: boxOf(NEW, OLD) });
    await withKey.start();
    assert.deepEqual(
      [(await rowOf(desk, id)).state, (await rowOf(desk, id)).disabled_reason],
      ["active", null],
    );
    await withKey.dispatcher.idle();
    const [arrival] = receiver.arrivals;
    assert.equal(arrival?.headers["x-service-signature"], bodySignature("whsec_lost", String(arrival?.raw)));
  });

  test(`${engine}: a webhook whose secret cannot be opened can be paused, rotated and removed`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const { id } = await hook(desk, receiver.url);
    const sealed = boxOf(OLD).seal("whsec_lost");
    await sealAs(desk, id, sealed);
    await desk.change((unit) => setWebhookState(unit, id, "paused"));
    assert.equal((await rowOf(desk, id)).secret, sealed, "its key may come back");
    const { secret, previousSecrets } = await desk.change((unit) => rotateSecret(unit, id));
    assert.deepEqual(previousSecrets, []);
    await desk.change((unit) => setWebhookState(unit, id, "active"));
    await desk.change((unit) => testWebhook(unit, id));
    await desk.dispatcher.idle();
    const [arrival] = receiver.arrivals;
    assert.equal(arrival?.headers["x-service-signature"], bodySignature(secret, String(arrival?.raw)));
    await sealAs(desk, id, sealed);
    await desk.change((unit) => removeWebhook(unit, id));
    assert.equal((await rowOf(desk, id)).state, "removed");
  });

  test(`${engine}: a webhook whose sealed secret is damaged is disabled at once`, async (t) => {
    const mails: Mail[] = [];
    const desk = await deskUnderTest(t, database, { mailer: async (mail) => void mails.push(mail) });
    const { id } = await hook(desk, (await startReceiver(t)).url);
    await sealAs(desk, id, `${SECRETS.seal("whsec_x").slice(0, -4)}AAAA`);
    await desk.change((unit) => testWebhook(unit, id));
    await desk.dispatcher.idle();
    const row = await rowOf(desk, id);
    assert.deepEqual([row.state, row.lease], ["disabled", null]);
    assert.match(String(row.disabled_reason), /damaged.*rotate/s);
    await desk.rounds.mail();
    assert.match(mails[0]?.text ?? "", /damaged/);
  });
}
