import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { monotonicClock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { createZplBackend } from "../src/backends/zpl-backend.ts";
import { type Backend, untilItEnds } from "../src/domain/backend.ts";
import type { Connection } from "../src/domain/connection.ts";
import type { Job } from "../src/domain/job.ts";
import type { Entry, JobChange } from "../src/domain/journal.ts";
import { createPrinterQueue } from "../src/domain/printer-queue.ts";
import { systemWait } from "../src/start-bridge.ts";
import { LABEL } from "./support.ts";

const JOB: Job = {
  id: "j",
  origin: "o",
  printer: "dock",
  alias: "dock",
  state: "Queued",
  started: false,
  verification: "none",
  language: "zpl",
  copies: 1,
  rfid: false,
  count: { asked: 1, printed: 0 },
  reasons: [],
  error: undefined,
  odometer: undefined,
  createdAt: 0,
  updatedAt: 0,
};
const READY = { online: true, state: "ready", reasons: [], labelsRemaining: 0 } as const;

/** A queue whose writes wait until they are let through, and whose printer is always ready. */
function closingQueue() {
  const changes: JobChange[] = [];
  const sent: string[] = [];
  const marked = Promise.withResolvers<void>();
  const letThrough = Promise.withResolvers<void>();
  const done = { type: "done", verification: "printer", count: { asked: 1, printed: 1 } } as const;
  const backend: Backend = {
    isReady: () => true,
    odometer: () => undefined,
    status: async () => READY,
    prepare: async () => READY,
    send: ({ id }) => {
      sent.push(id);
      return untilItEnds(Promise.resolve(done));
    },
    recover: () => untilItEnds(Promise.resolve(done)),
    idle: () => {},
    close: async () => {},
  };
  const commit = async ([entry]: readonly Entry[]) => {
    marked.resolve();
    await letThrough.promise;
    if (entry?.kind === "changed") changes.push(entry.change);
  };
  const silent = { error: () => {}, info: () => {}, warn: () => {}, debug: () => {} } as unknown as Log;
  const queue = createPrinterQueue({
    printer: "dock",
    device: "tcp 127.0.0.1",
    backend,
    journal: { commit, data: () => Buffer.from(LABEL), hasData: () => true, lastEnded: () => undefined },
    wait: systemWait,
    monotonic: monotonicClock.now,
    log: silent,
    retryMs: 5,
    giveUpMs: 1_000,
    onStatus: () => {},
  });
  return { queue, changes, sent, marked: marked.promise, letThrough: letThrough.resolve };
}

test("a job that was marked as sending when the bridge began to close is put back, for the next start to send", async () => {
  const { queue, changes, sent, marked, letThrough } = closingQueue();
  queue.add(JOB);
  await marked;
  const closed = queue.close();
  letThrough();
  await closed;
  assert.deepEqual(sent, []);
  assert.deepEqual(
    changes.map(({ state, started }) => [state, started]),
    [
      ["Sending", true],
      ["Queued", false],
    ],
  );
});

test("a job that comes marked as sending while the bridge closes is put back too", async () => {
  const { queue, changes, sent, letThrough } = closingQueue();
  letThrough();
  const closed = queue.close();
  queue.add({ ...JOB, state: "Sending", started: true }, Buffer.from(LABEL));
  await closed;
  assert.deepEqual(sent, []);
  assert.deepEqual([changes.at(-1)?.state, changes.at(-1)?.started], ["Queued", false]);
});

test("jobs leave nothing behind at what outlives them", async () => {
  // A label takes a while, so that each job waits for it by the backend's own signal.
  const printer = createPrinter({ pace: () => systemWait(2) });
  const signals = new Set<AbortSignal>();
  const connect = async (): Promise<Connection> => {
    let hear: (bytes: Uint8Array) => void = () => {};
    const line = printer.open((text) => hear(Buffer.from(text, "latin1")));
    return {
      write: async (bytes) => line.feed(bytes),
      end: async () => "closed",
      hasTakenAll: async () => true,
      progress: async () => "",
      destroy: () => {},
      broken: false,
      onData: (listen) => {
        hear = listen;
      },
      onEnd: () => {},
    };
  };
  const backend = createZplBackend({
    connect,
    monotonic: monotonicClock.now,
    answersOutlive: false,
    wait: (milliseconds, signal) => {
      if (signal) signals.add(signal);
      return systemWait(Math.min(milliseconds, 5), signal);
    },
    rfid: false,
    pollMs: 5,
    readMs: 1_000,
    idleMs: 60_000,
    recoverMs: 1_000,
    maxVoids: 3,
  });
  const document = { data: Buffer.from(LABEL), copies: 1, labels: 1, rfid: false, spoolerJob: undefined };
  await backend.prepare();
  for (let n = 0; n < 50; n++) {
    const { outcome } = backend.send({ id: `j${n}`, ...document, odometer: backend.odometer() }, () => {});
    assert.equal((await outcome).type, "done");
  }
  const left = [...signals].map((signal) => getEventListeners(signal, "abort").length);
  assert.ok(Math.max(...left) <= 1, `${Math.max(...left)} listeners at one signal`);
  await backend.close();
});
