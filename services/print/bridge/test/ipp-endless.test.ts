import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";
import { admitted, bridge, LABEL } from "./support.ts";

const LIMIT = { timeout: 50_000 };
/** Longer than any test: only what is tested ends a question. */
const NEVER_MS = 60_000;

const READY = encodeIpp({
  code: 0,
  requestId: 1,
  groups: [
    { tag: GROUP.operation, attributes: {} },
    { tag: GROUP.printer, attributes: { "printer-state": [{ tag: "enum", value: 3 }] } },
  ],
});

/** Answers a byte at a time without end, after as many whole answers as it is told; `begun` is its first such byte. */
async function endlessPrinter(t: TestContext, whole = 0) {
  const answers = { whole };
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { "content-type": "application/ipp" });
    if (answers.whole-- > 0) return void outgoing.end(READY);
    const dripping = setInterval(() => outgoing.write("\0", () => resolve()), 20);
    outgoing.on("close", () => clearInterval(dripping));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { uri: `ipp://127.0.0.1:${port}/ipp/print`, begun, answers };
}

/** Goes on in another protocol that nobody asked for, after as many answers as it is told. */
async function switchingPrinter(t: TestContext, whole = 0) {
  let answers = whole;
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => {
      if (answers-- > 0) return void outgoing.end(READY);
      incoming.socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return `ipp://127.0.0.1:${port}/ipp/print`;
}

/** Says of every document that it works on it, and nothing else, and reads none. */
async function busyPrinter(t: TestContext) {
  let isAsked = false;
  const server = createServer((incoming, outgoing) => {
    if (!isAsked) {
      isAsked = true;
      incoming.resume().on("end", () => outgoing.end(READY));
      return;
    }
    const working = setInterval(() => {
      for (let told = 0; told < 100; told++) outgoing.writeProcessing();
    }, 20);
    outgoing.on("close", () => clearInterval(working));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return `ipp://127.0.0.1:${port}/ipp/print`;
}

const backendOf = (uri: string, readMs: number, hangUpMs = readMs) =>
  createSpoolerBackend({
    spooler: createIppSpooler({ uri, connectMs: 1_000, readMs, hangUpMs }),
    monotonic: () => performance.now(),
    wait: systemWait,
    pollMs: 5,
    recoverMs: NEVER_MS,
  });

const document = (spoolerJob?: string) => ({
  id: "job",
  data: Buffer.from(LABEL),
  copies: 1,
  labels: 1,
  rfid: false,
  odometer: undefined,
  spoolerJob,
});

test("an answer that goes on without end is given up", LIMIT, async (t) => {
  const { uri } = await endlessPrinter(t);
  const backend = backendOf(uri, 400);
  await assert.rejects(backend.status(), { code: "TRANSPORT_TIMEOUT" });
});

test("an answer for a document that goes on without end leaves the job unknown", LIMIT, async (t) => {
  const { uri } = await endlessPrinter(t, 1);
  const backend = backendOf(uri, 400);
  assert.equal((await backend.send(document(), () => {}).outcome).type, "lost");
});

test("a printer that goes on in another protocol has not answered", LIMIT, async (t) => {
  const backend = backendOf(await switchingPrinter(t), 400);
  await assert.rejects(backend.status(), { code: "PRINTER_OFFLINE" });
});

test("one that does so when it has a document leaves the job unknown", LIMIT, async (t) => {
  const backend = backendOf(await switchingPrinter(t, 1), 400);
  assert.equal((await backend.send(document(), () => {}).outcome).type, "lost");
});

test("one that only ever says that it works on a document has not answered for it", LIMIT, async (t) => {
  const backend = backendOf(await busyPrinter(t), 400);
  const large = { ...document(), data: Buffer.alloc(30_000_000, "x") };
  assert.equal((await backend.send(large, () => {}).outcome).type, "lost");
});

test("closing ends a question that is under way", LIMIT, async (t) => {
  const { uri, begun } = await endlessPrinter(t);
  const backend = backendOf(uri, NEVER_MS);
  const asked = assert.rejects(backend.status(), { code: "TRANSPORT_TIMEOUT" });
  await begun;
  await backend.close();
  await asked;
});

test(
  "a job that is asked for when the bridge closes is asked for again at the next start",
  LIMIT,
  async (t) => {
    const { uri, begun } = await endlessPrinter(t);
    const backend = backendOf(uri, NEVER_MS);
    const { outcome } = backend.recover(document("7"), () => {});
    await begun;
    await backend.close();
    assert.deepEqual(await outcome, { type: "interrupted" });
  },
);

test("closing gives a document some seconds, and then lets go of it", LIMIT, async (t) => {
  const { uri, begun } = await endlessPrinter(t, 1);
  const backend = backendOf(uri, NEVER_MS);
  const { outcome } = backend.send(document(), () => {});
  await begun;
  await backend.close();
  assert.equal((await outcome).type, "lost");
});

test("neither a new device nor the end of the bridge waits for an endless answer", LIMIT, async (t) => {
  const office = await endlessPrinter(t, Number.POSITIVE_INFINITY);
  const store = await endlessPrinter(t, Number.POSITIVE_INFINITY);
  const b = await bridge(t, { env: { PRINT_READ_MS: String(NEVER_MS) } });
  b.addPrinter({ id: "office", transport: "ipp", address: office.uri });
  b.addPrinter({ id: "store", transport: "ipp", address: store.uri });
  const page = await admitted(t, b.url, b.allow());
  const jobs: string[] = [];
  for (const [printer, { answers, begun }] of Object.entries({ office, store })) {
    await page.ask("printers.status", { printer });
    answers.whole = 0;
    jobs.push(await page.jobId("print.raw", { printer, data: LABEL }));
    await begun;
  }
  b.addPrinter({ id: "office", transport: "virtual" });
  assert.equal((await page.ended(jobs[0] as string)).state, "Done");
  await b.close();
});
