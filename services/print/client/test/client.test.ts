import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { freePort } from "@frontdesk/testkit/free-port";
import { WebSocket, WebSocketServer } from "ws";
import { systemSecrets } from "../../bridge/src/adapters/secrets.ts";
import type { Entry, Journal } from "../../bridge/src/domain/journal.ts";
import { bridge, LABEL, ORIGIN, simulator, speak, until } from "../../bridge/test/support.ts";
import { FrontdeskPrint, PrintError } from "../frontdesk-print.js";

/** A browser's socket: it says where its page is from. */
class PageSocket extends WebSocket {
  constructor(url: string) {
    super(url, { headers: { origin: ORIGIN } });
    this.on("error", () => {});
  }
}

/** A page with a token store of its own. */
function pageOf(t: TestContext, options: object): FrontdeskPrint {
  let kept: string | undefined;
  const tokenStore = {
    get: () => kept,
    set: (value: string) => {
      kept = value;
    },
  };
  const print = new FrontdeskPrint({
    appName: "Shop",
    tokenStore,
    WebSocket: PageSocket as unknown as typeof globalThis.WebSocket,
    ...options,
  });
  t.after(() => print.close());
  return print;
}

async function desk(t: TestContext, env: Record<string, string> = {}) {
  const sim = await simulator(t);
  const b = await bridge(t, { env });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const token = b.allow();
  const client = (options: object = {}) => pageOf(t, { url: b.url, ...options });
  return { ...sim, ...b, token, client };
}

test("a page on plain http, where there is no randomUUID, prints", async (t) => {
  const { client, token, printer } = await desk(t);
  const { randomUUID } = globalThis.crypto;
  Object.defineProperty(globalThis.crypto, "randomUUID", { value: undefined, configurable: true });
  t.after(() => Object.defineProperty(globalThis.crypto, "randomUUID", { value: randomUUID }));
  const print = client({ token });
  await print.connect();
  await print.printRaw("dock", LABEL);
  await until("it is out", () => printer.labels.length === 1);
});

test("a request that is too large fails alone: it is not sent, and nothing else is blamed for it", async (t) => {
  const { client, token } = await desk(t, {
    PRINT_LIMIT_FRAME_BYTES: "100000",
    PRINT_LIMIT_PAYLOAD_BYTES: "50000",
  });
  const print = client({ token });
  await print.connect();
  const small = print.ping();
  const large = print.printRaw("dock", "x".repeat(300_000));
  const error = await large.then(
    () => undefined,
    (reason: unknown) => reason as PrintError,
  );
  assert.deepEqual(
    [error instanceof PrintError, error?.code, error?.retryable],
    [true, "PAYLOAD_TOO_LARGE", false],
  );
  assert.equal((await small).pong, true);
  const beside = print.ping();
  await assert.rejects(print.printRaw("dock", "é".repeat(60_000)), {
    code: "PAYLOAD_TOO_LARGE",
    message: /120\d+ bytes/,
  });
  assert.equal((await beside).pong, true);
});

test("a request of more labels than can be read fails alone, and the print that was asked for before it is not blamed", async (t) => {
  const stored = Promise.withResolvers<void>();
  const b = await bridge(t, {
    wrapJournal: (journal) =>
      Object.assign(Object.create(journal) as Journal, {
        commit: async (entries: readonly Entry[]) => {
          if (entries.some(({ kind }) => kind === "accepted")) await stored.promise;
          return journal.commit(entries);
        },
      }),
  });
  const { printer, address } = await simulator(t);
  b.addPrinter({ id: "dock", transport: "tcp", address });
  const print = pageOf(t, { url: b.url, token: b.allow() });
  await print.connect();
  const label = print.printRaw("dock", LABEL);
  const labels = Array.from({ length: 20_000 }, () => ["x"]);
  await assert.rejects(print.printTemplate("dock", "badge", labels), { code: "PROTOCOL_ERROR" });
  stored.resolve();
  assert.ok((await label).jobId);
  await until("it is out", () => printer.labels.length === 1);
});

test("two prints of which one comes too soon: that one is refused, and the other is printed", async (t) => {
  const b = await bridge(t, {
    clock: fakeClock(),
    // Three of them are spent on the handshake.
    env: { PRINT_LIMIT_BURST: "4", PRINT_LIMIT_REQUESTS: "20" },
  });
  const { printer, address } = await simulator(t);
  b.addPrinter({ id: "dock", transport: "tcp", address });
  const print = pageOf(t, { url: b.url, token: b.allow() });
  await print.connect();
  const label = LABEL.replace("hello", "x".repeat(5_000));
  const [first, second] = await Promise.allSettled([
    print.printRaw("dock", label),
    print.printRaw("dock", label),
  ]);
  assert.equal(first.status, "fulfilled");
  assert.ok(second.status === "rejected" && second.reason.code === "RATE_LIMITED");
  await until("it is out", () => printer.labels.length === 1);
});

test("a page with two names for one printer hears of both", async (t) => {
  const { client, allow, printer } = await desk(t);
  const print = client({ token: allow(undefined, { aliases: { front: "dock", back: "dock" } }) });
  const stopped = new Set<string>();
  print.on("printer.status", (status) => {
    if (status.state === "stopped") stopped.add(status.printer);
  });
  await print.connect();
  await print.printerStatus("front");
  printer.set("paused", true);
  await print.printerStatus("front");
  await until("both are told", () => stopped.has("front") && stopped.has("back"));
});

test("a page whose token was taken back is not locked out: it shows a code and is let in again", async (t) => {
  const { client, token, access } = await desk(t);
  const print = client({ token });
  const codes: string[] = [];
  let connected = 0;
  print.on("pairing", ({ code }) => codes.push(code));
  print.on("connected", () => connected++);
  await print.connect();
  access.revokeToken(systemSecrets.hash(token));
  await assert.rejects(print.listPrinters(), { code: "AUTH_REQUIRED" });
  await until("it has a code", () => codes.length === 1);
  access.approve(ORIGIN, { code: codes[0] ?? "" });
  await until("it is in again", () => connected === 2);
  assert.equal((await print.listPrinters()).length, 1);

  const silent = client({ token });
  await assert.rejects(silent.connect(), { code: "AUTH_INVALID" }, "one that can show no code is told");
});

test("a token that another tab of the page got while an old one was refused stays", async (t) => {
  const { client, token, allow, access } = await desk(t);
  access.revokeToken(systemSecrets.hash(token));
  const newer = allow();
  let kept = token;
  let looks = 0;
  const tokenStore = {
    // At the second look it is shown to the bridge.
    get: () => {
      const found = kept;
      if (++looks === 2) kept = newer;
      return found;
    },
    set: (given: string) => {
      kept = given;
    },
  };
  const print = client({ tokenStore });
  await assert.rejects(print.connect(), { code: "AUTH_INVALID" });
  assert.equal(kept, newer);
  await print.connect();
});

test("a page whose number is above the bridge's hears events all the same, and is told that some are missing", async (t) => {
  const { client, token } = await desk(t);
  const print = client({ token });
  print.lastSeq = 1_000_000_000;
  const incomplete: unknown[] = [];
  const updates: string[] = [];
  print.on("incomplete", (about) => incomplete.push(about));
  print.on("job.update", ({ state }) => updates.push(state));
  await print.connect();
  await print.printRaw("dock", LABEL);
  await until("the end is told", () => updates.includes("Done"));
  assert.equal(incomplete.length, 1);
});

test("a handler that throws ends nothing: the page connects again", async (t) => {
  const { client, token, close, home, port } = await desk(t);
  const print = client({ token });
  let connected = 0;
  t.mock.method(console, "error", () => {});
  print.on("connected", () => {
    connected++;
    throw new Error("the page's own mistake");
  });
  print.on("disconnected", () => {
    throw new Error("another");
  });
  await print.connect();
  await close();
  await bridge(t, { home, env: { PRINT_LISTEN: `127.0.0.1:${port}` } });
  await until("it is connected again", () => connected === 2);
});

test("a new browser of an approved origin pairs: it gets a code, keeps it, and is let in", async (t) => {
  const { client, access, pairings } = await desk(t);
  const print = client();
  const codes: string[] = [];
  print.on("pairing", ({ code }) => codes.push(code));
  const connected = print.connect();
  await until("it has a code", () => codes.length === 1);
  assert.deepEqual(
    (await pairings()).map(({ code, approved }) => [code, approved]),
    [[codes[0], false]],
  );
  access.approve(ORIGIN, { code: codes[0] ?? "" });
  await connected;
  assert.deepEqual(codes.length, 1);
  assert.equal((await print.listPrinters()).length, 1);
});

for (const isApproved of [true, false]) {
  test(`a page of an origin that was ${isApproved ? "" : "not "}approved and finds no place to ask asks again until it has one`, async (t) => {
    const { client, access, url } = await desk(t);
    if (!isApproved) access.revoke(ORIGIN);
    const ask = async (pairing = "") => {
      const { result, error } = await (await speak(t, url)).call("hello", { pairing });
      return (result?.pairing ?? error?.details?.pairing) as { claim: string; code: string };
    };
    const [first] = [await ask(), await ask(), await ask(), await ask(), await ask()];
    const print = client();
    const heard: string[] = [];
    print.on("crowded", () => heard.push("crowded"));
    print.on("pairing", () => heard.push("pairing"));
    void print.connect().catch((error) => heard.push(`gave up: ${error.code}`));
    await until("it is turned away", () => heard.length > 0);
    assert.equal(heard[0], "crowded");
    access.approve(ORIGIN, { code: first?.code ?? "" });
    await ask(first?.claim);
    await until("it is heard again", () => heard.at(-1) !== "crowded");
    assert.equal(heard.at(-1), "pairing");
  });
}

test("closed while the connection is being made, nothing stays open", async (t) => {
  const sockets: PageSocket[] = [];
  class Counted extends PageSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const { client, token } = await desk(t);
  const print = client({ token, WebSocket: Counted });
  const connecting = print.connect().catch((error: PrintError) => error.code);
  await until("it dials", () => sockets.length === 1);
  print.close();
  assert.equal(await connecting, "CONNECTION_LOST");
  await until("all are closed", () => sockets.every(({ readyState }) => readyState === WebSocket.CLOSED));
});

/** A bridge that answers as it is told: `answer` gets the number of the connection, and the method asked. */
async function scripted(
  t: TestContext,
  answer: (connection: number, method: string, socket: WebSocket, params: object) => object | undefined,
) {
  const port = await freePort();
  const server = new WebSocketServer({ port, host: "127.0.0.1" });
  const sockets: WebSocket[] = [];
  class Kept extends PageSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  let connections = 0;
  server.on("connection", (socket) => {
    const connection = ++connections;
    sockets.push(socket);
    socket.on("message", (message) => {
      const { id, method, params } = JSON.parse(String(message));
      const result = { authRequired: false, seq: 0, complete: true };
      const answered = answer(connection, method, socket, params);
      if (answered) socket.send(JSON.stringify({ v: 1, id, result, ...answered }));
    });
  });
  const print = new FrontdeskPrint({
    url: `ws://127.0.0.1:${port}`,
    token: "x",
    WebSocket: Kept as unknown as typeof globalThis.WebSocket,
  });
  // All of them, before the test is over: where its timers are mocked, clearing one of a socket's in a later test takes
  // another timer out of that test's.
  t.after(async () => {
    print.close();
    server.close();
    const open = sockets.filter(({ readyState }) => readyState !== WebSocket.CLOSED);
    const closed = open.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of open) socket.terminate();
    await Promise.all(closed);
  });
  const events: string[] = [];
  for (const event of ["connected", "disconnected"] as const) print.on(event, () => events.push(event));
  print.on("refused", ({ code }) => events.push(code));
  return { print, server, events, connections: () => connections };
}

test("a connection that is lost in the handshake is made anew, once", async (t) => {
  const { print, server, events, connections } = await scripted(t, (connection, _method, socket) => {
    if (connection > 1) return {};
    socket.terminate();
    return undefined;
  });
  await print.connect();
  await print.ping();
  assert.deepEqual([events, connections()], [["connected"], 2]);
  print.close();
  await until("nothing stays open", () => server.clients.size === 0);
});

test("a refusal that may pass ends no reconnection; one that will not is told to the page", async (t) => {
  const refusal = (code: string, retryable: boolean) => ({
    result: undefined,
    error: { code, message: "no", retryable },
  });
  const { print, events } = await scripted(t, (connection, method, socket) => {
    if (connection === 2) return refusal("INTERNAL", true);
    if (connection === 4) return refusal("PROTOCOL_ERROR", false);
    if (method === "subscribe") setImmediate(() => socket.terminate());
    return {};
  });
  await print.connect();
  await until("the page is told", () => events.includes("PROTOCOL_ERROR"));
  assert.deepEqual(events, ["connected", "disconnected", "connected", "disconnected", "PROTOCOL_ERROR"]);
});

test("closed while a print waits for its repetition, nothing is dialled or printed any more", async (t) => {
  let prints = 0;
  const { print, server, connections } = await scripted(t, (_connection, method, socket) => {
    if (method !== "print.raw" || ++prints > 1) return {};
    socket.terminate();
    return undefined;
  });
  await print.connect();
  const printing = print.printRaw("dock", LABEL).then(
    () => "printed",
    (error: PrintError) => error.code,
  );
  await new Promise<void>((resolve) => print.on("disconnected", () => resolve()));
  // Once what followed from the loss has run, only the waits for the repetition and the reconnection are left.
  await new Promise((resolve) => setImmediate(resolve));
  print.close();
  assert.equal(await printing, "CONNECTION_LOST");
  assert.deepEqual([connections(), prints, server.clients.size], [1, 1, 0]);
});

test("a page that starts over with another journal, and is cut off before its first event, misses none of it", async (t) => {
  const since: unknown[] = [];
  const { print } = await scripted(t, (connection, method, socket, params) => {
    if (method !== "subscribe") return {};
    since.push((params as { sinceSeq?: number }).sinceSeq);
    if (connection === 1) setImmediate(() => socket.terminate());
    return { result: { seq: 5, complete: connection > 1 } };
  });
  print.lastSeq = 1_000;
  await print.connect();
  await until("it is connected again", () => since.length === 2);
  assert.deepEqual(since, [1_000, 0]);
});

test("a print that is not answered in time is repeated with its key, so that it prints once", async (t) => {
  const keys: unknown[] = [];
  const asked: Array<() => void> = [];
  const heard = [0, 1].map(() => new Promise<void>((resolve) => asked.push(resolve)));
  const { print, events } = await scripted(t, (_connection, method, _socket, params) => {
    if (method !== "print.raw") return {};
    keys.push((params as { idempotencyKey?: string }).idempotencyKey);
    asked[keys.length - 1]?.();
    return keys.length > 1 ? { result: { jobId: "j1" } } : undefined;
  });
  await print.connect();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const printing = print.printRaw("dock", LABEL);
  await heard[0];
  t.mock.timers.tick(30_000);
  // What follows from the timeout has run by then, and only the pauses before the repetition and the reconnection are left.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(events, ["connected", "disconnected"], "a connection on which nothing comes is given up");
  t.mock.timers.tick(2_000);
  assert.equal((await printing).jobId, "j1");
  assert.deepEqual(events, ["connected", "disconnected", "connected"]);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

for (const [what, error] of [
  ["comes too soon", { code: "RATE_LIMITED", message: "no", retryable: true, details: { retryAfterMs: 1 } }],
  ["fails in the bridge", { code: "INTERNAL", message: "no", retryable: true }],
] as const) {
  test(`a repeated print that ${what} is repeated again: the bridge may have the job`, async (t) => {
    const keys: unknown[] = [];
    const { print } = await scripted(t, (_connection, method, socket, params) => {
      if (method !== "print.raw") return {};
      keys.push((params as { idempotencyKey?: string }).idempotencyKey);
      if (keys.length === 1) socket.terminate();
      if (keys.length < 4) return { result: undefined, error };
      return { result: { jobId: "j1" } };
    });
    await print.connect();
    const told: string[] = [];
    print.on("repeating", ({ code }) => told.push(code));
    assert.equal((await print.printRaw("dock", LABEL)).jobId, "j1");
    assert.deepEqual([keys.length, new Set(keys).size], [4, 1]);
    assert.deepEqual(
      told,
      ["CONNECTION_LOST", error.code, error.code],
      "the page can tell why it takes long",
    );
  });
}

test("a request that alone is not answered in time costs no connection on which other answers come", async (t) => {
  const asked = Promise.withResolvers<void>();
  const { print, events, connections } = await scripted(t, (_connection, method) => {
    if (method !== "printers.list") return {};
    asked.resolve();
    return undefined;
  });
  await print.connect();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const listing = print.listPrinters().catch((error: PrintError) => error.code);
  await asked.promise;
  await print.ping();
  t.mock.timers.tick(30_000);
  assert.equal(await listing, "TIMEOUT");
  await print.ping();
  assert.deepEqual([events, connections()], [["connected"], 1]);
});
