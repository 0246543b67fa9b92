import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createLog } from "../src/log.ts";
import { createMailer, isRefusedForGood } from "../src/mailer.ts";

/** A mail server that answers one command with a refusal, and every other with consent. */
async function refusing(t: TestContext, command: string, reply: string) {
  const server = createServer((socket) => {
    let inData = false;
    socket.write("220 mail.example\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      for (const line of chunk.toString().split("\r\n").filter(Boolean)) {
        if (inData && line !== ".") continue;
        const said = inData ? "message" : (line.split(/[ :]/)[0] ?? "").toUpperCase();
        inData = said === "DATA" && command !== "DATA";
        if (said === command) socket.write(`${reply}\r\n`);
        else socket.write(inData ? "354 go on\r\n" : "250 ok\r\n");
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => server.close());
  const log = createLog({ service: "test", level: "silent", settings: {} });
  const url = new URL(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const mailer = createMailer({ url, from: "Desk <desk@example.org>", outbox: "/nowhere", log });
  return mailer({ to: "anna@example.org", subject: "Hello", text: "Hello" }).then(
    () => assert.fail("it was taken"),
    isRefusedForGood,
  );
}

const CASES: ReadonlyArray<readonly [command: string, reply: string, forGood: boolean]> = [
  ["MAIL", "530 5.7.0 Authentication required", false],
  ["MAIL", "550 5.7.1 Sender not allowed", false],
  ["RCPT", "550 5.1.1 No such user", true],
  ["RCPT", "530 5.7.0 Must issue STARTTLS first", false],
  ["RCPT", "554 5.7.1 Relay access denied", true],
  ["RCPT", "451 4.2.0 Greylisted", false],
  ["DATA", "554 5.5.1 No valid recipients", true],
  ["message", "552 5.3.4 Message too big", true],
  ["message", "452 4.3.1 Disk full", false],
];

for (const [command, reply, forGood] of CASES) {
  test(`${reply}, said to ${command}, is ${forGood ? "for good" : "for now"}`, async (t) => {
    assert.equal(await refusing(t, command, reply), forGood);
  });
}

test("a mail server that answers a little at a time holds nobody for ever", async (t) => {
  const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 mail.example\r\n");
    // A greeting that never ends, and is never silent for long.
    const drip = setInterval(() => socket.write("250-more\r\n"), 20);
    socket.on("close", () => {
      clearInterval(drip);
      isClosed();
    });
    t.after(() => socket.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => server.close());
  const log = createLog({ service: "test", level: "silent", settings: {} });
  const url = new URL(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const mailer = createMailer({ url, from: "desk@example.org", outbox: "/nowhere", log, limitMs: 200 });
  await assert.rejects(mailer({ to: "anna@example.org", subject: "Hello", text: "Hello" }), {
    name: "TimeLimitError",
    message: "the conversation with the mail server did not end within 200 ms",
  });
  // Nor does it hold a connection of ours.
  await closed;
});
