import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { admitted, bridge, LABEL, ORIGIN, type Speaker, speak, until } from "./support.ts";

/** A frame as a client writes it: masked, with a mask of zeros. */
const frame = (first: number, payload = "") =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);
const PING = frame(0x89);
const PONG = frame(0x8a);
/** A message of very many parts, all of them empty. */
const PARTS = Buffer.concat([frame(0x01), Buffer.alloc(60_000, frame(0x00)), frame(0x80)]);

const raw = (page: Speaker) => (page.socket as unknown as { _socket: Socket })._socket;

/** What is read of a connection at a time. */
const PIECE = 64 * 1024;
const PIECES = 128;

for (const [what, frames] of [
  ["frames that nobody answers", PONG],
  ["parts of messages that hold nothing", PARTS],
] as const) {
  test(`while a connection sends very many ${what}, another one has its turns`, async (t) => {
    const b = await bridge(t);
    const token = b.allow();
    const [flooding, page] = [await admitted(t, b.url, token), await admitted(t, b.url, token)];
    let isOver = false;
    flooding.socket.on("pong", () => {
      isOver = true;
    });
    const flood = Buffer.alloc(Math.floor((PIECES * PIECE) / frames.length) * frames.length, frames);
    raw(flooding).write(Buffer.concat([flood, PING]));
    let answers = 0;
    for (; !isOver; answers++) await page.ask("ping");
    assert.ok(answers > PIECES, `${answers} answers in ${PIECES} pieces`);
  });
}

test("requests that come at once are all answered, however short", async (t) => {
  const b = await bridge(t);
  const page = await admitted(t, b.url, b.allow());
  let answers = 0;
  page.socket.on("message", () => {
    answers++;
  });
  const request = frame(0x81, '{"v":1,"id":"n","method":"ping"}');
  raw(page).write(Buffer.alloc(5_000 * request.length, request));
  await until("all are answered", () => answers === 5_000);
});

test("a connection on which more come at once than requests can be is closed", async (t) => {
  const b = await bridge(t);
  const page = await admitted(t, b.url, b.allow());
  const noRequest = frame(0x81, "x");
  const answered = new Promise((resolve) => page.socket.once("pong", () => resolve("all are handled")));
  raw(page).write(Buffer.concat([Buffer.alloc(9_000 * noRequest.length, noRequest), PING]));
  assert.equal(await Promise.race([page.closed(), answered]), 1013);
});

test("a large print right behind its token is printed, also where the token has to wait for its turn", async (t) => {
  const b = await bridge(t);
  b.addPrinter({ id: "label", transport: "virtual", address: "" });
  const token = b.allow();
  const other = await admitted(t, b.url, token);
  const page = await speak(t, b.url);
  const request = frame(0x81, '{"v":1,"id":"n","method":"ping"}');
  raw(other).write(Buffer.alloc(1_600 * request.length, request));
  void page.call("auth", { token });
  const data = LABEL.padEnd(400_000);
  const printed = page.call("print.raw", { printer: "label", data, encoding: "utf8", copies: 1 });
  const closed = page.closing.then((code) => ({ error: code }));
  assert.equal((await Promise.race([printed, closed])).error, undefined);
});

test("a print that came before its page closed the connection is printed, also where it had to wait for its turn", async (t) => {
  const b = await bridge(t);
  b.addPrinter({ id: "p", transport: "virtual", address: "" });
  const token = b.allow();
  const [page, watching] = [await admitted(t, b.url, token), await admitted(t, b.url, token)];
  await watching.ask("subscribe");
  const request = frame(0x81, '{"v":1,"id":"n","method":"ping"}');
  const params = { printer: "p", data: "^XA^FDx^FS^XZ", encoding: "utf8", copies: 1 };
  const print = frame(0x81, JSON.stringify({ v: 1, id: "n", method: "print.raw", params }));
  raw(page).write(Buffer.concat([Buffer.alloc(1_200 * request.length, request), print, frame(0x88)]));
  await page.closed();
  await until("it is printed", () => watching.jobs().some(({ state }) => state === "Done"));
});

test("a frame that comes together with the handshake is answered", async (t) => {
  const b = await bridge(t);
  const socket = connect(b.port, "127.0.0.1");
  t.after(() => socket.destroy());
  const head = [
    "GET /ws HTTP/1.1",
    `Host: 127.0.0.1:${b.port}`,
    `Origin: ${ORIGIN}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
  ];
  b.allow();
  const request = frame(0x81, '{"v":1,"id":"early","method":"ping"}');
  const close = frame(0x88);
  socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), request, close]));
  assert.match(await text(socket), /"id":"early","result":\{"pong":true/);
});

test("what waits of a page that has shown no token is dropped when it hangs up: it takes no turns from others", async (t) => {
  const b = await bridge(t);
  const page = await admitted(t, b.url, b.allow());
  const request = frame(0x81, '{"v":1,"id":"n","method":"ping"}');
  const asking = frame(0x81, '{"v":1,"id":"n","method":"hello","params":{"pairing":""}}');
  const flooding = await speak(t, b.url);
  raw(flooding).write(Buffer.concat([Buffer.alloc(1_200 * request.length, request), asking, frame(0x88)]));
  await flooding.closed();
  // In so many turns all that it sent would have been handled, and who handles its last request offers a code.
  for (let turn = 0; turn < 300; turn++) await page.ask("ping");
  assert.deepEqual(await b.pairings(), []);
});
