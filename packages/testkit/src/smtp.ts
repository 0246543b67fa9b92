import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The user that the sender signed in as, where the server asks for one. */
  readonly user: string | undefined;
  /** The whole message as it came, headers and all. */
  readonly raw: string;
}

/** A real SMTP server on loopback that keeps what it gets; gone when the test ends. */
export async function startSmtp(
  t: Pick<TestContext, "after">,
  options: { readonly user?: string; readonly password?: string } = {},
) {
  const mails: ReceivedMail[] = [];
  const smtp = {
    mails,
    url: new URL("smtp://127.0.0.1"),
    /** Why it takes no mail. */
    refuse: undefined as string | undefined,
    /** For now, or with 5yz for good. */
    refuseCode: 451,
  };
  const server = new SMTPServer({
    disabledCommands: options.user ? ["STARTTLS"] : ["STARTTLS", "AUTH"],
    allowInsecureAuth: true,
    authOptional: !options.user,
    onAuth: ({ username, password }, _session, done) =>
      username === options.user && password === options.password
        ? done(null, { user: username })
        : done(new Error("unknown user or wrong password")),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        if (smtp.refuse)
          return done(Object.assign(new Error(smtp.refuse), { responseCode: smtp.refuseCode }));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          raw: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  // A client that breaks off is its own affair.
  server.on("error", () => {});
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  smtp.url.port = String((server.server.address() as AddressInfo).port);
  if (options.user) smtp.url.username = encodeURIComponent(options.user);
  if (options.password) smtp.url.password = encodeURIComponent(options.password);
  t.after(() => new Promise<void>((done) => server.close(done)));
  return smtp;
}
