import assert from "node:assert/strict";
import { readdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "@frontdesk/kit/log";
import { createMailer } from "@frontdesk/kit/mailer";
import { createOutbox } from "@frontdesk/kit/outbox";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const log = createLog({ service: "desk", level: "silent", settings: {} });
const mailerTo = (outbox: string) =>
  createMailer({ url: undefined, from: "Desk <desk@example.org>", outbox, log });

test("the mails to an address can be deleted, and only those", async (t) => {
  const folder = temporaryHome(t);
  const mailer = mailerTo(folder);
  const many = Array.from({ length: 12 }, (_, i) => `somebody-with-a-long-name-${i}@example.org`);
  await mailer({ id: "anna", to: "anna@example.org", subject: "Hello", text: "bert@example.org" });
  await mailer({ id: "bert", to: "bert@example.org", subject: "Hello", text: "x" });
  await mailer({ id: "many", to: [...many, "bert@example.org"], subject: "Hello", text: "x" });
  await mailer({ id: "roberta", to: "robert@example.org", subject: "Hello", text: "x" });
  await createOutbox(folder).deleteTo("Bert@example.org");
  assert.deepEqual(readdirSync(folder).sort(), ["anna.eml", "roberta.eml"]);
  await createOutbox(`${folder}/nowhere`).deleteTo("bert@example.org");
});

test("mails to addresses with letters of other scripts are found too", async (t) => {
  const folder = temporaryHome(t);
  const addresses = ["anna@müller.example", "jörg@müller.example", "анна@пример.example"];
  for (const [i, to] of addresses.entries())
    await mailerTo(folder)({ id: `${i}`, to, subject: "Hello", text: "x" });
  await mailerTo(folder)({ id: "other", to: "anna@mueller.example", subject: "Hello", text: "x" });
  for (const address of addresses) await createOutbox(folder).deleteTo(address);
  assert.deepEqual(readdirSync(folder), ["other.eml"]);
});

test("mails older than a week go when another is written", async (t) => {
  const folder = temporaryHome(t);
  const mailer = mailerTo(folder);
  await mailer({ id: "old", to: "anna@example.org", subject: "Hello", text: "x" });
  await mailer({ id: "new", to: "anna@example.org", subject: "Hello", text: "x" });
  const eightDaysAgo = (Date.now() - 8 * 24 * 3_600_000) / 1000;
  utimesSync(`${folder}/old.eml`, eightDaysAgo, eightDaysAgo);
  await mailer({ id: "newest", to: "anna@example.org", subject: "Hello", text: "x" });
  assert.deepEqual(readdirSync(folder).sort(), ["new.eml", "newest.eml"]);
});

test("a mail for which the disk has no room leaves nothing in its place", async (t) => {
  const folder = temporaryHome(t);
  symlinkSync("/dev/full", join(folder, "full.eml"));
  await assert.rejects(createOutbox(folder).write("full", Buffer.from("x")), { code: "ENOSPC" });
  assert.deepEqual(readdirSync(folder), []);
});
