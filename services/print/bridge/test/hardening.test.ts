import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { WebSocket } from "ws";
import { systemSecrets } from "../src/adapters/secrets.ts";
import type { ConnectionLimits } from "../src/http/websocket.ts";
import { createTokenBucket } from "../src/protocol/token-bucket.ts";
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
  const { closing } = oldest;
  assert.equal(await dial(t, url, "https://new.example"), "open", "a page that asks for the first time");
  assert.equal(await closing, 1008, "all unknown pages together have a limit");
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
  assert.equal(await idle[0]?.closing, 1008, "the oldest of them");
  assert.equal(await idle[1]?.code("hello"), undefined);
});

test("a huge frame from a page that has shown no token is cut off, whoever it is, and the bridge goes on", async (t) => {
  const { url, token } = await desk(t);
  for (const origin of [EVIL, ORIGIN]) {
    const page = await speak(t, url, { origin });
    page.socket.on("error", () => {});
    page.socket.send("x".repeat(17 * 1024 * 1024), () => {});
    assert.notEqual(await page.closing, undefined);
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
  assert.equal(await silent.closing, 1008);
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

test("frames of a denied page after its first are not looked at, and cause no write", async (t) => {
  const { url, home } = await desk(t);
  const page = await speak(t, url, { origin: EVIL });
  const answers: unknown[] = [];
  page.socket.on("message", (data) => answers.push(data));
  const before = writes(home);
  for (let n = 0; n < 500; n++)
    page.socket.send(JSON.stringify({ v: 1, id: String(n), method: "hello", params: { appName: "x" } }));
  assert.equal(await page.closing, 4403);
  assert.equal(answers.length, 1);
  assert.equal(writes(home), before);
});

/** Changes whenever another connection has written to the configuration. */
function writes(home: string): number {
  const database = new DatabaseSync(`${home}/config.db`);
  const { n } = database.prepare("select count(*) as n from records").get() as { n: number };
  database.close();
  return n;
}

test("a configuration that another process holds locked ends nothing: pages are answered", async (t) => {
  const { url, home, token, printer } = await desk(t);
  const page = await admitted(t, url, token);
  const other = new DatabaseSync(`${home}/config.db`);
  other.exec("begin exclusive");
  t.after(() => other.close());
  const denied = await speak(t, url, { origin: EVIL });
  const { error } = await denied.call("hello", { appName: "evil" });
  assert.equal(error?.code, "ORIGIN_DENIED");
  assert.equal(await denied.closing, 4403);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(printer.labels.length, 1);
  other.exec("rollback");
});

test("a record that cannot be read ends nothing while a console is open, and takes no other with it", async (t) => {
  const { url, http, home, token, adminToken, printer } = await desk(t);
  const page = await admitted(t, url, token);
  const events = await fetch(`${http}/api/v1/admin/events`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  t.after(() => events.body?.cancel().catch(() => {}));
  const other = new DatabaseSync(`${home}/config.db`);
  t.after(() => other.close());
  other.exec("insert into records (kind, id, body) values ('printer', 'bad', '{'), ('token', 'bad', '')");
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(printer.labels.length, 1);
});

test("a token that was revoked prints nothing more on its open connection, and hears nothing more", async (t) => {
  const { url, token, allow, access } = await desk(t);
  const page = await admitted(t, url, token);
  await page.ask("subscribe");
  const second = await admitted(t, url, allow());
  assert.ok(access.revokeToken(systemSecrets.hash(token)));
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "AUTH_REQUIRED");
  const heard = page.events.length;
  await second.ended(await second.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(await page.code("ping"), undefined);
  assert.equal(page.events.length, heard);
});

/** A printer that says nothing until it is told to, and a page that is let in. */
async function heldPrinter(t: TestContext) {
  const printer = createPrinter();
  const goOn = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const line = printer.open((text) => socket.write(text, "latin1"));
    socket.on("error", () => {});
    socket.on("data", (bytes) => void goOn.promise.then(() => line.feed(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const b = await bridge(t, { env: { PRINT_READ_MS: "60000" } });
  const { port } = server.address() as AddressInfo;
  b.addPrinter({ id: "dock", transport: "tcp", address: `127.0.0.1:${port}` });
  return { ...b, printer, goOn: goOn.resolve, token: b.allow() };
}

const DECISIONS: Record<string, (access: Awaited<ReturnType<typeof bridge>>["access"]) => unknown> = {
  AUTH_REQUIRED: (access) => access.revoke(ORIGIN),
  PRINTER_UNKNOWN: (access) => access.approve(ORIGIN, { aliases: { other: "dock" } }),
  ORIGIN_DENIED: (access) => access.approve(ORIGIN, { rights: { raw: false, templates: true, rfid: true } }),
};
for (const [code, decide] of Object.entries(DECISIONS))
  test(`what is taken from an origin while its print waits for the printer's answer holds for it: ${code}`, async (t) => {
    const { url, token, access, printer, goOn } = await heldPrinter(t);
    const page = await admitted(t, url, token);
    const printing = page.code("print.raw", { printer: "dock", data: LABEL });
    // Frames are taken up in their order: the print waits by now.
    await page.call("ping");
    decide(access);
    goOn();
    assert.equal(await printing, code);
    assert.equal(printer.labels.length, 0);
  });

test("an origin that is no longer open has to show a token on its open connection", async (t) => {
  const { url, access } = await desk(t);
  access.approve("https://kiosk.example", { open: true });
  const page = await speak(t, url, { origin: "https://kiosk.example" });
  assert.equal(await page.code("printers.list"), undefined);
  access.approve("https://kiosk.example", { open: false });
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "AUTH_REQUIRED");
});

test("wrong tokens in a page's name keep the right one out of nothing", async (t) => {
  const { url, http, token } = await desk(t);
  for (const headers of [{}, { origin: ORIGIN }]) {
    const clumsy = await speak(t, url, headers);
    const wrong = () => clumsy.code("auth", { token: "wrong" });
    for (let n = 0; n < 5; n++) assert.equal(await wrong(), "AUTH_INVALID");
    assert.equal(await wrong(), "RATE_LIMITED");
    assert.equal(await clumsy.code("auth", { token }), undefined);
    const other = await speak(t, url, headers);
    assert.equal(await other.code("auth", { token }), undefined);
    assert.equal(
      await other.code("auth", { token: "wrong" }),
      headers.origin ? "RATE_LIMITED" : "AUTH_INVALID",
    );
  }
  const headers = { origin: ORIGIN, authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${http}/api/v2/printers`, { headers })).status, 200);
});

test("ZPL that begins a label and does not end it is refused, and the printer stays free", async (t) => {
  const { url, token } = await desk(t);
  const page = await admitted(t, url, token);
  for (const data of ["^XA^FDx^FS", `${LABEL}^XA`, "~CC!!XA!FDx!FS^XZ"])
    assert.equal(await page.code("print.raw", { printer: "dock", data }), "PROTOCOL_ERROR", data);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
});

test("a label that another program has begun and not ended keeps no job from ending", async (t) => {
  for (const withoutSgd of [false, true]) {
    const sim = await simulator(t, { withoutSgd });
    const b = await bridge(t, { env: { PRINT_RECOVER_MS: "100" } });
    b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
    const page = await admitted(t, b.url, b.allow());
    await page.ask("printers.status", { printer: "dock" });
    const other = connect(sim.listener.port, "127.0.0.1");
    other.write("^XA^FDx");
    await until("the printer waits for more", () => sim.printer.situation.partialFormat);
    const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
    assert.equal(job.state, withoutSgd ? "Unknown" : "Done", "its own counter tells, where it has one");
    other.destroy();
    await until("the printer waits for nothing", () => !sim.printer.situation.partialFormat);
    const next = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
    assert.equal(next.state, "Done");
    assert.equal(sim.printer.labels.length, 2);
  }
});

test("questions in Browser Print's /write are told from data without trying many ways", async (t) => {
  const { http, token, printer } = await desk(t);
  const write = (data: string) =>
    fetch(`${http}/write`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
      body: JSON.stringify({ device: { uid: "dock" }, data }),
    });
  assert.equal((await write(`${"~HQES".repeat(40)}`)).status, 200);
  // With a pattern that backtracks this does not come back within anybody's patience.
  assert.equal((await write(`${"~HQES".repeat(200)}x${LABEL}`)).status, 400, "no question alone, and no job");
  assert.equal((await write(LABEL)).status, 200);
  await until("the label is out", () => printer.labels.length === 1);
});

test("a disk that is full ends nothing: jobs are refused with the reason, and what was printed is written when there is room", async (t) => {
  const sim = await simulator(t);
  let full = false;
  const b = await bridge(t, {
    wrapJournal: (journal) => ({
      ...journal,
      get lastSeq() {
        return journal.lastSeq;
      },
      get firstSeq() {
        return journal.firstSeq;
      },
      commit: (entries) =>
        full ? Promise.reject(new Error("database or disk is full")) : journal.commit(entries),
      assertWritable: async () => {
        if (full) throw new Error("database or disk is full");
        await journal.assertWritable();
      },
    }),
  });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  full = true;
  await until("the label is out", () => sim.printer.labels.length === 1);
  const { error } = await page.call("print.raw", { printer: "dock", data: LABEL });
  assert.equal(error?.code, "INTERNAL");
  assert.match(error?.message ?? "", /disk is full/);
  const health = async () => (await fetch(`${b.http}/healthz`)).status;
  assert.equal(await health(), 503);
  full = false;
  assert.equal(await health(), 200);
  assert.equal((await page.ended(jobId)).state, "Done");
  const next = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(next.state, "Done");
  assert.equal(sim.printer.labels.length, 2);
});

test("a bridge that is stopped while jobs end closes in order: nobody hears of anything afterwards", async (t) => {
  for (let round = 0; round < 5; round++) {
    const sim = await simulator(t);
    const b = await bridge(t, { home: temporaryHome(t) });
    b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
    const token = b.allow();
    const pages = await Promise.all(Array.from({ length: 5 }, () => admitted(t, b.url, token)));
    for (const page of pages) await page.ask("subscribe");
    for (const page of pages) void page.call("print.raw", { printer: "dock", data: LABEL });
    await pages[0]?.jobId("print.raw", { printer: "dock", data: LABEL });
    await b.close();
  }
});

test("a clock that is set back an hour limits nobody for an hour", () => {
  const clock = fakeClock();
  const bucket = createTokenBucket(clock, 20, 40);
  clock.advance(-3_600_000);
  for (let n = 0; n < 40; n++) assert.ok(bucket.take());
  assert.equal(bucket.take(), false);
  clock.advance(50);
  assert.ok(bucket.take());
});

test("a large request counts for several, and the largest passes after a quiet time", () => {
  const clock = fakeClock();
  const bucket = createTokenBucket(clock, 1, 10);
  assert.ok(bucket.take(512 * 1024), "nine of ten");
  assert.equal(bucket.take(256 * 1024), false);
  assert.equal(bucket.retryAfterMs(), 4_000);
  clock.advance(4_000);
  assert.ok(bucket.take(256 * 1024));
  clock.advance(10_000);
  assert.ok(bucket.take(64 * 1024 * 1024));
});

test("large frames are limited by what they cost, and not even read when there is no room for them", async (t) => {
  const sim = await simulator(t);
  const clock = fakeClock();
  const b = await bridge(t, { clock, env: { PRINT_LIMIT_REQUESTS: "1", PRINT_LIMIT_BURST: "20" } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const token = b.allow();
  const rest = { method: "print.raw", params: { printer: "no", data: "x".repeat(4_000_000) } };
  for (const [frame, id] of [
    [{ v: 1, id: "b", ...rest }, "b"],
    [{ ...rest, v: 1, id: "b" }, null],
  ] as const) {
    const page = await admitted(t, b.url, token);
    clock.advance(60_000);
    const first = await page.send(JSON.stringify({ v: 1, id: "a", ...rest }), "a");
    assert.equal(first.error?.code, "PRINTER_UNKNOWN");
    // Its id is known where it comes first; behind the data nobody looks for it.
    assert.equal((await page.send(JSON.stringify(frame), id)).error?.code, "RATE_LIMITED");
  }
});

test("a frame that is too large is refused with the reason, also where requests came too fast", async (t) => {
  const clock = fakeClock();
  const env = { PRINT_LIMIT_FRAME_BYTES: "100000", PRINT_LIMIT_PAYLOAD_BYTES: "50000" };
  const b = await bridge(t, { clock, env: { ...env, PRINT_LIMIT_REQUESTS: "1", PRINT_LIMIT_BURST: "3" } });
  const page = await admitted(t, b.url, b.allow());
  clock.advance(60_000);
  for (let frame = 0; frame < 3; frame++)
    assert.equal((await page.send("x".repeat(100_001), null)).error?.code, "PAYLOAD_TOO_LARGE");
});

test("a frame or a body of more levels or parts than requests have is refused before it is read", async (t) => {
  const { url, http, token, printer } = await desk(t);
  const page = await admitted(t, url, token);
  const odd = [
    `${"[".repeat(200)}${"]".repeat(200)}`,
    `[${"[],".repeat(60_000)}1]`,
    `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join()}}`,
  ];
  const post = async (path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    return (await fetch(http + path, { method: "POST", headers, body })).status;
  };
  const label = JSON.stringify(LABEL);
  for (const json of odd) {
    const frame = await page.send(`{"v":1,"id":"odd","method":"ping","params":${json}}`, null);
    assert.equal(frame.error?.code, "PROTOCOL_ERROR");
    const v2 = `{"data":${label},"odd":${json}}`;
    assert.equal(await post("/api/v2/printers/dock/print", "application/json", v2), 400);
    const write = `{"device":{"uid":"dock"},"data":${label},"odd":${json}}`;
    for (const type of ["application/json", "text/plain"])
      assert.equal(await post("/write", type, write), 400, type);
  }
  const brackets = '[{":\\"'.repeat(60_000);
  assert.equal(await page.code("print.raw", { printer: "no", data: brackets }), "PRINTER_UNKNOWN");
  const labels = Array.from({ length: 500 }, () => ({ params: Array.from({ length: 500 }, () => "x") }));
  const many = { printer: "no", template: "badge", labels };
  assert.equal(await page.code("print.template", many), "PRINTER_UNKNOWN");
  assert.equal(printer.labels.length, 0);
});

test("an origin that asks too fast by HTTP is told to wait, and no other with it", async (t) => {
  const clock = fakeClock();
  const b = await bridge(t, { clock, env: { PRINT_LIMIT_REQUESTS: "1", PRINT_LIMIT_BURST: "3" } });
  const [one, two] = [b.allow("https://one.example"), b.allow("https://two.example")];
  const ask = async (token: string) =>
    fetch(`${b.http}/api/v1/printers`, { headers: { authorization: `Bearer ${token}` } });
  for (let n = 0; n < 3; n++) assert.equal((await ask(one)).status, 200);
  const refused = await ask(one);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  assert.equal((await ask(two)).status, 200);
  clock.advance(1_000);
  assert.equal((await ask(one)).status, 200);
});

test("sessions end with the bridge", async (t) => {
  const { url, token, close } = await desk(t);
  const page = await admitted(t, url, token);
  const closed = once(page.socket, "close");
  await close();
  await closed;
});

test("a host for which no certificate can be made stops the start with a sentence that names it", async (t) => {
  for (const host of ["*.example.org", "labels.example.org:443", "https://a.example", "fe80::1%eth0", "-a"])
    await assert.rejects(bridge(t, { env: { PRINT_HOSTS: `ok.example.org,${host}` } }), {
      name: "StartProblem",
      message: new RegExp(`"${host.replace(/[.*]/g, "\\$&")}"`),
    });
});
