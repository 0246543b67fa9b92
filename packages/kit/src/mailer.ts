import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import nodemailer from "nodemailer";
import type { Log } from "./log.ts";
import { createOutbox } from "./outbox.ts";
import { withinTimeLimit } from "./time-limit.ts";

export interface Mail {
  /** Where a mail may be sent again, the same each time, so that a mailbox can tell. */
  readonly id?: string;
  readonly to: string | readonly string[];
  readonly subject: string;
  readonly text: string;
}

interface SMTPError {
  readonly code: string;
  /** What was refused. */
  readonly command: string;
  readonly responseCode: number;
}

export type Mailer = (mail: Mail) => Promise<void>;

/** How long a server may be silent. */
const SMTP_LIMIT_MS = 10_000;
/** All steps of one mail together: a server that answers each a little before that limit would hold its sender for ever. */
export const MAIL_LIMIT_MS = 45_000;
/** What nodemailer says of recipients and of the message. */
const ABOUT_THE_MAIL = new Set(["EENVELOPE", "EMESSAGE"]);
/** A sender, a missing password or missing TLS that a server refuses (RFC 4954, RFC 3207) is put right by a setting. */
const SENDER_COMMAND = "MAIL FROM";
const AUTHENTICATION_REQUIRED = 530;

/** Whether a server has refused a mail for good (RFC 5321, 4.2.1: 5yz): sending it again is of no use. */
export function isRefusedForGood(error: unknown): boolean {
  const { code = "", command, responseCode = 0 } = error as Partial<SMTPError>;
  if (command === SENDER_COMMAND || responseCode === AUTHENTICATION_REQUIRED) return false;
  return ABOUT_THE_MAIL.has(code) && responseCode >= 500 && responseCode < 600;
}

/** By SMTP where there is a server; else each message becomes a file that any mail program opens. */
export function createMailer(options: {
  url: URL | undefined;
  from: string;
  outbox: string;
  log: Log;
  /** For tests: how long one mail may take. */
  limitMs?: number;
}): Mailer {
  const { from, log, limitMs = MAIL_LIMIT_MS } = options;
  const host = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? "localhost";
  const message = ({ id, to, subject, text }: Mail) => ({
    from,
    // As objects: an address never becomes a list of addresses.
    to: [to].flat().map((address) => ({ name: "", address })),
    subject,
    text,
    ...(id ? { messageId: `<${id}@${host}>` } : {}),
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  if (options.url) {
    const limits = {
      connectionTimeout: SMTP_LIMIT_MS,
      greetingTimeout: SMTP_LIMIT_MS,
      socketTimeout: SMTP_LIMIT_MS,
    };
    const { href: url } = options.url;
    return async (mail) => {
      const socket = new Socket();
      const transport = nodemailer.createTransport({ url, socket, ...limits });
      const sent = transport.sendMail(message(mail));
      try {
        await withinTimeLimit(sent, limitMs, "the conversation with the mail server");
      } catch (error) {
        // A server that has not come to an end by then would hold it for as long as it likes.
        socket.destroy();
        throw error;
      }
    };
  }
  const outbox = createOutbox(options.outbox);
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  return async (mail) => {
    const written = await transport.sendMail(message(mail));
    const name = mail.id ?? `${Date.now()}-${randomUUID()}`;
    const file = await outbox.write(name, written.message as Buffer);
    log.info({ file, subject: mail.subject }, "mail written to the outbox");
  };
}
