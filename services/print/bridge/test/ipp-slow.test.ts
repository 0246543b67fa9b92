import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { decodeIpp, encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";

const PRINT_JOB = 0x0002;
const GET_JOB = 0x0009;
/** For one step of a conversation: a busy machine keeps it, and the whole of a long upload does not. */
const LIMIT_MS = 1_000;

/** An IPP printer of a few lines that reads, and answers for its jobs, as a test tells it. */
async function ippPrinter(
  t: TestContext,
  how: { readonly read?: (piece: Buffer) => Promise<void>; readonly jobCode?: number },
  hangUpMs = 10_000,
) {
  const server = createServer(async (incoming: IncomingMessage, outgoing) => {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of incoming as AsyncIterable<Buffer>) {
        pieces.push(piece);
        await how.read?.(piece);
      }
    } catch {
      return;
    }
    const { code, requestId } = decodeIpp(Buffer.concat(pieces));
    const integer = (value: number) => [{ tag: "integer" as const, value }];
    const answers = {
      [PRINT_JOB]: { tag: GROUP.job, attributes: { "job-id": integer(7) } },
      [GET_JOB]: { tag: GROUP.job, attributes: { "job-state": [{ tag: "enum" as const, value: 9 }] } },
    };
    const group = answers[code as keyof typeof answers];
    const status = code === GET_JOB && how.jobCode ? how.jobCode : 0;
    outgoing.setHeader("content-type", "application/ipp");
    outgoing.end(encodeIpp({ code: status, requestId, groups: group ? [group] : [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const spooler = createIppSpooler({
    uri: `ipp://127.0.0.1:${port}/ipp/print`,
    connectMs: LIMIT_MS,
    readMs: LIMIT_MS,
    hangUpMs,
  });
  return createSpoolerBackend({
    spooler,
    monotonic: () => performance.now(),
    wait: systemWait,
    pollMs: 5,
    recoverMs: 50,
  });
}

const document = (bytes: number) => ({
  id: "job",
  data: Buffer.alloc(bytes, "x"),
  copies: 1,
  labels: 1,
  rfid: false,
  odometer: undefined,
  spoolerJob: undefined,
});

test("an upload that takes far longer than the limit is whole, as long as it goes on", async (t) => {
  // Sixteen pieces of 256 KiB, each of which takes a part of the limit: the whole is many times that.
  let taken = 0;
  const backend = await ippPrinter(t, {
    read: async (piece) => {
      taken += piece.length;
      if (taken > 256 * 1024) {
        taken = 0;
        await delay(LIMIT_MS / 5);
      }
    },
  });
  const outcome = await backend.send(document(4 * 1024 * 1024), () => {}).outcome;
  assert.equal(outcome.type, "done");
});

/** Questions are short; what is longer is a document. */
const stopAtDocument = (piece: Buffer) =>
  piece.length > 2_000 ? new Promise<void>(() => {}) : Promise.resolve();

test("an upload that stops is given up, and nobody can tell what came of it", async (t) => {
  const backend = await ippPrinter(t, { read: stopAtDocument }, LIMIT_MS);
  assert.equal((await backend.send(document(16 * 1024 * 1024), () => {}).outcome).type, "lost");
});

test("a spooler that refuses to tell how a job stands does not hold it for ever", async (t) => {
  const backend = await ippPrinter(t, { jobCode: 0x0500 });
  assert.equal((await backend.send(document(10), () => {}).outcome).type, "lost");
});
