import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Clock, steadyClock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { Kysely, PostgresDialect, sql } from "kysely";
import { databaseError, isLocked } from "./database-away.ts";
import { openPostgresPool, withoutSilentConnections } from "./postgres-pool.ts";
import { sqliteConnection } from "./sqlite-connection.ts";
import { nodeSqliteDialect } from "./sqlite-dialect.ts";
import { startProblem } from "./sqlite-store.ts";

/** Nothing else runs while SQLite waits for another process's lock, and nobody else writes this file for long. */
const BUSY_WAIT_MS = 100;
const MAX_CONNECTIONS = 4;
const CLEAN_UP_EVERY_MS = 5 * 60_000;
/** No count is kept longer: one that says so was written while the clock was ahead. */
export const MAX_SPAN_MS = 24 * 3_600_000;
/** What PostgreSQL says to whoever creates a table second: duplicate table, unique violation in its catalogue. */
const ALREADY_THERE = new Set(["42P07", "42710", "23505"]);

/** The columns are as earlier versions have them. */
interface Tables {
  rate_limits: { key: string; points: number; expire: number };
}

export interface Count {
  readonly points: number;
  /** Until the count begins anew. */
  readonly remainingMs: number;
}

/** Counts by key, each kept for a span of time that begins with its first point. */
export interface LimitStore {
  add(key: string, spanMs: number): Promise<Count>;
  /** Takes one point back, if the span it was counted in has not ended. */
  giveBack(key: string, spanMs: number): Promise<void>;
  find(key: string, spanMs: number): Promise<Count | undefined>;
  /** Deletes what has ended. Done now and then anyway. */
  cleanUp(): Promise<void>;
  close(): Promise<void>;
}

export interface LimitStoreTools {
  readonly clock: Clock;
  readonly monotonic: Clock;
  readonly log: Log;
}

/**
 * Where counts are kept: beside the accounts on PostgreSQL, so that all copies count together; else in
 * a file of their own, which no writer of accounts ever waits for.
 */
export async function openLimitStore(
  databaseUrl: URL,
  home: string,
  tools: LimitStoreTools,
): Promise<LimitStore> {
  if (databaseUrl.protocol === "file:") {
    const database = openFile(join(home, "limits.db"), tools.log);
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(sqliteConnection(database, () => {})) });
    return limitStore(db, steadyClock(tools.clock, tools.monotonic), tools.log);
  }
  const pool = openPostgresPool(databaseUrl, { max: MAX_CONNECTIONS });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: withoutSilentConnections(pool, new Map()) }),
  });
  // The copies' monotonic clocks have nothing in common.
  return limitStore(db, tools.clock, tools.log);
}

/** Counts that end with the process. */
export function memoryLimitStore(clock: Clock, log: Log): Promise<LimitStore> {
  const connection = sqliteConnection(new DatabaseSync(":memory:"), () => {});
  return limitStore(new Kysely<Tables>({ dialect: nodeSqliteDialect(connection) }), clock, log);
}

async function limitStore(db: Kysely<Tables>, clock: Clock, log: Log): Promise<LimitStore> {
  const createTable = () =>
    db.schema
      .createTable("rate_limits")
      .ifNotExists()
      .addColumn("key", "text", (column) => column.primaryKey())
      .addColumn("points", "integer", (column) => column.notNull())
      .addColumn("expire", "bigint", (column) => column.notNull())
      .execute();
  try {
    // Copies that start at once may create the table at once; all but one are told that it is there.
    await createTable().catch((error) =>
      ALREADY_THERE.has(error.code) ? createTable() : Promise.reject(error),
    );
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const cleaning = setInterval(() => {
    store
      .cleanUp()
      .catch((err) => log.warn({ err }, "limits: ended counts could not be deleted; trying again"));
  }, CLEAN_UP_EVERY_MS);
  cleaning.unref();

  /** An end further ahead than the span was written while the clock was ahead: the count begins anew. */
  const isLive = (now: number, spanMs: number) =>
    sql<boolean>`rate_limits.expire > ${now} and rate_limits.expire <= ${now + spanMs}`;

  const store: LimitStore = {
    add: async (key, spanMs) => {
      const now = Math.round(clock.now());
      const live = isLive(now, spanMs);
      const { points, expire } = await asked(
        db
          .insertInto("rate_limits")
          .values({ key, points: 1, expire: now + spanMs })
          .onConflict((conflict) =>
            conflict.column("key").doUpdateSet({
              points: sql<number>`case when ${live} then rate_limits.points + 1 else 1 end`,
              expire: sql<number>`case when ${live} then rate_limits.expire else excluded.expire end`,
            }),
          )
          .returning(["points", "expire"])
          .executeTakeFirstOrThrow(),
      );
      return { points, remainingMs: expire - now };
    },
    giveBack: async (key, spanMs) => {
      const now = Math.round(clock.now());
      await asked(
        db
          .updateTable("rate_limits")
          .set({ points: sql<number>`points - 1` })
          .where("key", "=", key)
          .where("points", ">", 0)
          .where(isLive(now, spanMs))
          .execute(),
      );
    },
    find: async (key, spanMs) => {
      const now = Math.round(clock.now());
      const row = await asked(
        db
          .selectFrom("rate_limits")
          .select(["points", "expire"])
          .where("key", "=", key)
          .where(isLive(now, spanMs))
          .executeTakeFirst(),
      );
      return row && { points: row.points, remainingMs: row.expire - now };
    },
    cleanUp: async () => {
      const now = Math.round(clock.now());
      await asked(
        db
          .deleteFrom("rate_limits")
          .where(({ or, eb }) => or([eb("expire", "<=", now), eb("expire", ">", now + MAX_SPAN_MS)]))
          .execute(),
      );
    },
    close: async () => {
      clearInterval(cleaning);
      await db.destroy();
    },
  };
  return store;
}

async function asked<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw databaseError(error);
  }
}

/** A damaged file is replaced: it holds counts of the last hours and nothing that a backup would bring back. */
function openFile(path: string, log: Log): DatabaseSync {
  const open = () => {
    const database = new DatabaseSync(path, { timeout: BUSY_WAIT_MS });
    try {
      database.exec("pragma journal_mode = wal; pragma synchronous = off");
      // Reads the whole of the file's index of tables, and takes the lock that writers need.
      database.exec("begin immediate; select count(*) from sqlite_schema; rollback");
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    if (!startProblem(path, error)) throw unusable(path, error as Error);
    log.warn({ err: error }, `${path} is damaged; it is replaced, and all limits count from zero`);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return open();
  }
}

function unusable(path: string, error: Error): StartProblem {
  return new StartProblem(
    isLocked(error)
      ? `The file ${path} is locked by another process: end that process, and start again.`
      : `The file ${path} cannot be opened (${error.message}): make it writable, or delete it (it holds counts of the last hour).`,
  );
}
