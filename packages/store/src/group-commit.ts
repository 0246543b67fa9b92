import { openBatch } from "./batch.ts";
import { databaseError, isLocked } from "./database-away.ts";
import type { Batch } from "./store.ts";

/** The transaction statements of one connection, all synchronous. */
export interface CommitLog {
  begin(): void;
  commit(): void;
  rollback(): void;
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
}

interface Writer {
  run(batch: Batch): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const MAX_WRITERS = 256;
const MAX_BATCH_MS = 10;
/** How long another process may hold the write lock before writers here are told that it is busy. */
const MAX_BUSY_MS = 5_000;
const MAX_BUSY_PAUSE_MS = 25;

/**
 * Lets concurrent writers share one durable commit. Writers that arrive while the disk is busy with
 * the last batch form the next one; each runs in its own savepoint, so that one that fails takes
 * back only its own changes. Nobody is answered before the commit.
 */
export function createGroupCommit(log: CommitLog, counts: { commits: number; writes: number }) {
  const waiting: Writer[] = [];
  let busy: Promise<void> | undefined;

  async function runBatch(): Promise<void> {
    const answers: Array<() => void> = [];
    const writers: Writer[] = [];
    const batch = openBatch();
    try {
      await beginWhenFree();
      const startedAt = performance.now();
      while (writers.length < MAX_WRITERS && performance.now() - startedAt < MAX_BATCH_MS) {
        const writer = waiting.shift();
        if (!writer) break;
        writers.push(writer);
        answers.push(await runInSavepoint(writer, batch));
      }
      await batch.finish();
      log.commit();
    } catch (error) {
      // The transaction as a whole is lost (a full disk, a broken file): so is everyone in it.
      const lost = writers.length > 0 ? writers : waiting.splice(0);
      for (const writer of lost) writer.reject(databaseError(error));
      try {
        log.rollback();
      } catch {
        // They have been told why; what is wrong with the file is found again by the next who begins.
      }
      return;
    }
    counts.commits++;
    counts.writes += writers.length;
    for (const answer of answers) answer();
  }

  /** Another process may hold the write lock. Whoever waits for it must not hold up everyone else here. */
  async function beginWhenFree(): Promise<void> {
    const startedAt = performance.now();
    for (let wait = 1; ; wait = Math.min(2 * wait, MAX_BUSY_PAUSE_MS)) {
      try {
        return log.begin();
      } catch (error) {
        if (!isLocked(error) || performance.now() - startedAt > MAX_BUSY_MS) throw databaseError(error);
      }
      await new Promise((next) => setTimeout(next, wait));
    }
  }

  async function runInSavepoint(writer: Writer, batch: Batch): Promise<() => void> {
    log.savepoint();
    try {
      const value = await writer.run(batch);
      log.release();
      return () => writer.resolve(value);
    } catch (error) {
      rollBack(error);
      return () => writer.reject(databaseError(error));
    }
  }

  /** Some errors, a full disk among them, make SQLite roll the whole transaction back: then there is no savepoint. */
  function rollBack(error: unknown): void {
    try {
      log.rollbackToSavepoint();
    } catch {
      throw error;
    }
  }

  async function runUntilIdle(): Promise<void> {
    while (waiting.length > 0) {
      // Requests that are already here get their say before the transaction opens.
      await new Promise((next) => setImmediate(next));
      await runBatch();
    }
    busy = undefined;
  }

  return {
    write<T>(run: (batch: Batch) => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ run, resolve: resolve as (value: unknown) => void, reject });
        busy ??= runUntilIdle();
      });
    },
    /** Resolves when every writer that has come was answered. */
    idle: async () => busy,
  };
}
