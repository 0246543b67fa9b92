import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { NotTaken } from "../src/domain/spooler.ts";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { decodeIpp, encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";

const PRINT_JOB = 0x0002;
const DATA = Buffer.from("^XA^FDx^FS^XZ");

/** A printer that answers one question on each connection and says nothing of that. */
async function oneQuestionEach(
  t: TestContext,
  refuse: (code: number, response: ServerResponse) => boolean = () => false,
) {
  const used = new WeakSet<Socket>();
  const documents: Buffer[] = [];
  const server = createServer(async (request, response) => {
    if (used.has(request.socket)) return void request.socket.resetAndDestroy();
    used.add(request.socket);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const { code, requestId } = decodeIpp(body);
    if (refuse(code, response)) return;
    if (code === PRINT_JOB) documents.push(body.subarray(-DATA.length));
    const job = { tag: GROUP.job, attributes: { "job-id": [{ tag: "integer" as const, value: 5 }] } };
    const printer = { tag: GROUP.printer, attributes: {} };
    response.setHeader("content-type", "application/ipp");
    response.end(encodeIpp({ code: 0, requestId, groups: [code === PRINT_JOB ? job : printer] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const uri = `ipp://127.0.0.1:${port}/ipp/print`;
  return { documents, spooler: createIppSpooler({ uri, connectMs: 1_000, readMs: 1_000 }) };
}

test("a printer that answers one question on each connection is online, and takes a document", async (t) => {
  const { spooler, documents } = await oneQuestionEach(t);
  for (let question = 0; question < 4; question++) assert.equal((await spooler.status()).online, true);
  assert.equal(await spooler.submit("label", DATA, 1), "5");
  assert.deepEqual(documents, [DATA]);
});

for (const status of [429, 503]) {
  test(`a document that is refused with HTTP ${status} was not taken, and may be handed over again`, async (t) => {
    const { spooler } = await oneQuestionEach(t, (code, response) => {
      if (code === PRINT_JOB) response.writeHead(status).end();
      return code === PRINT_JOB;
    });
    await assert.rejects(spooler.submit("label", DATA, 1), NotTaken);
  });
}
