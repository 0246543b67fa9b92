import type { Log } from "@frontdesk/kit/log";
import { completePrinter } from "../src/adapters/provisioning.ts";
import {
  type Backend,
  type JobDocument,
  type Report,
  type Transmission,
  untilItEnds,
} from "../src/domain/backend.ts";
import { BridgeError } from "../src/domain/errors.ts";
import { isFinal, type Job } from "../src/domain/job.ts";
import type { JobOutcome } from "../src/domain/job-machine.ts";
import type { Entry, Journal, JournalEvent } from "../src/domain/journal.ts";
import { type DeviceStatus, SILENT } from "../src/domain/printer.ts";
import { createPrinterQueues, type PrinterQueues } from "../src/domain/printer-queues.ts";

const READY: DeviceStatus = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };
const EVENT = { seq: 0, event: "job.update", origin: "o", printer: "dock", status: undefined } as const;
const NEVER = new Promise<never>(() => {});
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Numbers that look random and are the same in every run. */
export function numbers(seed: number) {
  // Far apart also for seeds that follow one another: the first number would be nearly the same for all of them.
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What is true of a job in the world, whatever the bridge believes. */
export interface Fact {
  /** How often a transmission began of which a byte was taken. */
  transmissions: number;
  printed: number;
  /** Whether the bridge was killed while the job was marked as sending. */
  killedInMark: boolean;
}

/** The bridge from one start to its stop or kill. What belongs to a dead one never goes on. */
interface Life {
  dead: boolean;
}

/**
 * A printer, a disk and a clock that do whatever they like, around the real queues and the real table. The
 * disk keeps what was written when the bridge is killed, and nothing else does.
 */
export function createWorld(seed: number) {
  const random = numbers(seed);
  const chance = (percent: number) => random(100) < percent;
  const disk = new Map<string, Job>();
  const data = new Map<string, Uint8Array>();
  const facts = new Map<string, Fact>();
  /** The order in which jobs were written, and in which their first bytes were taken. */
  const accepted: string[] = [];
  const began: string[] = [];
  const faults = { away: false, stopped: false, silent: false, diskFull: false, trouble: 30 };
  let wallClock = Date.parse("2026-01-01T00:00:00Z");
  let monotonic = 0;
  let lastId = 0;
  let life: Life = { dead: false };
  let queues = start();

  const factOf = (id: string): Fact => {
    const fact = facts.get(id) ?? { transmissions: 0, printed: 0, killedInMark: false };
    facts.set(id, fact);
    return fact;
  };

  function journalOf(mine: Life): Journal {
    const listeners = new Set<(event: JournalEvent) => void>();
    async function commit(entries: readonly Entry[]): Promise<void> {
      await turn();
      if (mine.dead) return NEVER;
      if (faults.diskFull) throw new Error("database or disk is full");
      for (const entry of entries) {
        if (entry.kind === "accepted") {
          disk.set(entry.job.id, entry.job);
          data.set(entry.job.id, entry.data);
          accepted.push(entry.job.id);
        } else if (entry.kind === "changed") {
          disk.set(entry.job, { ...(disk.get(entry.job) as Job), ...entry.change });
        }
      }
      // The disk has it, and the bridge may die before it hears of that.
      await turn();
      if (mine.dead) return NEVER;
      for (const entry of entries) {
        const job = entry.kind === "changed" ? disk.get(entry.job) : undefined;
        for (const listener of listeners) listener({ ...EVENT, job });
      }
    }
    return {
      commit,
      job: (id) => disk.get(id),
      jobByKey: () => undefined,
      data: (id) => {
        if (faults.diskFull) throw new Error("disk I/O error");
        return data.get(id) as Uint8Array;
      },
      hasData: (id) => data.has(id),
      bytes: (id) => data.get(id)?.length ?? 0,
      unfinished: () => [...disk.values()].filter(({ state }) => !isFinal(state)),
      lastEnded: (printer) =>
        [...disk.values()].findLast((job) => job.printer === printer && isFinal(job.state)),
      recent: () => [],
      search: () => ({ jobs: [], next: undefined, total: 0 }),
      lastSeq: 0,
      firstSeq: 0,
      eventsSince: () => [],
      assertWritable: async () => {},
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  async function wait(mine: Life, milliseconds: number, signal?: AbortSignal): Promise<void> {
    monotonic += milliseconds;
    if (!signal?.aborted) await turn();
    if (mine.dead) return NEVER;
  }

  /** A backend that knows everything about the printer but may not tell more than a printer would. */
  function backendOf(mine: Life): Backend {
    const closing = { now: false };
    async function status(): Promise<DeviceStatus> {
      await turn();
      if (mine.dead) return NEVER;
      if (faults.away) throw new BridgeError("PRINTER_OFFLINE", "away");
      if (faults.silent) return SILENT;
      return faults.stopped ? { ...READY, state: "stopped", reasons: ["paper-out"] } : READY;
    }

    async function print(job: JobDocument, report: Report): Promise<JobOutcome> {
      const fact = factOf(job.id);
      if (chance(faults.trouble))
        return chance(50) ? { type: "not-sent" } : { type: "not-sent", reason: "busy" };
      await turn();
      if (mine.dead) return NEVER;
      fact.transmissions++;
      began.push(job.id);
      const asked = job.labels;
      // The bytes of so many labels arrive, whatever becomes of the connection and of the bridge.
      const arriving = chance(faults.trouble) ? random(asked + 1) : asked;
      for (let printed = 0; printed < arriving; ) {
        await turn();
        if ((faults.stopped || faults.away) && chance(70)) {
          if (!mine.dead && !closing.now)
            report({ type: "stopped", reasons: ["paper-out"], count: { asked, printed } });
          continue;
        }
        fact.printed = ++printed;
        if (!mine.dead && chance(50)) report({ type: "printing", count: { asked, printed } });
      }
      if (mine.dead) return NEVER;
      if (closing.now) return { type: "interrupted" };
      const count = { asked, printed: arriving };
      // A counter tells that all came out; where fewer did, nobody can tell whether more will.
      if (arriving === asked && chance(90)) return { type: "done", verification: "printer", count };
      return { type: "lost", verification: "none", count };
    }

    const recover = async (job: JobDocument): Promise<JobOutcome> => {
      await turn();
      if (mine.dead) return NEVER;
      const { printed } = factOf(job.id);
      const count = { asked: job.labels, printed };
      return printed === job.labels && chance(50)
        ? { type: "done", verification: "printer", count }
        : { type: "lost", verification: "none", count };
    };

    return {
      isReady: () => !faults.away && !faults.stopped && !faults.silent && chance(60),
      odometer: () => undefined,
      status,
      prepare: status,
      send: (job, report): Transmission => untilItEnds(print(job, report)),
      recover: (job) => untilItEnds(recover(job)),
      idle: () => {},
      close: async () => {
        closing.now = true;
        await turn();
      },
    };
  }

  function start(): PrinterQueues {
    const mine = life;
    const printer = completePrinter({ id: "dock", transport: "tcp", address: "127.0.0.1" });
    const printers = {
      get: () => printer,
      version: () => 1,
      generation: () => 0,
      all: () => [printer],
      put: () => {},
      remove: () => false,
    };
    const silentLog = { error: () => {}, info: () => {}, warn: () => {}, debug: () => {} } as unknown as Log;
    const made = createPrinterQueues({
      registry: {
        printers,
        origins: { ...printers, get: () => undefined, all: () => [] },
        revision: () => 1,
      },
      journal: journalOf(mine),
      clock: { now: () => wallClock },
      monotonic: () => monotonic,
      ids: { next: () => `j${++lastId}` },
      wait: (milliseconds, signal) => wait(mine, milliseconds, signal),
      log: silentLog,
      backendFor: () => backendOf(mine),
      maxWaiting: 1_000,
      maxWaitingBytes: 1_000_000,
      retryMs: 1_000,
      giveUpMs: 60_000,
      watchMs: 5_000,
    });
    made.refresh();
    return made;
  }

  return {
    random,
    chance,
    disk,
    accepted,
    began,
    faults,
    factOf,
    turn,
    submit(labels: number): void {
      const printer = completePrinter({ id: "dock", transport: "tcp", address: "127.0.0.1" });
      const request = { origin: "o", alias: "dock", printer, data: Buffer.from("x"), copies: 1, labels };
      // Whether it was accepted is told by the disk.
      queues
        .accept({ ...request, language: "zpl", rfid: false, key: undefined, assertStill: () => {} })
        .catch(() => {});
    },
    stepClock(): void {
      wallClock += random(2) ? 3_600_000 * 24 * 400 : -3_600_000 * 24 * 400;
    },
    kill(): void {
      life.dead = true;
      for (const job of disk.values()) if (job.state === "Sending") factOf(job.id).killedInMark = true;
      life = { dead: false };
      queues = start();
    },
    async stop(): Promise<void> {
      await queues.close();
      life.dead = true;
      life = { dead: false };
      queues = start();
    },
    async heal(): Promise<void> {
      Object.assign(faults, { away: false, stopped: false, silent: false, diskFull: false, trouble: 0 });
      for (let turns = 0; turns < 20_000; turns++) {
        if ([...disk.values()].every(({ state }) => isFinal(state))) return;
        await turn();
      }
    },
    end: () => {
      life.dead = true;
    },
  };
}
