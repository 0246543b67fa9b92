import type { DatabaseSync } from "node:sqlite";
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  RateLimiterSQLite,
} from "rate-limiter-flexible";

/** Where the counts are kept: alone in this process, across restarts, or shared by several copies. */
export type LimitStore =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly database: DatabaseSync }
  | { readonly kind: "postgres"; readonly pool: unknown };

export interface RateLimit {
  /** Counts one more; answers how many seconds to wait when that is too many, else undefined. */
  consume(key: string): Promise<number | undefined>;
  /** How many seconds to wait when nothing more may be counted; counts nothing. */
  wait(key: string): Promise<number | undefined>;
}

export interface LimitOptions {
  /** Names the limit within its store. */
  readonly name: string;
  readonly most: number;
  readonly perSeconds: number;
}

/** What PostgreSQL says to whoever comes second: duplicate table, unique violation in its catalogue. */
const ALREADY_THERE = new Set(["42P07", "42710", "23505"]);

/** A limit on how often something may be done with one key in a span of time. */
export async function createRateLimit(store: LimitStore, options: LimitOptions): Promise<RateLimit> {
  const common = { keyPrefix: options.name, points: options.most, duration: options.perSeconds };
  const create = (done: (error?: Error) => void) => {
    switch (store.kind) {
      case "memory":
        queueMicrotask(done);
        return new RateLimiterMemory(common);
      case "sqlite":
        return new RateLimiterSQLite(
          {
            ...common,
            storeClient: likeBetterSqlite(store.database),
            storeType: "better-sqlite3",
            tableName: "rate_limits",
            clearExpiredByTimeout: true,
          },
          done,
        );
      case "postgres":
        return new RateLimiterPostgres(
          { ...common, storeClient: store.pool, tableName: "rate_limits", clearExpiredByTimeout: true },
          done,
        );
    }
  };
  const limiter = await ready(create).catch((error) => {
    // Copies that start at once may create the table at once; all but one are told that it is there.
    if (!ALREADY_THERE.has(error.code)) throw error;
    return ready(create);
  });
  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));
  return {
    wait: async (key) => {
      const counted = await limiter.get(key);
      return counted && counted.remainingPoints <= 0 ? seconds(counted.msBeforeNext) : undefined;
    },
    consume: async (key) => {
      try {
        await limiter.consume(key);
        return undefined;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return seconds(refusal.msBeforeNext);
      }
    },
  };
}

function ready<T>(create: (done: (error?: Error) => void) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const limiter = create((error) => (error ? reject(error) : resolve(limiter)));
  });
}

/** The library knows better-sqlite3, whose two calls that it makes are easily had from `node:sqlite`. */
function likeBetterSqlite(database: DatabaseSync) {
  return {
    prepare: (sql: string) => database.prepare(sql),
    transaction: (work: () => unknown) => () => {
      database.exec("begin immediate");
      try {
        const result = work();
        database.exec("commit");
        return result;
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    },
  };
}
