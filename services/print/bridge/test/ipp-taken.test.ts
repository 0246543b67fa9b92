import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { decodeIpp, encodeIpp } from "../src/transports/ipp-codec.ts";

const PRINT_JOB = 0x0002;

/** What becomes of a job at a print server that answers its document so. */
async function outcomeAt(t: TestContext, answer: { http?: number; ipp?: number }): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const { code, requestId } = decodeIpp(Buffer.concat(pieces));
    const { http = 200, ipp = 0 } = code === PRINT_JOB ? answer : {};
    outgoing.statusCode = http;
    outgoing.end(encodeIpp({ code: ipp, requestId, groups: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const uri = `ipp://127.0.0.1:${(server.address() as { port: number }).port}/ipp/print`;
  const backend = createSpoolerBackend({
    spooler: createIppSpooler({ uri, connectMs: 10_000, readMs: 10_000 }),
    monotonic: () => performance.now(),
    wait: systemWait,
    pollMs: 10,
    recoverMs: 10_000,
  });
  const document = { id: "job", data: Buffer.from("^XA^XZ"), copies: 1, labels: 1, rfid: false };
  const { outcome } = backend.send({ ...document, odometer: undefined, spoolerJob: undefined }, () => {});
  const ended = await outcome;
  return ended.type === "not-sent" ? `not-sent ${ended.reason}` : ended.type;
}

for (const [what, answer, expected] of [
  ["with success and no number of the job", { ipp: 0 }, "lost"],
  ["with a gateway's time limit (HTTP 504)", { http: 504 }, "lost"],
  ["with a bad gateway (HTTP 502)", { http: 502 }, "lost"],
  ["with a failure of its own (HTTP 500)", { http: 500 }, "lost"],
  ["that it is not allowed (HTTP 403)", { http: 403 }, "failed"],
  ["that it is too large (HTTP 413)", { http: 413 }, "failed"],
  ["to come later (HTTP 503)", { http: 503 }, "not-sent busy"],
  ["that it has too many jobs (IPP 0x050B)", { ipp: 0x050b }, "not-sent too-many-jobs"],
  ["that it cannot be (IPP 0x0404)", { ipp: 0x0404 }, "failed"],
] as const) {
  test(`a print server that answers a document ${what}: ${expected}`, async (t) => {
    assert.equal(await outcomeAt(t, answer), expected);
  });
}
