import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "@frontdesk/kit/log";
import { completePrinter } from "../src/adapters/provisioning.ts";
import { type Backend, untilItEnds } from "../src/domain/backend.ts";
import { BridgeError } from "../src/domain/errors.ts";
import { isFinal, type Job } from "../src/domain/job.ts";
import type { Entry, Journal } from "../src/domain/journal.ts";
import type { DeviceStatus, PrinterRecord } from "../src/domain/printer.ts";
import { createPrinterQueues } from "../src/domain/printer-queues.ts";
import type { Table } from "../src/domain/registry.ts";

const READY: DeviceStatus = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };
const STOPPED: DeviceStatus = { ...READY, state: "stopped", reasons: ["paper-out"] };
const DOCK = completePrinter({ id: "dock", transport: "tcp", address: "10.0.0.1" });
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** The real queues around a printer and a disk that do as they are told, in a time that passes when it is told to. */
function world() {
  const printer: Record<"status" | "prepare", () => Promise<DeviceStatus>> & { close: () => Promise<void> } =
    {
      status: async () => READY,
      prepare: async () => READY,
      close: async () => {},
    };
  const disk = { isFull: false };
  const jobs = new Map<string, Job>();
  const accepted: string[] = [];
  const statuses: string[] = [];
  const printers = new Map<string, PrinterRecord>([[DOCK.id, DOCK]]);
  let revision = 1;
  const sleepers: Array<() => void> = [];
  let lastId = 0;

  async function commit(entries: readonly Entry[]): Promise<void> {
    await Promise.resolve();
    if (disk.isFull) throw new Error("database or disk is full");
    for (const entry of entries) {
      if (entry.kind === "status") statuses.push(entry.status.state);
      else if (entry.kind === "changed")
        jobs.set(entry.job, { ...(jobs.get(entry.job) as Job), ...entry.change });
      else {
        jobs.set(entry.job.id, entry.job);
        accepted.push(entry.job.alias);
      }
    }
  }

  const backend: Backend = {
    isReady: () => false,
    odometer: () => undefined,
    status: () => printer.status(),
    prepare: () => printer.prepare(),
    send: () => untilItEnds(new Promise(() => {})),
    recover: () => untilItEnds(new Promise(() => {})),
    idle: () => {},
    close: () => printer.close(),
  };
  const all = <T>(records: ReadonlyMap<string, T>) =>
    ({
      get: (id) => records.get(id),
      all: () => [...records.values()],
      generation: () => 0,
    }) as Partial<Table<T>> as Table<T>;
  const queues = createPrinterQueues({
    registry: { printers: all(printers), origins: all(new Map()), revision: () => revision },
    journal: {
      commit,
      data: () => new Uint8Array(1),
      bytes: () => 1,
      hasData: () => true,
      lastEnded: () => undefined,
      unfinished: () => [...jobs.values()].filter(({ state }) => !isFinal(state)),
      listen: () => () => {},
    } as unknown as Journal,
    clock: { now: () => 0 },
    monotonic: () => 0,
    ids: { next: () => String(++lastId) },
    wait: (_milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        sleepers.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
    log: { error: () => {}, info: () => {}, warn: () => {}, debug: () => {} } as unknown as Log,
    backendFor: () => backend,
    maxWaiting: 100,
    maxWaitingBytes: 100,
    retryMs: 1_000,
    giveUpMs: 60_000,
    watchMs: 5_000,
  });
  queues.refresh();
  return {
    printer,
    disk,
    jobs,
    accepted,
    statuses,
    queues,
    submit: (alias: string) =>
      queues.accept({
        origin: "o",
        alias,
        printer: DOCK,
        data: new Uint8Array(1),
        copies: 1,
        labels: 1,
        language: "zpl",
        rfid: false,
        key: undefined,
        assertStill: () => {},
      }),
    removePrinter: () => {
      printers.clear();
      revision++;
      queues.refresh();
    },
    addPrinter: (printer = DOCK) => {
      printers.set(DOCK.id, printer);
      revision++;
      queues.refresh();
    },
    /** All that wait for a while have waited it. */
    async pass(): Promise<void> {
      for (const wake of sleepers.splice(0)) wake();
      await turns();
    },
  };
}

test("a job that comes while another waits to hear from the printer does not overtake it", async () => {
  const { printer, submit, accepted, pass, queues } = world();
  await turns();
  printer.prepare = async () => STOPPED;
  await submit("first");
  await turns();
  const away = new BridgeError("PRINTER_OFFLINE", "away");
  printer.prepare = () => Promise.reject(away);
  await pass();
  assert.equal(queues.lastStatus("dock").online, false);
  // The printer is back: the queue hears of it while the second job's own question is under way.
  const { promise, resolve } = Promise.withResolvers<DeviceStatus>();
  printer.status = () => promise;
  printer.prepare = async () => STOPPED;
  const second = submit("second");
  await pass();
  assert.equal(queues.lastStatus("dock").online, true);
  const third = submit("third");
  await turns();
  resolve(READY);
  await Promise.all([second, third]);
  assert.deepEqual(accepted, ["first", "second", "third"]);
  await queues.close();
});

test("a printer's status that the disk refused is told when there is room again", async () => {
  const { printer, disk, statuses, pass, queues } = world();
  await turns();
  disk.isFull = true;
  printer.status = async () => STOPPED;
  await pass();
  await pass();
  disk.isFull = false;
  await pass();
  await pass();
  assert.deepEqual(statuses, ["ready", "stopped"]);
  await queues.close();
});

test("jobs of a removed printer whose end the disk refused end when there is room again", async () => {
  const { printer, disk, jobs, submit, removePrinter, pass, queues } = world();
  printer.prepare = async () => STOPPED;
  const id = await submit("dock");
  await turns();
  disk.isFull = true;
  removePrinter();
  await turns();
  disk.isFull = false;
  await pass();
  assert.equal(jobs.get(id)?.state, "Failed");
  await queues.close();
});

for (const isFull of [false, true])
  test(`jobs of a removed printer are not printed by one that is added by its name before its queue has closed${isFull ? ", on a full disk" : ""}`, async () => {
    const { printer, disk, jobs, submit, removePrinter, addPrinter, pass, queues } = world();
    printer.prepare = async () => STOPPED;
    const id = await submit("dock");
    await turns();
    const closing = Promise.withResolvers<void>();
    printer.close = () => closing.promise;
    removePrinter();
    addPrinter();
    disk.isFull = isFull;
    printer.prepare = async () => READY;
    closing.resolve();
    await pass();
    await pass();
    if (isFull) assert.equal(jobs.get(id)?.state, "Held");
    disk.isFull = false;
    await pass();
    assert.deepEqual([jobs.get(id)?.state, jobs.get(id)?.error?.code], ["Failed", "PRINTER_UNBOUND"]);
    printer.prepare = async () => STOPPED;
    const next = await submit("dock");
    await turns();
    assert.equal(jobs.get(next)?.state, "Held");
    printer.close = async () => {};
    await queues.close();
  });

test("a job that waits is not sent to a printer that was given another language meanwhile", async () => {
  const { printer, jobs, submit, addPrinter, pass, queues } = world();
  printer.prepare = async () => STOPPED;
  const id = await submit("dock");
  await turns();
  addPrinter({ ...DOCK, languages: ["epl"] });
  printer.prepare = async () => READY;
  await pass();
  await pass();
  const { state, error, started } = jobs.get(id) as Job;
  assert.deepEqual([state, error?.code, started], ["Failed", "LANGUAGE_MISMATCH", false]);
  await queues.close();
});
