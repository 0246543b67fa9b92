import type { Log } from "@frontdesk/kit/log";
import { createPrinter, type PrinterOptions } from "@frontdesk/print-simulator/printer";
import { createZplBackend } from "../src/backends/zpl-backend.ts";
import type { Wait } from "../src/domain/backend.ts";
import type { Connection } from "../src/domain/connection.ts";
import { BridgeError } from "../src/domain/errors.ts";
import { isFinal, type Job } from "../src/domain/job.ts";
import type { Entry } from "../src/domain/journal.ts";
import { createPrinterQueue, type PrinterQueue } from "../src/domain/printer-queue.ts";
import { virtualTime } from "./virtual-time.ts";

const NEVER = new Promise<never>(() => {});

/** The bridge from one start to its end. What belongs to a dead one never goes on. */
interface Life {
  isDead: boolean;
}

type Simulated = ReturnType<typeof createPrinter>;
export interface DeskOptions {
  readonly printer?: (time: ReturnType<typeof virtualTime>) => PrinterOptions;
  readonly rfid?: boolean;
  /** A serial or USB line: the printer knows nothing of connections, and what it says is heard on the next one. */
  readonly answersOutlive?: boolean;
}

/** The real queue and the real backend at a simulated printer, all in memory and in a time of their own. */
export function zplDesk(options: DeskOptions = {}) {
  const time = virtualTime();
  const printer = createPrinter(options.printer?.(time));
  /**
   * `hides`: answers that never arrive. `alters`: what arrives in place of an answer. `secondsPerKiB`: how long the line takes; forever while the printer takes nothing.
   * `lagMs`: how long a box before the printer keeps what it has taken.
   */
  const wire: {
    printer: Simulated;
    isAway: boolean;
    hides: Pick<RegExp, "test"> | undefined;
    alters: (text: string) => string;
    secondsPerKiB: number;
    lagMs: number;
  } = {
    printer,
    isAway: false,
    hides: undefined,
    alters: (text) => text,
    secondsPerKiB: 0,
    lagMs: 0,
  };
  const lines = new Set<(isLost: boolean) => void>();
  /** What the disk has. */
  const jobs = new Map<string, Job>();
  const data = new Map<string, Uint8Array>();
  let device = "10.0.0.1";
  let connections = 0;
  let life = startQueue();
  /** The line that all connections to a printer share, and what was said while there was none. */
  let unheard = "";
  let onAnswer: ((text: string) => void) | undefined;
  let sharedLine: (ReturnType<Simulated["open"]> & { readonly of: Simulated }) | undefined;

  function openLine(hear: (text: string) => void): ReturnType<Simulated["open"]> {
    if (!options.answersOutlive) return wire.printer.open(hear);
    if (sharedLine?.of !== wire.printer) {
      const tell = (text: string) => {
        if (onAnswer) onAnswer(text);
        else unheard += text;
      };
      sharedLine = { ...wire.printer.open(tell), of: wire.printer };
    }
    const { feed, close } = sharedLine;
    onAnswer = hear;
    if (unheard !== "") hear(unheard);
    unheard = "";
    return {
      feed,
      close: (isLost) => {
        if (onAnswer === hear) onAnswer = undefined;
        if (!isLost) return;
        close(true);
        sharedLine = undefined;
      },
    };
  }

  async function connect(mine: Life): Promise<Connection> {
    if (mine.isDead) return NEVER;
    if (wire.isAway) throw new BridgeError("PRINTER_OFFLINE", "away");
    connections++;
    let tell: (bytes: Uint8Array) => void = () => {};
    const endings: Array<() => void> = [];
    let broken = false;
    let taken = 0;
    /** What the printer says in one turn arrives in one piece. */
    let said = "";
    const line = openLine((text) => {
      if (said === "")
        queueMicrotask(() => {
          const piece = said;
          said = "";
          if (!broken && piece !== "") tell(Buffer.from(piece, "latin1"));
        });
      if (!wire.hides?.test(text)) said += wire.alters(text);
    });
    const finish = (isLost: boolean) => {
      if (broken) return;
      broken = true;
      lines.delete(finish);
      line.close(isLost);
      for (const ended of endings) ended();
    };
    lines.add(finish);
    return {
      write: async (bytes) => {
        if (broken) throw new Error("the connection is closed");
        for (let at = 0; at < bytes.length; at += 1024) {
          if (wire.secondsPerKiB > 0) await time.wait(1_000 * wire.secondsPerKiB);
          if (broken) throw new Error("the connection is closed");
          const piece = bytes.subarray(at, at + 1024);
          if (wire.lagMs > 0) void time.wait(wire.lagMs).then(() => line.feed(piece));
          else line.feed(piece);
          taken++;
        }
      },
      end: async () => {
        finish(false);
        return "closed";
      },
      hasTakenAll: async () => true,
      progress: async () => String(taken),
      destroy: () => finish(false),
      get broken() {
        return broken;
      },
      onData: (listen) => {
        tell = listen;
      },
      onEnd: (listen) => void (broken ? listen() : endings.push(listen)),
    };
  }

  function startQueue(): Life & { queue: PrinterQueue } {
    const mine = { isDead: false };
    const commit = async (entries: readonly Entry[]) => {
      await Promise.resolve();
      if (mine.isDead) return NEVER;
      for (const entry of entries)
        if (entry.kind === "changed")
          jobs.set(entry.job, { ...(jobs.get(entry.job) as Job), ...entry.change });
    };
    const log = { error: () => {}, info: () => {}, warn: () => {}, debug: () => {} } as unknown as Log;
    const { monotonic } = time;
    const wait: Wait = async (milliseconds, signal) => {
      await time.wait(milliseconds, signal);
      if (mine.isDead) return NEVER;
    };
    const queue = createPrinterQueue({
      printer: "dock",
      device,
      backend: createZplBackend({
        connect: () => connect(mine),
        monotonic,
        wait,
        rfid: options.rfid ?? false,
        answersOutlive: options.answersOutlive ?? false,
        readMs: 2_000,
        idleMs: 2_000,
        recoverMs: 30_000,
        pollMs: 250,
        maxVoids: 3,
      }),
      journal: {
        commit,
        data: (id) => data.get(id) as Uint8Array,
        hasData: (id) => data.has(id),
        lastEnded: () => [...jobs.values()].findLast(({ state }) => isFinal(state)),
      },
      wait,
      monotonic,
      log,
      retryMs: 1_000,
      giveUpMs: 60_000,
      onStatus: () => {},
    });
    for (const job of jobs.values()) if (!isFinal(job.state)) queue.takeUp(job);
    return Object.assign(mine, { queue });
  }

  async function close(): Promise<void> {
    let closed = false;
    void life.queue.close().then(() => {
      closed = true;
    });
    await time.until(() => closed);
  }

  return {
    time,
    wire,
    jobs,
    get queue() {
      return life.queue;
    },
    get connections() {
      return connections;
    },
    /** A job of some labels, each of which bears its name; `format` is sent as often as there are copies. */
    submit(id: string, labels = 1, format = `^XA^FX${id};^FO9,9^FDx^FS^XZ`, copies = labels): void {
      const job: Job = {
        id,
        origin: "o",
        printer: "dock",
        alias: "dock",
        state: "Queued",
        started: false,
        verification: "none",
        language: "zpl",
        copies,
        rfid: options.rfid ?? false,
        count: { asked: labels, printed: 0 },
        reasons: [],
        error: undefined,
        odometer: undefined,
        createdAt: 0,
        updatedAt: 0,
      };
      jobs.set(id, job);
      data.set(id, Buffer.from(format, "latin1"));
      life.queue.add(job);
    },
    job: (id: string) => jobs.get(id) as Job,
    labelsOf: (id: string, of: Simulated = wire.printer) =>
      of.labels.filter(({ zpl, voided }) => !voided && zpl.includes(`^FX${id};`)).length,
    allEnded: () => [...jobs.values()].every(({ state }) => isFinal(state)),
    /** The printer loses its power: what it had not printed is gone, its counter is not. */
    cutPower(): void {
      for (const finish of [...lines]) finish(true);
      wire.printer.cancel();
    },
    /** The connection breaks; the printer goes on. */
    dropLine(): void {
      for (const finish of [...lines]) finish(false);
    },
    /** The bridge is killed, and started again. */
    restart(): void {
      life.isDead = true;
      for (const finish of [...lines]) finish(false);
      life = startQueue();
    },
    close,
    /** The administrator gives the printer another address. */
    async moveTo(address: string): Promise<void> {
      await close();
      device = address;
      life = startQueue();
    },
  };
}
