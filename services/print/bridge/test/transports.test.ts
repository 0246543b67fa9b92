import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { tcpTransport } from "../src/transports/tcp.ts";
import { admitted, bridge, LABEL, until } from "./support.ts";
import { PEERS } from "./transport-peers.ts";

/** Every octet there is, as a picture: elsewhere some are commands. */
const BYTES = Buffer.from([
  ...Buffer.from("^XA^FO1,1^GFB,256,256,16,"),
  ...Array.from({ length: 256 }, (_, n) => n),
  ...Buffer.from("^FS^XZ"),
]);

const large = (letter: string) => `^XA^FO1,1^FD${letter.repeat(100_000)}^FS^XZ`;

/** What every transport owes the queue, whatever is at its other end. */
for (const [name, findPeer] of Object.entries(PEERS)) {
  test(`the contract of transports: ${name}`, async (t) => {
    const peer = await findPeer(t);
    if (!peer) return;
    const b = await bridge(t);
    b.addPrinter({ id: "dock", ...peer.entry });
    if (peer.away) b.addPrinter({ id: "away", ...peer.entry, address: peer.away });
    const page = await admitted(t, b.url, b.allow());
    const print = (job: object) => page.jobId("print.raw", { printer: "dock", ...job });
    const pictures = () => readdirSync(join(b.home, "virtual", "dock")).sort();

    await t.test("one that is there is online and ready", async () => {
      await until("it is ready", async () => {
        // A question may come too early, while the far end is being plugged in.
        const { result } = await page.call("printers.status", { printer: "dock" });
        return result?.online && (result.state === "ready" || peer.verification === "sent");
      });
      const [listed] = ((await page.ask("printers.list")).printers as Array<Record<string, unknown>>).filter(
        ({ id }) => id === "dock",
      );
      assert.equal(listed?.online, true);
    });

    await t.test("every byte arrives as it was given, once for each copy, and the job is done", async () => {
      const id = await print({ data: BYTES.toString("base64"), encoding: "base64", copies: 2 });
      const job = await page.ended(id);
      assert.deepEqual([job.state, job.verification], ["Done", peer.verification]);
      assert.deepEqual(
        job.labels.map(({ index, printed }) => [index, printed]),
        [
          [0, true],
          [1, true],
        ],
      );
      if (peer.received) assert.deepEqual(peer.received(), Buffer.concat([BYTES, BYTES]));
      else assert.equal(pictures().filter((picture) => picture.includes(id)).length, 1);
    });

    await t.test(
      "large jobs asked for at once come out whole, in the order they were asked for",
      async () => {
        const before = peer.received?.().length ?? 0;
        const jobs = ["a", "b", "c"].map(large);
        const ids: string[] = [];
        for (const data of jobs) {
          const id = await print({ data });
          ids.push(id);
        }
        for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
        if (peer.received) {
          const arrived = peer.received().subarray(before);
          assert.ok(arrived.equals(Buffer.from(jobs.join(""))), `${arrived.length} bytes, or not in order`);
        } else {
          const drawn = pictures().map((picture) => ids.findIndex((id) => picture.includes(id)));
          assert.deepEqual(
            drawn.filter((n) => n >= 0),
            [0, 1, 2],
          );
        }
      },
    );

    if (!peer.away) return;
    await t.test("one that is not there is offline, and takes no job", async () => {
      assert.equal(await page.code("print.raw", { printer: "away", data: LABEL }), "PRINTER_OFFLINE");
      assert.equal((await page.ask("printers.status", { printer: "away" })).online, false);
    });
  });
}

test("a device that hangs up in the middle and reads on gets nothing of what was on its way", async (t) => {
  const taken = Promise.withResolvers<Error | "the end">();
  const lines = Promise.withResolvers<import("node:net").Socket>();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, lines.resolve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const connection = await tcpTransport({ host: "127.0.0.1", port, connectMs: 5_000, hangUpMs: 5_000 })();
  const ended = new Promise<void>((resolve) => connection.onEnd(resolve));
  connection.onData(() => {});
  const device = await lines.promise;
  device.on("error", taken.resolve).on("end", () => taken.resolve("the end"));
  await connection.write(Buffer.from(LABEL));
  device.end();
  await ended;
  device.resume();
  assert.notEqual(await taken.promise, "the end");
  device.destroy();
});
