import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import type { JobStatus } from "../src/domain/job.ts";
import { admitted, bridge, LABEL, until } from "./support.ts";
import { startCups } from "./transport-peers.ts";

test("jobs that CUPS has no room for wait for it, and each is printed once, in order", async (t) => {
  const cups = await startCups(t, "MaxJobsPerPrinter 2");
  if (!cups) return;
  let held = true;
  const received: string[] = [];
  const sockets = new Set<Socket>();
  // CUPS waits until the printer hangs up: until then it has the job.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let bytes = "";
    socket.on("data", (piece: Buffer) => {
      bytes += piece.toString("latin1");
    });
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.on("end", () => {
      received.push(bytes);
      if (!held) socket.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  cups.addQueue("labels", `socket://127.0.0.1:${(server.address() as { port: number }).port}`);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "spooler", address: "labels" });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("subscribe");
  const labels = [1, 2, 3, 4].map((n) => LABEL.replace("hello", `label-${n}`));
  const ids: string[] = [];
  for (const data of labels) ids.push(await page.jobId("print.raw", { printer: "dock", data }));
  await until("one waits for room", () =>
    page.jobs().some(({ state, reasons }) => state === "Held" && reasons[0] === "too-many-jobs"),
  );
  held = false;
  for (const socket of sockets) if (socket.readableEnded) socket.end();
  for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
  assert.deepEqual(received, labels);
});

test("a job that waits in a queue of CUPS that somebody stopped is held, and done when that goes on", async (t) => {
  const cups = await startCups(t);
  if (!cups) return;
  let goesOn = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.resume().on("error", () => {});
    if (goesOn) socket.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  cups.addQueue("labels", `socket://127.0.0.1:${(server.address() as { port: number }).port}`);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "spooler", address: "labels" });
  const page = await admitted(t, b.url, b.allow());
  const stateOf = async (jobId: string) => (await page.ask("job.get", { jobId })) as unknown as JobStatus;
  const print = () => page.jobId("print.raw", { printer: "dock", data: LABEL });
  const ids = [await print(), await print()] as const;
  await until("both were handed over", async () => (await stateOf(ids[1])).state === "Printing");
  execFileSync("cupsdisable", ["labels"]);
  await until("the second is held", async () => (await stateOf(ids[1])).state === "Held");
  assert.deepEqual((await stateOf(ids[1])).reasons, ["printer-stopped"]);
  goesOn = true;
  execFileSync("cupsenable", ["labels"]);
  for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
});
