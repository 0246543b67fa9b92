import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createMailer } from "@frontdesk/kit/mailer";
import { startSmtp } from "@frontdesk/testkit/smtp";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { addMember } from "../src/domain/member.ts";
import { createWebhook, testWebhook } from "../src/domain/webhook.ts";
import { systemTimer } from "../src/rounds.ts";
import {
  ANNA,
  anyEngine,
  type DeskUnderTest,
  deskUnderTest,
  ENGINES,
  openPresence,
  silent,
} from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";
import { startReceiver } from "./receiver.ts";

const LEASE_MS = 60_000;

/** An organisation with two administrators, whose receiver has just answered 410. */
async function disableWebhook(t: Parameters<typeof startReceiver>[0], desk: DeskUnderTest): Promise<string> {
  await desk.change((unit) => addMember(unit, { email: "carla@example.org", name: "Carla", role: "admin" }));
  return disableAnother(t, desk);
}

async function disableAnother(t: Parameters<typeof startReceiver>[0], desk: DeskUnderTest): Promise<string> {
  const receiver = await startReceiver(t);
  receiver.behave = (response) => response.writeHead(410).end();
  const webhook = await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
  await desk.change((unit) => testWebhook(unit, webhook.id));
  await desk.dispatcher.idle();
  return webhook.id;
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: the admins of a disabled webhook get one mail by SMTP, though several copies send`, async (t) => {
    const smtp = await startSmtp(lastInFirstOut(t), { user: "front desk", password: "p@ss/word" });
    const mailer = createMailer({
      url: smtp.url,
      from: "Desk <desk@desk.example>",
      outbox: "/nowhere",
      log: silent,
    });
    const desk = await deskUnderTest(t, database, { mailer });
    const other = await openPresence(t, desk.databaseUrl, desk.clock, { mailer });
    const webhookId = await disableWebhook(t, desk);
    await Promise.all([desk.rounds.mail(), other.rounds.mail()]);
    assert.equal(smtp.mails.length, 1);
    const [mail] = smtp.mails;
    assert.equal(mail?.user, "front desk");
    assert.deepEqual(mail?.to, [ANNA, "carla@example.org"]);
    assert.match(mail?.raw ?? "", /^From: Desk <desk@desk\.example>\r$/m);
    assert.match(mail?.raw ?? "", /^Message-ID: <[0-9A-Z]{26}@desk\.example>\r$/m);
    assert.match(mail?.raw ?? "", /^Subject: A webhook of acme was disabled\r$/m);
    assert.ok(mail?.raw.replaceAll("=\r\n", "").includes(`webhook resume acme ${webhookId}`));
  });

  test(`${engine}: a mail that the server does not take is kept and sent when it does`, async (t) => {
    const smtp = await startSmtp(lastInFirstOut(t));
    const mailer = createMailer({
      url: smtp.url,
      from: "Desk <desk@desk.example>",
      outbox: "/nowhere",
      log: silent,
    });
    const desk = await deskUnderTest(t, database, { mailer });
    smtp.refuse = "the mailbox is full";
    await disableWebhook(t, desk);
    await desk.rounds.mail();
    smtp.refuse = undefined;
    await desk.rounds.mail();
    assert.equal(smtp.mails.length, 0, "it waits a while before it tries again");
    desk.clock.advance(LEASE_MS);
    await desk.rounds.mail();
    await desk.rounds.mail();
    assert.equal(smtp.mails.length, 1);
  });
}

test("a mail that is refused for good, or cannot be sent for five days, is given up and told in the log", async (t) => {
  const smtp = await startSmtp(lastInFirstOut(t));
  const told: string[] = [];
  const log = {
    ...silent,
    warn: () => {},
    error: (_: object, text: string) => void told.push(text),
  } as never;
  const from = "Desk <desk@desk.example>";
  const mailer = createMailer({ url: smtp.url, from, outbox: "/nowhere", log });
  const { database } = ENGINES[0] as (typeof ENGINES)[number];
  const desk = await deskUnderTest(t, database, { mailer, log });
  const left = async () => (await desk.store.read.selectFrom("mails").select("id").execute()).length;
  Object.assign(smtp, { refuse: "no such user", refuseCode: 550 });
  await disableWebhook(t, desk);
  await desk.rounds.mail();
  assert.deepEqual([await left(), told], [0, ["a mail cannot be sent and is given up"]]);
  smtp.refuseCode = 451;
  await disableAnother(t, desk);
  await desk.rounds.mail();
  desk.clock.advance(5 * 24 * 3_600_000 - 1);
  await desk.rounds.mail();
  assert.equal(await left(), 1);
  desk.clock.advance(LEASE_MS + 1);
  await desk.rounds.mail();
  assert.deepEqual([await left(), told.length], [0, 2]);
});

test("without a server each mail becomes a file that only its owner may read", async (t) => {
  const outbox = join(temporaryHome(lastInFirstOut(t)), "outbox");
  const told: object[] = [];
  const log = { ...silent, info: (what: object) => void told.push(what) } as typeof silent;
  const desk = await deskUnderTest(t, ENGINES[0]?.database as (typeof ENGINES)[number]["database"], {
    mailer: createMailer({ url: undefined, from: "Desk <desk@desk.example>", outbox, log }),
  });
  const webhookId = await disableWebhook(t, desk);
  await desk.rounds.mail();
  await desk.rounds.mail();
  const [name = "", ...others] = readdirSync(outbox);
  assert.deepEqual(others, []);
  assert.match(name, /^[0-9A-Z]{26}\.eml$/);
  const file = join(outbox, name);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const message = readFileSync(file, "utf8");
  assert.match(message, /^To: anna@example\.org, carla@example\.org$/m);
  assert.match(message, /^Subject: A webhook of acme was disabled$/m);
  assert.ok(message.replaceAll("=\n", "").includes(`webhook resume acme ${webhookId}`));
  assert.deepEqual(told, [{ file, subject: "A webhook of acme was disabled" }], "and the log says where");
});

test("a mail server that never answers holds neither the port nor the end of the service", async (t) => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const mailer = () => {
    asked();
    return new Promise<never>(() => {});
  };
  const desk = await deskUnderTest(t, anyEngine, { mailer, timer: systemTimer });
  await desk.app.listen({ host: "127.0.0.1", port: 0 });
  await disableWebhook(t, desk);
  await desk.start();
  await isAsked;
  const closed = desk.close();
  await once(desk.app.server, "close");
  await closed;
});
