import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import type { ConnectionLimits } from "../src/http/websocket.ts";
import { admitted, bridge, LABEL, ORIGIN, simulator, speak, until } from "./support.ts";

const EVIL = "https://evil.example";

async function desk(t: TestContext, connections: Partial<ConnectionLimits> = {}) {
  const sim = await simulator(t);
  const b = await bridge(t, { connections });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  return { ...sim, ...b, token: b.allow() };
}

/** Answers with the status of a refused handshake, or "open". */
function dial(t: TestContext, url: string, origin: string): Promise<number | "open"> {
  const socket = new WebSocket(url, { headers: { origin } });
  t.after(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve("open"));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("error", reject);
  });
}

test("an unknown page cannot fill the bridge: its connections too many are refused, and those it says nothing on make room", async (t) => {
  const { url, token } = await desk(t, { unauthenticatedPerOrigin: 3, unknownOrigins: 6 });
  const oldest = await speak(t, url, { origin: EVIL });
  for (let n = 0; n < 2; n++) assert.equal(await dial(t, url, EVIL), "open");
  assert.equal(await dial(t, url, EVIL), 503);
  const page = await admitted(t, url, token);
  assert.equal(await page.code("ping"), undefined);
  for (let n = 0; n < 3; n++) assert.equal(await dial(t, url, "https://bad.example"), "open");
  const closed = oldest.closed();
  assert.equal(await dial(t, url, "https://new.example"), "open", "a page that asks for the first time");
  assert.equal(await closed, 1008, "all unknown pages together have a limit");
  assert.equal(await page.code("ping"), undefined);
  assert.equal(await (await admitted(t, url, token)).code("ping"), undefined, "which is no one else's");
});

test("a refused handshake loses its connection, also where the caller does not hang up itself", async (t) => {
  const { port } = await desk(t);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  let isClosed = false;
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
  });
  socket.write(
    "GET /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  );
  await once(socket.resume(), "end");
  // Whoever writes to a connection that is no more is told so.
  await until("it is closed", () => {
    if (!isClosed) socket.write("x");
    return isClosed;
  });
});

test("one site's connections leave room for other pages that ask for the first time, and the administrator is told who found none", async (t) => {
  const { url, http, adminToken } = await desk(t, {
    unauthenticatedPerOrigin: 3,
    unknownPerSite: 4,
    unknownOrigins: 6,
  });
  for (let n = 0; n < 4; n++) assert.equal(await dial(t, url, `https://n${n}.evil.example`), "open");
  assert.equal(await dial(t, url, "https://n4.evil.example"), 503);
  assert.equal(await dial(t, url, "https://new.honest.example"), "open");
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${http}/api/v1/admin/pairings`, { headers });
  const { crowded } = (await response.json()) as { crowded: Array<{ origin: string }> };
  assert.deepEqual(
    crowded.map(({ origin }) => origin),
    ["https://n4.evil.example"],
  );
});

test("one site's requests to be let in take no room from another's, nor from new browsers of allowed origins", async (t) => {
  const { url, pairings } = await desk(t);
  const asks = async (origin: string) => {
    const page = await speak(t, url, { origin });
    const { result, error } = await page.call("hello", { pairing: "" });
    page.socket.terminate();
    return (result?.pairing ?? error?.details?.pairing) !== undefined;
  };
  const evil = [];
  for (let n = 0; n < 12; n++) evil.push(await asks(`https://n${n}.evil.example`));
  assert.deepEqual(evil.filter(Boolean).length, 10);
  for (let n = 0; n < 9; n++)
    for (let m = 0; m < 10; m++) assert.ok(await asks(`https://n${m}.evil${n}.example`));
  assert.equal((await pairings()).length, 100);
  assert.equal(await asks("https://one-more.example"), false);
  assert.equal(await asks(ORIGIN), true);
});

test("connections that show no token make room for a page that does", async (t) => {
  const { url, token } = await desk(t);
  const idle = [];
  for (let n = 0; n < 64; n++) {
    const speaker = await speak(t, url);
    await speaker.ask("hello");
    idle.push(speaker);
  }
  const page = await admitted(t, url, token);
  assert.equal(await page.code("printers.list"), undefined);
  assert.equal(await idle[0]?.closed(), 1008, "the oldest of them");
  assert.equal(await idle[1]?.code("hello"), undefined);
});

test("a huge frame from a page that has shown no token is cut off, whoever it is, and the bridge goes on", async (t) => {
  const { url, token } = await desk(t);
  for (const origin of [EVIL, ORIGIN]) {
    const page = await speak(t, url, { origin });
    page.socket.on("error", () => {});
    page.socket.send("x".repeat(17 * 1024 * 1024), () => {});
    assert.notEqual(await page.closed(), undefined);
  }
  const page = await admitted(t, url, token);
  const filler = `^XA^FX${"x".repeat(200_000)}^FS^FDx^FS^XZ`;
  assert.equal(
    await page.code("print.raw", { printer: "dock", data: filler }),
    undefined,
    "once it has, it may",
  );
});

test("a connection that says nothing is closed", async (t) => {
  const { url } = await desk(t, { firstFrameMs: 30 });
  const silent = await speak(t, url, { origin: EVIL });
  assert.equal(await silent.closed(), 1008);
});

/** Pages that may ask for a job whose answer has some 850 KB, and do not read. */
async function greedy(t: TestContext, connections: Partial<ConnectionLimits> = {}) {
  const { printer, url, token } = await desk(t, connections);
  const first = await admitted(t, url, token);
  printer.set("paper-out", true);
  const jobId = await first.jobId("print.raw", {
    printer: "dock",
    data: LABEL.replace("^XZ", "^PQ10000^XZ"),
  });
  const askWithoutReading = (page: typeof first) => {
    page.socket.pause();
    return Array.from({ length: 60 }, () => page.call("job.get", { jobId }));
  };
  return { url, first, askWithoutReading, join: () => admitted(t, url, token) };
}

test("a page that reads late gets every answer: its requests wait, the answers do not pile up", async (t) => {
  const { first, join, askWithoutReading } = await greedy(t);
  const late = await join();
  const answers = askWithoutReading(late);
  assert.equal(await first.code("ping"), undefined, "others are answered meanwhile");
  late.socket.resume();
  const cut = late.closing.then((code) => assert.fail(`cut off with ${code}`));
  const frames = await Promise.race([cut, Promise.all(answers)]);
  assert.ok(frames.every(({ result }) => (result?.labels as unknown[] | undefined)?.length === 10_000));
  assert.equal(await late.code("ping"), undefined);
});

test("a page that reads nothing of what waits for it is cut off after a while", async (t) => {
  const { url, first, askWithoutReading } = await greedy(t, { sessionsPerOrigin: 1, unreadMs: 50 });
  assert.equal(await dial(t, url, ORIGIN), 503);
  void askWithoutReading(first);
  await until("its place is free", async () => (await dial(t, url, ORIGIN)) === "open");
});

/** A frame of a client, in one piece. */
function rawFrame(kind: "text" | "ping", text: string): Buffer {
  const payload = Buffer.from(text);
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  length[0] = 0x80 | (length[0] as number);
  const noMask = [0, 0, 0, 0];
  return Buffer.concat([Uint8Array.from([kind === "text" ? 0x81 : 0x89, ...length, ...noMask]), payload]);
}

test("a program that sends pings and reads nothing fills no memory: pings are answered as far as it reads", async (t) => {
  const { port, token } = await desk(t);
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  const request = (method: string, params: object) =>
    rawFrame("text", JSON.stringify({ v: 1, id: method, method, params }));
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n\r\n`,
  );
  await once(socket, "data");
  socket.write(request("auth", { token }));
  await once(socket, "data");
  socket.pause();
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => rawFrame("ping", "x".repeat(125))));
  // More than the system keeps of what is not read.
  const times = 600;
  for (let n = 0; n < times; n++) if (!socket.write(pings)) await once(socket, "drain");
  socket.write(request("ping", {}));
  let heard = 0;
  let end = "";
  for await (const piece of socket) {
    heard += piece.length;
    end = (end + piece.toString("latin1")).slice(-500);
    if (end.includes('"pong":true')) break;
  }
  assert.ok(heard > 0 && heard < times * pings.length, `${heard} of ${times * pings.length}`);
});

test("what waits for all pages of an origin is bounded: the one with the most unread is cut off", async (t) => {
  const { url, first, join, askWithoutReading } = await greedy(t, {
    sessionsPerOrigin: 5,
    unreadBytesPerOrigin: 2 * 1024 * 1024,
  });
  for (let n = 0; n < 4; n++) void askWithoutReading(await join());
  await until("a place is free", async () => (await dial(t, url, ORIGIN)) === "open");
  assert.equal(await first.code("ping"), undefined, "one that reads stays");
});
