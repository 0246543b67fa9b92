import type { TestContext } from "node:test";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came over the wire. */
  readonly text: string;
}

export interface MailServer {
  readonly url: URL;
  readonly received: ReceivedMail[];
  /** From now on every recipient is refused, or taken again. */
  refuse(refused: boolean): void;
}

/** A mail server that wants a user name and a password; gone when the test ends. */
export async function mailServer(t: Pick<TestContext, "after">): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusing = false;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "desk" && password === "s3cret"
        ? done(null, { user: username })
        : done(new Error("no such user")),
    onRcptTo: (_address, _session, done) => done(refusing ? new Error("mailbox unavailable") : null),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  t.after(() => new Promise<void>((closed) => server.close(closed)));
  const { port } = server.server.address() as { port: number };
  return {
    url: new URL(`smtp://desk:s3cret@127.0.0.1:${port}`),
    received,
    refuse: (refused) => {
      refusing = refused;
    },
  };
}
