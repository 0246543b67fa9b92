import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";

/** The spooler of a printer that is stopped, and so is its job, both for the given reasons. */
async function stoppedFor(t: TestContext, reasons: readonly string[]) {
  const keywords = reasons.map((value) => ({ tag: "keyword" as const, value }));
  const stopped = (what: string, state: number) => ({
    [`${what}-state`]: [{ tag: "enum" as const, value: state }],
    [`${what}-state-reasons`]: keywords,
  });
  const groups = [
    { tag: GROUP.printer, attributes: stopped("printer", 5) },
    { tag: GROUP.job, attributes: stopped("job", 6) },
  ];
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.end(encodeIpp({ code: 0, requestId: 1, groups }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return createIppSpooler({ uri: `ipp://127.0.0.1:${port}/ipp/print`, connectMs: 5_000, readMs: 5_000 });
}

test("reasons of a printer and of its jobs are plain text", async (t) => {
  const spooler = await stoppedFor(t, ["media-empty", "\u001b[2Jcover\nopen\u202e", "\u0007", "none"]);
  const plain = ["media-empty", "[2Jcover open"];
  assert.deepEqual((await spooler.status()).reasons, plain);
  assert.deepEqual((await spooler.jobs(["7"])).get("7")?.reasons, plain);
});

test("of a printer's reasons twenty are kept, of each as much as IPP allows a keyword", async (t) => {
  const spooler = await stoppedFor(
    t,
    Array.from({ length: 30 }, (_, n) => `${n}-`.padEnd(60_000, "x")),
  );
  const kept = Array.from({ length: 20 }, (_, n) => `${n}-`.padEnd(255, "x"));
  assert.deepEqual((await spooler.status()).reasons, kept);
  assert.deepEqual((await spooler.jobs(["7"])).get("7")?.reasons, kept);
});

test("a printer that is stopped for reasons that hold no text is stopped", async (t) => {
  const spooler = await stoppedFor(t, ["\u0007"]);
  assert.deepEqual((await spooler.status()).reasons, ["stopped"]);
});
