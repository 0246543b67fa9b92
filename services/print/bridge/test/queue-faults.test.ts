import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { Wait } from "../src/domain/backend.ts";
import type { Journal } from "../src/domain/journal.ts";
import type { PrinterRecord } from "../src/domain/printer.ts";
import { cupsAddress } from "../src/transports/cups-address.ts";
import { tcpTransport } from "../src/transports/tcp.ts";
import { queuedBytes } from "../src/transports/tcp-acknowledged.ts";
import { openStatusDialogue } from "../src/zpl/status-dialogue.ts";
import { administer, admitted, bridge, LABEL, simulator, until } from "./support.ts";

/** A printer without feedback that does with its connections what a test wants. */
async function muteDevice(t: TestContext, serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { address: `127.0.0.1:${(server.address() as { port: number }).port}`, sockets };
}

async function desk(t: TestContext, address: string, env: Record<string, string> = {}, more: object = {}) {
  const b = await bridge(t, { env });
  b.addPrinter({ id: "dock", transport: "tcp", address, ...more });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("subscribe");
  return { ...b, page };
}

test("a printer without feedback that keeps the connection open is done when every byte is acknowledged, and nothing is claimed", async (t) => {
  const { address } = await muteDevice(t, (socket) => socket.resume());
  const { page } = await desk(t, address, { PRINT_HANG_UP_MS: "50" }, { feedback: "none" });
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.deepEqual([job.state, job.verification], ["Done", "none"]);
});

test("a question to a printer without feedback that never hangs up keeps no job waiting", async (t) => {
  let received = 0;
  const { address } = await muteDevice(t, (socket) => {
    socket.on("data", (bytes: Buffer) => {
      received += bytes.length;
    });
    socket.resume();
  });
  const env = { PRINT_HANG_UP_MS: "3600000", PRINT_WATCH_MS: "20" };
  const { page } = await desk(t, address, env, { feedback: "none" });
  for (let n = 0; n < 5; n++) await page.ask("printers.status", { printer: "dock" });
  await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await until("the label is there", () => received >= LABEL.length);
});

test("a printer without feedback that reads nothing holds the job, and is unknown when it goes away", async (t) => {
  const { address, sockets } = await muteDevice(t, () => {});
  const { page } = await desk(t, address, { PRINT_HANG_UP_MS: "50" }, { feedback: "none" });
  const data = `^XA^FD${"x".repeat(3_000_000)}^FS^XZ`;
  const jobId = await page.jobId("print.raw", { printer: "dock", data, copies: 5 });
  await until("it is held", () =>
    page.jobs().some(({ state, reasons }) => state === "Held" && reasons[0] === "not-taking-data"),
  );
  for (const socket of sockets) socket.resetAndDestroy();
  assert.equal((await page.ended(jobId)).state, "Unknown");
});

test("a printer without feedback that hangs up without having taken everything leaves the job unknown", async (t) => {
  const { address, sockets } = await muteDevice(t, () => {});
  const { page } = await desk(t, address, { PRINT_HANG_UP_MS: "500" }, { feedback: "none" });
  // Less than this machine's buffers hold, more than the device's do.
  const data = `^XA^FD${"x".repeat(1_500_000)}^FS^XZ`;
  const jobId = await page.jobId("print.raw", { printer: "dock", data });
  await until("it is held", () => page.jobs().some(({ state }) => state === "Held"));
  for (const socket of sockets) socket.end();
  const job = await page.ended(jobId);
  assert.deepEqual([job.state, job.verification], ["Unknown", "none"]);
});

test("what Linux says of unacknowledged bytes is read by the addresses and ports of the connection", () => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt",
    "   0: 0100007F:238C 0100007F:9C40 01 00000000:00000000 00:00000000 00000000",
    "   1: 0200000A:9C40 0100007F:238C 05 00000007:00000000 01:00000014 00000000",
    "   2: 0100007F:9C40 0100007F:238C 05 000001F4:00000000 01:00000014 00000000",
    "   3: 00000000000000000000000001000000:9C40 B80D0120000000000000000001000000:238C 01 00000009:00000000 0 0",
  ].join("\n");
  const at = (address: string, port: number) => ({ address, port });
  const loopback = "127.0.0.1";
  assert.equal(queuedBytes(table, at(loopback, 0x9c40), at(loopback, 0x238c)), 500);
  assert.equal(queuedBytes(table, at("10.0.0.2", 0x9c40), at(loopback, 0x238c)), 7);
  assert.equal(queuedBytes(table, at(loopback, 0x238c), at(loopback, 0x9c40)), 0);
  assert.equal(queuedBytes(table, at("::1", 0x9c40), at("2001:db8::1", 0x238c)), 9);
  assert.equal(queuedBytes(table, at(loopback, 1), at(loopback, 2)), undefined);
});

test("a printer that is silent while stopped holds the job that waits for it, however long; it never fails", async (t) => {
  const sim = await simulator(t, { silentWhenStopped: true });
  const { page } = await desk(t, sim.address, { PRINT_GIVE_UP_MS: "0" });
  await page.ask("printers.status", { printer: "dock" });
  sim.printer.set("head-open", true);
  await until("it is told silent", () => page.statuses().at(-1)?.reasons[0] === "not-answering");
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await until("it is held", () => page.jobs().at(-1)?.state === "Held");
  assert.deepEqual(page.jobs().at(-1)?.reasons, ["not-answering"]);
  const polls = sim.printer.counters.statusPolls;
  await until("it was asked again and again", () => sim.printer.counters.statusPolls > polls + 5);
  assert.ok(
    page.statuses().every(({ state }) => state !== "offline"),
    "and it never flaps",
  );
  sim.printer.set("head-open", false);
  assert.equal((await page.ended(jobId)).state, "Done");
});

test("a printer that is silent on some connections is asked on another, and the job that waited is printed", async (t) => {
  const printer = createPrinter();
  const stuck = new WeakSet<Socket>();
  let more = 0;
  const { address, sockets } = await muteDevice(t, (socket) => {
    if (more-- > 0) stuck.add(socket);
    const line = printer.open((text) => void socket.write(text, "latin1"));
    socket.on("data", (bytes: Buffer) => {
      if (!stuck.has(socket)) line.feed(bytes);
    });
    socket.on("end", () => socket.end());
    socket.resume();
  });
  const { page } = await desk(t, address, { PRINT_RECOVER_MS: "100", PRINT_READ_MS: "30" });
  await page.ask("printers.status", { printer: "dock" });
  printer.set("paused", true);
  await until("it is stopped", () => page.statuses().at(-1)?.state === "stopped");
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  for (const socket of sockets) stuck.add(socket);
  more = 2;
  printer.set("paused", false);
  assert.equal((await page.ended(jobId)).state, "Done");
  assert.ok(page.jobs().some(({ reasons }) => reasons[0] === "not-answering"));
  assert.equal(printer.labels.length, 1);
});

test("a ZPL printer that takes no bytes is stopped by its status too, as its job is Held", async (t) => {
  const { address } = await muteDevice(t, (socket) => {
    // It answers what it is asked, and reads no further once a job comes.
    const printer = createPrinter();
    const line = printer.open((text) => void socket.write(text, "latin1"));
    socket.on("data", (bytes: Buffer) => {
      if (bytes.includes("^XA")) socket.pause();
      else line.feed(bytes);
    });
    socket.resume();
  });
  const { page } = await desk(t, address);
  await page.ask("printers.status", { printer: "dock" });
  const data = `^XA^FD${"x".repeat(3_000_000)}^FS^XZ`;
  await page.jobId("print.raw", { printer: "dock", data, copies: 5 });
  await until("it is held", () => page.jobs().at(-1)?.state === "Held");
  const status = await page.ask("printers.status", { printer: "dock" });
  assert.deepEqual([status.state, status.reasons], ["stopped", ["not-taking-data"]]);
});

test("a printer that takes connections and hangs up is offline, by its own status", async (t) => {
  const { address } = await muteDevice(t, (socket) => socket.end());
  const { page } = await desk(t, address);
  const status = await page.ask("printers.status", { printer: "dock" });
  assert.deepEqual([status.online, status.state], [false, "offline"]);
});

test("a printer that talks without end is hung up on, and one that answers what it is asked is not", async (t) => {
  const noise = Buffer.alloc(64 * 1024, "FDEPC[");
  let talks = 0;
  const { address } = await muteDevice(t, (socket) => {
    const talk = () => {
      if (!socket.destroyed && talks-- > 0) socket.write(noise, talk);
    };
    socket.on("data", talk).resume();
  });
  const [host = "", port] = address.split(":");
  const dial = tcpTransport({ host, port: Number(port), connectMs: 1_000, hangUpMs: 1_000 });
  const wait: Wait = (milliseconds) => delay(milliseconds);
  const dialogue = openStatusDialogue(await dial(), { wait, readMs: 20, rfid: false });
  for (let question = 0; question < 30; question++) {
    talks = 1;
    await dialogue.ask();
  }
  assert.equal(dialogue.broken, false);
  talks = Number.POSITIVE_INFINITY;
  await dialogue.ask().catch(() => {});
  await until("nobody listens any more", () => dialogue.broken);
});

test("a printer that drops every packet is offline", async (t) => {
  // Stopped, and with a queue for one connection: the kernel drops what comes after that.
  const child = spawn(process.execPath, [
    "-e",
    'require("net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () { console.log(this.address().port); });',
  ]);
  t.after(() => child.kill("SIGKILL"));
  const port = Number(String((await once(child.stdout, "data"))[0]));
  child.kill("SIGSTOP");
  const filling = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  t.after(() => {
    for (const socket of filling) socket.destroy();
  });
  await until("its queue is full", () => filling.filter(({ pending }) => !pending).length >= 2);
  const dial = tcpTransport({ host: "127.0.0.1", port, connectMs: 200, hangUpMs: 1_000 });
  await assert.rejects(dial(), { code: "PRINTER_OFFLINE" });
});

test("a job that is accepted while its printer is being changed is printed, and renaming cuts nothing", async (t) => {
  const sim = await simulator(t);
  const { page, addPrinter } = await desk(t, sim.address);
  await page.ask("printers.status", { printer: "dock" });
  const connections = sim.listener.received.connections;
  const ids: string[] = [];
  for (let round = 0; round < 10; round++) {
    addPrinter({ id: "dock", name: `Dock ${round}`, transport: "tcp", address: sim.address });
    ids.push(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  }
  for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
  assert.equal(sim.listener.received.connections, connections, "the connection is the same");
  const later: Array<Promise<string>> = [];
  for (let round = 0; round < 10; round++) {
    addPrinter({ id: "dock", transport: "tcp", address: sim.address, rfid: round % 2 === 0 });
    later.push(page.jobId("print.raw", { printer: "dock", data: LABEL }));
    later.push(page.jobId("print.raw", { printer: "dock", data: LABEL }));
  }
  for (const id of await Promise.all(later)) assert.equal((await page.ended(id)).state, "Done");
  assert.equal(sim.printer.labels.length, 30);
});

test("a new label size, or the same printer with its fields in another order, keeps the connection of the job under way", async (t) => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  const sim = await simulator(t, { pace: () => goOn });
  const { page, addPrinter, registry } = await desk(t, sim.address);
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await until("it prints", () => page.jobs().at(-1)?.state === "Printing");
  const { connections } = sim.listener.received;
  addPrinter({ id: "dock", transport: "tcp", address: sim.address, widthMm: 50, heightMm: 30, dpmm: 12 });
  await page.ask("printers.list");
  const turned = Object.fromEntries(Object.entries(registry.printers.get("dock") ?? {}).reverse());
  registry.printers.put("dock", turned as PrinterRecord);
  await page.ask("printers.list");
  // What is printed next is taken by the queue that there is then.
  const next = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  resolve();
  for (const id of [jobId, next]) assert.equal((await page.ended(id)).state, "Done");
  assert.equal(sim.listener.received.connections, connections);
});

test("a printer for which there is no way here is told to those who ask for it, and the others print", async (t) => {
  const sim = await simulator(t);
  const home = temporaryHome(t);
  const before = administer(home);
  before.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  // As an earlier version, or a setting such as CUPS_SERVER, may leave one: no address can be made of it.
  before.addPrinter({ id: "odd", transport: "spooler", address: "\ud800" });
  before.close();
  const b = await bridge(t, { home });
  const page = await admitted(t, b.url, b.allow());
  assert.equal(await page.code("printers.status", { printer: "odd" }), "INTERNAL");
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
});

/** A journal whose data cannot be read as often as a test says. */
function unreadable(times: { left: number }) {
  return (journal: Journal): Journal =>
    new Proxy(journal, {
      get: (target, name) => {
        if (name !== "data") return Reflect.get(target, name);
        return (id: string) => {
          if (times.left-- > 0) throw new Error("disk I/O error");
          return target.data(id);
        };
      },
    });
}

test("a job whose data cannot be read this moment keeps its place and is printed; for good, it fails and the rest goes on", async (t) => {
  const sim = await simulator(t);
  const times = { left: 0 };
  const b = await bridge(t, { wrapJournal: unreadable(times), env: { PRINT_GIVE_UP_MS: "300" } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("subscribe");
  await page.ask("printers.status", { printer: "dock" });
  sim.printer.set("paused", true);
  await until("it is stopped", () => page.statuses().at(-1)?.state === "stopped");
  const print = () => page.jobId("print.raw", { printer: "dock", data: LABEL });
  const ids = [await print(), await print()];
  times.left = 1;
  sim.printer.set("paused", false);
  for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
  assert.equal(sim.printer.labels.length, 2);

  sim.printer.set("paused", true);
  await until("it is stopped", () => page.statuses().at(-1)?.state === "stopped");
  const lost = await print();
  times.left = Number.POSITIVE_INFINITY;
  sim.printer.set("paused", false);
  const job = await page.ended(lost);
  assert.deepEqual([job.state, job.error?.code], ["Failed", "INTERNAL"]);
  times.left = 0;
  assert.equal((await page.ended(await print())).state, "Done");
});

test("two names for one printer both hear its status", async (t) => {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow(undefined, { aliases: { front: "dock", back: "dock" } }));
  await page.ask("subscribe");
  await page.ask("printers.status", { printer: "front" });
  sim.printer.set("paused", true);
  await until("both are told", () =>
    ["front", "back"].every((name) =>
      page.statuses().some(({ printer, state }) => printer === name && state === "stopped"),
    ),
  );
});

const EPC = "3034257BF468D480000003E9";
const TAG = `^XA^RFW,H^FD${EPC}^FS^FO30,30^FDx^FS^XZ`;

test("RFID: a line that dies before the first byte sends the job again, once", async (t) => {
  const sim = await simulator(t);
  const { page } = await desk(t, sim.address, { PRINT_WATCH_MS: "60000" }, { rfid: true });
  await page.ask("printers.status", { printer: "dock" });
  sim.listener.faults.dropAtByte = sim.listener.received.bytes + 1;
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: TAG }));
  assert.equal(job.state, "Done");
  assert.equal(sim.printer.labels.length, 1);
});

test("RFID: a tag written in ASCII is encoded when it reads back as its letters; where nobody can tell, it is not", async (t) => {
  const sim = await simulator(t);
  const { page } = await desk(t, sim.address, {}, { rfid: true });
  const print = async (write: string, data: string) =>
    page.ended(
      await page.jobId("print.raw", { printer: "dock", data: `^XA${write}^FD${data}^FS^FDx^FS^XZ` }),
    );
  const ascii = await print("^RFW,A", "AB");
  assert.deepEqual([ascii.state, ascii.labels[0]?.encoded, ascii.labels[0]?.epc], ["Done", true, "4142"]);
  const parts = await print("^RFW,E", "1,2,3");
  assert.deepEqual([parts.state, parts.labels[0]?.encoded], ["Done", false]);
});

test("CUPS is where its own tools look for it", () => {
  assert.equal(cupsAddress("Labels", "/tmp/cups.sock").socketPath, "/tmp/cups.sock");
  assert.deepEqual(cupsAddress("My labels", "printhost:8631"), {
    uri: "ipp://printhost:8631/printers/My%20labels",
  });
  assert.deepEqual(cupsAddress(undefined, "printhost/version=1.1"), { uri: "ipp://printhost/" });
});
