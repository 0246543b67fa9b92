import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createLog } from "@frontdesk/kit/log";
import { createNoFeedbackBackend } from "../src/backends/no-feedback-backend.ts";
import { type Backend, type Report, untilItEnds, type Wait } from "../src/domain/backend.ts";
import type { Job } from "../src/domain/job.ts";
import type { JobOutcome } from "../src/domain/job-machine.ts";
import type { JobChange } from "../src/domain/journal.ts";
import type { DeviceStatus } from "../src/domain/printer.ts";
import { createPrinterQueue } from "../src/domain/printer-queue.ts";
import { printSettings } from "../src/settings.ts";
import { tcpTransport } from "../src/transports/tcp.ts";
import { until } from "./support.ts";

const RETRY_MS = 5_000;
const GIVE_UP_MS = 60_000;
const READY: DeviceStatus = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };
const JOB: Job = {
  id: "j1",
  origin: "https://app.example.com",
  printer: "dock",
  alias: "dock",
  state: "Queued",
  started: false,
  verification: "none",
  language: "epl",
  copies: 1,
  rfid: false,
  count: { asked: 2, printed: 0 },
  reasons: [],
  error: undefined,
  odometer: undefined,
  createdAt: 0,
  updatedAt: 0,
};

/** The real queue over a disk in memory; its waits pass at once and move its clock. */
function queueOf(t: TestContext, backend: Backend, failing: (change: JobChange) => boolean = () => false) {
  let job: Job = JOB;
  let now = 0;
  let waits = 0;
  const queue = createPrinterQueue({
    printer: "dock",
    device: "tcp 127.0.0.1",
    backend,
    journal: {
      data: () => Buffer.from("N\nP1\n"),
      commit: async (entries) => {
        for (const entry of entries) {
          if (entry.kind !== "changed") continue;
          if (failing(entry.change)) throw new Error("database or disk is full");
          job = { ...job, ...entry.change };
        }
      },
      hasData: () => true,
      lastEnded: () => undefined,
    },
    wait: async (milliseconds) => {
      waits++;
      now += milliseconds;
      await delay(1);
    },
    monotonic: () => now,
    log: createLog({ service: "print", level: "silent", settings: printSettings }),
    retryMs: RETRY_MS,
    giveUpMs: GIVE_UP_MS,
    onStatus: () => {},
  });
  t.after(() => queue.close());
  queue.add(JOB);
  return { written: () => job, waits: () => waits, close: () => queue.close() };
}

const realWait: Wait = (milliseconds, signal) =>
  delay(milliseconds, undefined, signal && { signal }).catch(() => {});

test("a device without feedback that takes connections and hangs up is tried again at once, then with pauses, then given up", async (t) => {
  const MANY = 200;
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => {}).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const backend = createNoFeedbackBackend({
    connect: tcpTransport({ host: "127.0.0.1", port, connectMs: 3_000, hangUpMs: 90_000 }),
    wait: realWait,
    pollMs: 500,
  });
  // Its end is there before the next step, as it is where a step waits for a disk.
  const connected = backend.prepare;
  backend.prepare = async () => {
    const status = await connected();
    await until("it hung up", () => !backend.isReady());
    return status;
  };
  const { written, waits } = queueOf(t, backend);
  await until("it ends", () => written().state === "Failed" || connections > MANY);
  assert.deepEqual([written().state, written().error?.code], ["Failed", "PRINTER_OFFLINE"]);
  assert.ok(connections <= 3 + GIVE_UP_MS / RETRY_MS, `it was dialled ${connections} times`);
  assert.equal(waits(), connections - 2, "but for the second time and the last it waited before each");
});

test("progress that could not be written is written as soon as the disk takes it", async (t) => {
  const ended = Promise.withResolvers<JobOutcome>();
  let report: Report = () => {};
  const backend: Backend = {
    isReady: () => true,
    odometer: () => undefined,
    status: async () => READY,
    prepare: async () => READY,
    send: (_job, told) => {
      report = told;
      return untilItEnds(ended.promise);
    },
    recover: () => untilItEnds(ended.promise),
    idle: () => {},
    close: async () => ended.resolve({ type: "interrupted" }),
  };
  let refused = 0;
  const { written } = queueOf(t, backend, ({ state }) => state === "Held" && ++refused <= 2);
  await until("it is sent", () => written().state === "Sending");
  const count = { asked: 2, printed: 1 };
  report({ type: "stopped", reasons: ["paper-out"], count, spoolerJob: "17" });
  // A printer without paper says so again and again: nothing new that would be written by itself.
  report({ type: "stopped", reasons: ["paper-out"], count, spoolerJob: "17" });
  await until("it is held", () => written().state === "Held");
  assert.deepEqual([written().reasons, written().count, written().spoolerJob], [["paper-out"], count, "17"]);
  assert.equal(refused, 3);
});

test("a job that was not sent is put back when the bridge closes, where the disk took nothing before", async (t) => {
  const notSent = Promise.resolve({ type: "not-sent" } as const);
  let isFull = false;
  const backend: Backend = {
    isReady: () => true,
    odometer: () => undefined,
    status: async () => READY,
    prepare: async () => READY,
    send: () => {
      isFull = true;
      return { taken: notSent, outcome: notSent };
    },
    recover: () => untilItEnds(notSent),
    idle: () => {},
    close: async () => {},
  };
  let refused = 0;
  const { written, close } = queueOf(t, backend, () => isFull && ++refused > 0);
  await until("the disk refuses it", () => refused > 0);
  isFull = false;
  await close();
  assert.deepEqual([written().state, written().started], ["Queued", false]);
});
