import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { bridge, until } from "./support.ts";

async function connected(t: TestContext) {
  const { port, http } = await bridge(t);
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  let received = "";
  socket.on("data", (data) => {
    received += data;
  });
  socket.on("error", () => {});
  const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  return {
    http,
    socket,
    send: (requests: number) => socket.write(request.repeat(requests)),
    answers: () => received.split("HTTP/1.1 200").length - 1,
  };
}

test("a few requests may come before those before them are answered, again and again", async (t) => {
  const { send, answers } = await connected(t);
  for (let sent = 8; sent <= 80; sent += 8) {
    send(8);
    await until(`${sent} are answered`, () => answers() === sent);
  }
});

test("a connection on which requests come without end is cut, and others are answered", async (t) => {
  const { http, socket, send, answers } = await connected(t);
  send(5_000);
  await until("it is cut", () => socket.closed || answers() > 8);
  assert.ok(answers() <= 8, `${answers()} are answered`);
  assert.equal((await fetch(`${http}/healthz`)).status, 200);
});
