import { DatabaseSync } from "node:sqlite";
import type { Log } from "@frontdesk/kit/log";

const CHECK_EVERY_MS = 100;
/** Pages in the WAL that are worth a checkpoint: it keeps the disk busy, and commits meanwhile are slower. */
const LONG_WAL = 4096;
/** So few are left to the writer, which checkpoints them while its clients wait. */
const MAX_LEFT_TO_WRITER = 1024;
const MAX_PASSES = 4;

export interface Wal {
  /** Pages in the WAL, and how many of them are in the database already. */
  size(): { log: number; checkpointed: number };
  checkpoint(): { log: number; checkpointed: number };
  close(): void;
}

/** A second connection to the writer's database. */
export function openWal(path: string): Wal {
  const database = new DatabaseSync(path);
  const size = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  const passive = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  return {
    size: () => size.get() as unknown as ReturnType<Wal["size"]>,
    checkpoint: () => passive.get() as unknown as ReturnType<Wal["size"]>,
    close: () => database.close(),
  };
}

/**
 * Checkpoints the WAL from another connection than the writer's, so that no exchange waits for it.
 * What came in during one pass is less than before it; the writer then checkpoints the little that
 * is left and restarts the WAL, in the space it has already (`restart`). A disk that is full costs
 * a checkpoint, never the process.
 */
export class Checkpoints {
  readonly #wal: Wal;
  readonly #restart: () => Promise<unknown>;
  readonly #log: Pick<Log, "error" | "info">;
  #failing = false;
  #running = false;

  constructor(wal: Wal, restart: () => Promise<unknown>, log: Pick<Log, "error" | "info">) {
    this.#wal = wal;
    this.#restart = restart;
    this.#log = log;
  }

  start(): () => void {
    const timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    return () => {
      clearInterval(timer);
      this.#wal.close();
    };
  }

  async check(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      const { log, checkpointed } = this.#wal.size();
      if (log - checkpointed >= LONG_WAL) await this.#run();
    } catch (error) {
      if (!this.#failing) this.#log.error({ err: error }, "checkpoint failed; trying again");
      this.#failing = true;
    } finally {
      this.#running = false;
    }
  }

  async #run(): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const { log, checkpointed } = this.#wal.checkpoint();
      if (log - checkpointed < MAX_LEFT_TO_WRITER) break;
    }
    if (this.#failing) this.#log.info({}, "checkpoint done");
    this.#failing = false;
    await this.#restart();
  }
}
