import { mkdirSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Store } from "@frontdesk/store/store";
import nodemailer from "nodemailer";
import type { Tables } from "./tables.ts";

export interface Mail {
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

export type Mailer = (mail: Mail) => Promise<void>;

const LEASE_MS = 60_000;
/** For each step of the conversation with a server; all of them together stay below the lease. */
const SMTP_LIMIT_MS = 10_000;

export interface MailerOptions {
  readonly url: URL | undefined;
  /** The service's own address, whose host is where mails come from. */
  readonly publicUrl: string;
  readonly outbox: string;
  readonly log: Log;
}

/** By SMTP where there is a server; else each message becomes a file that any mail program opens. */
export function createMailer(options: MailerOptions): Mailer {
  const { hostname } = new URL(options.publicUrl);
  const host = isIP(hostname.replace(/^\[|\]$/g, "")) ? "localhost" : hostname;
  const envelope = ({ id, to, subject, text }: Mail) => ({
    from: `Frontdesk <frontdesk@${host}>`,
    to: to.map((address) => ({ name: "", address })),
    subject,
    text,
    // The same when it is sent again, so that a mailbox can tell.
    messageId: `<${id}@${host}>`,
    headers: { "Auto-Submitted": "auto-generated" },
  });
  if (options.url) {
    const transport = nodemailer.createTransport({
      url: options.url.href,
      connectionTimeout: SMTP_LIMIT_MS,
      greetingTimeout: SMTP_LIMIT_MS,
      socketTimeout: SMTP_LIMIT_MS,
    });
    return async (mail) => {
      await transport.sendMail(envelope(mail));
    };
  }
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  return async (mail) => {
    const { message } = await transport.sendMail(envelope(mail));
    mkdirSync(options.outbox, { recursive: true, mode: 0o700 });
    const file = join(options.outbox, `${mail.id}.eml`);
    writeFileSync(file, message as Buffer, { mode: 0o600 });
    options.log.info({ file, subject: mail.subject }, "mail written to the outbox");
  };
}

/** Sends the mails that changes have left behind; one that cannot be sent is tried again later. */
export function createMailRound(store: Store<Tables>, mailer: Mailer, clock: Clock, log: Log) {
  return async (): Promise<void> => {
    for (;;) {
      const now = clock.now();
      const waits = await store.read
        .selectFrom("mails")
        .select("id")
        .where("lease_until", "<=", now)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      if (!waits) return;
      const mail = await store.write((tx) =>
        tx
          .updateTable("mails")
          .set({ lease_until: now + LEASE_MS })
          .where("id", "=", waits.id)
          .where("lease_until", "<=", now)
          .returningAll()
          .executeTakeFirst(),
      );
      if (!mail) continue;
      try {
        await mailer({
          id: mail.id,
          to: JSON.parse(mail.recipients),
          subject: mail.subject,
          text: mail.body,
        });
      } catch (err) {
        log.warn({ err, subject: mail.subject }, "a mail could not be sent and will be tried again");
        continue;
      }
      await store.write((tx) => tx.deleteFrom("mails").where("id", "=", mail.id).execute());
    }
  };
}
