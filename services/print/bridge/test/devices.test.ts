import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { byteSink, cable } from "./cable.ts";
import { admitted, bridge, LABEL, type Speaker, simulator, until } from "./support.ts";

const XON = Buffer.from([0x11]);
const XOFF = Buffer.from([0x13]);
/** More than all buffers on the way to a device, so that one that takes nothing is noticed. */
const BIG = `^XA^FO1,1^FD${"x".repeat(4_000_000)}^FS^XZ`;

const held = (page: Speaker, jobId: string) =>
  until("the job is held", async () => {
    const { state, reasons } = await page.ask("job.get", { jobId });
    return state === "Held" && String(reasons) === "not-taking-data";
  });

/** A printer that takes no more after its first bytes, until it is told to. */
async function stuckPrinter(t: TestContext) {
  let stuck = true;
  const sink = await byteSink(t, (_total, socket) => {
    if (stuck) socket.pause();
  });
  const release = () => {
    stuck = false;
    for (const socket of sink.sockets) socket.resume();
  };
  return { ...sink, release };
}

test("serial: a printer whose memory is full says XOFF and holds its job; at XON the rest arrives, whole", async (t) => {
  let full = true;
  const sink = await byteSink(t, (total, socket) => {
    if (full && total > 20_000) socket.write(XOFF);
  });
  const path = await cable(t, sink.port);
  if (!path) return;
  const b = await bridge(t);
  b.addPrinter({ id: "dev", transport: "serial", address: `${path}?baud=115200`, feedback: "none" });
  const page = await admitted(t, b.url, b.allow());
  const id = await page.jobId("print.raw", { printer: "dev", data: BIG, copies: 3 });
  await held(page, id);
  assert.ok(sink.received().length < 3 * BIG.length, "a part of it has not arrived");
  full = false;
  for (const socket of sink.sockets) socket.write(XON);
  assert.equal((await page.ended(id)).state, "Done");
  await until("all has arrived", () => sink.received().length >= 3 * BIG.length);
  assert.ok(sink.received().equals(Buffer.from(BIG.repeat(3))));
});

test("mute printers that stop in mid-job hold it; a bridge that is stopped meanwhile ends, and the jobs are unknown", async (t) => {
  const home = temporaryHome(t);
  const b = await bridge(t, { home });
  const transports = ["tcp", "usb", "serial"] as const;
  for (const transport of transports) {
    const { port } = await stuckPrinter(t);
    const address = transport === "tcp" ? `127.0.0.1:${port}` : await cable(t, port);
    if (!address) return;
    b.addPrinter({ id: transport, transport, address, feedback: "none" });
  }
  const token = b.allow();
  const page = await admitted(t, b.url, token);
  const jobs = transports.map((printer) => page.jobId("print.raw", { printer, data: BIG, copies: 3 }));
  const ids = await Promise.all(jobs);
  for (const id of ids) await held(page, id);
  await b.close();
  const again = await bridge(t, { home });
  const later = await admitted(t, again.url, token);
  for (const id of ids) assert.equal((await later.ended(id)).state, "Unknown");
});

test("more devices than the process has threads take nothing: others print, and each goes on when it is mended", async (t) => {
  const stuck = await Promise.all(Array.from({ length: 6 }, () => stuckPrinter(t)));
  const paths: string[] = [];
  for (const [n, { port }] of stuck.entries()) {
    const path = await cable(t, port);
    if (!path) return;
    paths.push(n % 2 ? `${path}?baud=115200` : path);
  }
  const { address } = await simulator(t);
  const b = await bridge(t);
  for (const [n, path] of paths.entries()) {
    b.addPrinter({ id: `stuck${n}`, transport: n % 2 ? "serial" : "usb", address: path, feedback: "none" });
  }
  b.addPrinter({ id: "good", transport: "tcp", address });
  b.addPrinter({ id: "drawn", transport: "virtual" });
  const page = await admitted(t, b.url, b.allow());
  const ids = await Promise.all(
    paths.map((_, n) => page.jobId("print.raw", { printer: `stuck${n}`, data: BIG })),
  );
  for (const id of ids) await held(page, id);
  for (const printer of ["good", "drawn"]) {
    const id = await page.jobId("print.raw", { printer, data: LABEL });
    assert.equal((await page.ended(id)).state, "Done");
  }
  for (const { release } of stuck) release();
  for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
  for (const { received } of stuck) {
    await until("all has arrived", () => received().length >= BIG.length);
    assert.equal(received().toString() === BIG, true);
  }
});

test("a device that is pulled out in mid-job leaves it unknown; the printer is offline until it is back", async (t) => {
  const sink = await stuckPrinter(t);
  const path = await cable(t, sink.port);
  if (!path) return;
  const b = await bridge(t);
  b.addPrinter({ id: "dev", transport: "usb", address: path, feedback: "none" });
  const page = await admitted(t, b.url, b.allow());
  const id = await page.jobId("print.raw", { printer: "dev", data: BIG });
  await held(page, id);
  // Socat ends when its other side does, and takes the pseudo terminal with it.
  for (const socket of sink.sockets) socket.resetAndDestroy();
  assert.equal((await page.ended(id)).state, "Unknown");
  await until("it is offline", async () => {
    return (await page.ask("printers.status", { printer: "dev" })).online === false;
  });
});

test("a serial address says what is wrong with it", async (t) => {
  const b = await bridge(t);
  for (const address of [
    "?baud=9600",
    "/dev/ttyS0?baud=fast",
    "/dev/ttyS0?flow=hope",
    "/dev/ttyS0?bauds=1",
  ]) {
    const { status } = await fetch(`${b.http}/api/v1/admin/printers/dev`, {
      method: "PUT",
      headers: { authorization: `Bearer ${b.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "dev", transport: "serial", address }),
    });
    assert.equal(status, 400, address);
  }
});

test("a file that is no device is left as it is", async (t) => {
  const b = await bridge(t);
  const path = join(temporaryHome(t), "letter.txt");
  writeFileSync(path, "Dear Ada,");
  b.addPrinter({ id: "dev", transport: "usb", address: path, feedback: "none" });
  const page = await admitted(t, b.url, b.allow());
  const { error } = await page.call("print.raw", { printer: "dev", data: LABEL });
  assert.deepEqual([error?.code, /not a device/.test(error?.message ?? "")], ["PRINTER_OFFLINE", true]);
  assert.equal(readFileSync(path, "utf8"), "Dear Ada,");
});

for (const transport of ["usb", "serial"] as const) {
  test(`${transport}: a device that is not there is offline`, async (t) => {
    const b = await bridge(t);
    b.addPrinter({ id: "dev", transport, address: join(temporaryHome(t), "none") });
    const page = await admitted(t, b.url, b.allow());
    assert.equal(await page.code("print.raw", { printer: "dev", data: LABEL }), "PRINTER_OFFLINE");
    assert.equal((await page.ask("printers.status", { printer: "dev" })).online, false);
  });
}
