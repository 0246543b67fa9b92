import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { encodeIpp } from "../src/transports/ipp-codec.ts";
import { askIpp } from "../src/transports/ipp-request.ts";

const LIMIT = { timeout: 50_000 };
const PRINT_JOB = 0x0002;
const BUSY = 0x0507;
/** More than lies in buffers on its way. */
const DOCUMENT = Buffer.alloc(30_000_000, "x");

/** Answers with the first bytes of a document, and then does as told. */
async function hastyPrinter(t: TestContext, code: number, then: (socket: Socket) => void) {
  const read = { bytes: 0 };
  const answer = encodeIpp({ code, requestId: 1, groups: [] });
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n`);
      socket.write(answer);
      then(socket);
    });
    socket.on("data", (piece) => {
      read.bytes += piece.length;
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const options = { uri: `ipp://127.0.0.1:${port}/ipp/print`, connectMs: 10_000, readMs: 10_000 };
  const print = () => askIpp(options, PRINT_JOB, {}, { document: [DOCUMENT] });
  return { read, sockets, print };
}

test("a document is handed over to its end to a printer that has answered before", LIMIT, async (t) => {
  const { read, sockets, print } = await hastyPrinter(t, 0, () => {});
  assert.equal((await print()).code, 0);
  const [socket] = sockets;
  if (socket && !socket.readableEnded) await once(socket, "end");
  assert.ok(read.bytes > DOCUMENT.length, `${read.bytes} bytes came`);
});

test("one that answers and hangs up before it has all of a document has not taken it", LIMIT, async (t) => {
  const { print } = await hastyPrinter(t, 0, (socket) => socket.end());
  await assert.rejects(print(), { code: "TRANSPORT_TIMEOUT" });
});

test("one that refuses a document and reads no more of it is heard at once", LIMIT, async (t) => {
  const { print } = await hastyPrinter(t, BUSY, (socket) => socket.pause());
  assert.equal((await print()).code, BUSY);
});
