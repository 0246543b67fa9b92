import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";

test("a label is printed, counted and told of", async (t) => {
  const { printer, address } = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("subscribe");
  await until(
    "the printer is seen",
    async () => ((await page.ask("printers.list")).printers as { online: boolean }[])[0]?.online,
  );
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL, copies: 3 });
  const job = await page.ended(jobId);
  assert.equal(job.state, "Done");
  assert.equal(job.verification, "printer");
  assert.deepEqual(
    job.labels.map(({ index, printed }) => [index, printed]),
    [
      [0, true],
      [1, true],
      [2, true],
    ],
  );
  assert.equal(printer.labels.length, 3);
  await until("the end is told", () => page.jobs().some(({ state }) => state === "Done"));
  assert.ok(
    page.events.every(({ seq }, at) => at === 0 || (seq as number) > (page.events[at - 1]?.seq as number)),
  );
});

test("to a device that says nothing, exactly the bytes given arrive, as often as asked", async (t) => {
  const received: Buffer[] = [];
  const sink = createServer((socket) => socket.on("data", (bytes) => received.push(Buffer.from(bytes))));
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  t.after(() => sink.close());
  const { port } = sink.address() as { port: number };
  const b = await bridge(t);
  b.addPrinter({ id: "sink", transport: "tcp", address: `127.0.0.1:${port}`, languages: ["escpos"] });
  const page = await admitted(t, b.url, b.allow());
  const bytes = Buffer.from([0x1b, 0x40, ...Array.from({ length: 256 }, (_, n) => n)]);
  const jobId = await page.jobId("print.raw", {
    printer: "sink",
    data: bytes.toString("base64"),
    encoding: "base64",
    copies: 2,
  });
  const job = await page.ended(jobId);
  assert.deepEqual([job.state, job.verification], ["Done", "sent"]);
  assert.deepEqual(Buffer.concat(received), Buffer.concat([bytes, bytes]));
});
