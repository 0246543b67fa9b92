import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Clock, steadyClock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { withinTimeLimit } from "@frontdesk/kit/time-limit";
import { Kysely, PostgresDialect, sql } from "kysely";
import { databaseError, isLocked } from "./database-away.ts";
import { openPostgresPool, withoutSilentConnections } from "./postgres-pool.ts";
import { sqliteConnection } from "./sqlite-connection.ts";
import { DamagedFile, isDamaged } from "./sqlite-damage.ts";
import { nodeSqliteDialect } from "./sqlite-dialect.ts";
import { keepFromOthers } from "./sqlite-file.ts";

/** Nothing else runs while SQLite waits for another process's lock, and nobody else writes this file for long. */
const BUSY_WAIT_MS = 100;
const MAX_CONNECTIONS = 4;
const CLOSE_LIMIT_MS = 3_000;
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
  /** Counts one more, unless there are `max` already: answers then how many milliseconds they still count. */
  add(key: string, spanMs: number, max: number): Promise<number | undefined>;
  /**
   * Takes one point back, if the span it was counted in has not ended. It never fails: what it belongs to is done, and a
   * point too many is told in the log.
   */
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
    const path = join(home, "limits.db");
    return limitStore(overSqlite(openFile(path, tools.log)), {
      clock: steadyClock(tools.clock, tools.monotonic),
      log: tools.log,
      replace: (damage) => {
        discard(path, damage, tools.log);
        return overSqlite(openFile(path, tools.log));
      },
    });
  }
  const pool = openPostgresPool(databaseUrl, { max: MAX_CONNECTIONS });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: withoutSilentConnections(pool, new Map()) }),
  });
  // The copies' monotonic clocks have nothing in common.
  return limitStore(db, tools);
}

/** Counts that end with the process. */
export function memoryLimitStore(clock: Clock, log: Log): Promise<LimitStore> {
  return limitStore(overSqlite(new DatabaseSync(":memory:")), { clock, log });
}

const overSqlite = (database: DatabaseSync) =>
  new Kysely<Tables>({ dialect: nodeSqliteDialect(sqliteConnection(database, () => {})) });

/** The database with its table; closed where that cannot be. */
async function withTable(db: Kysely<Tables>): Promise<Kysely<Tables>> {
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
  return db;
}

interface LimitStoreParts {
  readonly clock: Clock;
  readonly log: Log;
  /** An empty database in place of a damaged one, where there can be one. */
  readonly replace?: (damage: unknown) => Kysely<Tables>;
}

async function limitStore(db: Kysely<Tables>, { clock, log, replace }: LimitStoreParts): Promise<LimitStore> {
  let current = withTable(db);
  /** A replacement that could not be made: whoever asks next tries again. */
  let failed: Promise<Kysely<Tables>> | undefined;
  await current;

  async function asked<T>(query: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const used = current;
    try {
      return await query(await used);
    } catch (error) {
      // Of several that found the damage, or the closed file, the first replaces it; all ask again.
      if (used === current) {
        if (!replace || !(isDamaged(error) || used === failed)) throw databaseError(error);
        const closed = used === failed ? Promise.resolve() : used.then((old) => old.destroy());
        const next = closed.then(() => withTable(replace(error)));
        next.catch(() => {
          failed = next;
        });
        current = next;
      }
    }
    try {
      return await query(await current);
    } catch (error) {
      throw databaseError(error);
    }
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
    add: async (key, spanMs, max) => {
      const now = Math.round(clock.now());
      const live = isLive(now, spanMs);
      const counted = await asked((db) =>
        db
          .insertInto("rate_limits")
          .values({ key, points: 1, expire: now + spanMs })
          .onConflict((conflict) =>
            conflict
              .column("key")
              .doUpdateSet({
                points: sql<number>`case when ${live} then rate_limits.points + 1 else 1 end`,
                expire: sql<number>`case when ${live} then rate_limits.expire else excluded.expire end`,
              })
              .where(sql<boolean>`rate_limits.points < ${max} or not (${live})`),
          )
          .returning("points")
          .executeTakeFirst(),
      );
      if (counted) return undefined;
      // It may have been given back, or have ended, since.
      return (await store.find(key, spanMs))?.remainingMs ?? 0;
    },
    giveBack: async (key, spanMs) => {
      const now = Math.round(clock.now());
      await asked((db) =>
        db
          .updateTable("rate_limits")
          .set({ points: sql<number>`points - 1` })
          .where("key", "=", key)
          .where("points", ">", 0)
          .where(isLive(now, spanMs))
          .execute(),
      ).catch((err) =>
        log.warn({ err }, "limits: a point could not be given back; it counts until its span ends"),
      );
    },
    find: async (key, spanMs) => {
      const now = Math.round(clock.now());
      const row = await asked((db) =>
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
      await asked((db) =>
        db
          .deleteFrom("rate_limits")
          .where(({ or, eb }) => or([eb("expire", "<=", now), eb("expire", ">", now + MAX_SPAN_MS)]))
          .execute(),
      );
    },
    close: async () => {
      clearInterval(cleaning);
      // A server that is gone does not say good-bye; the process need not wait for that.
      const closing = current.then((db) => db.destroy());
      await withinTimeLimit(closing, CLOSE_LIMIT_MS, "closing the limits").catch(() => {});
    },
  };
  return store;
}

/** A damaged file is replaced: it holds counts of the last hours and nothing that a backup would bring back. */
function openFile(path: string, log: Log): DatabaseSync {
  const open = () => {
    keepFromOthers(path);
    const database = new DatabaseSync(path, { timeout: BUSY_WAIT_MS });
    try {
      // In write-ahead mode that is enough for a file that no power cut damages; the last counts may be lost.
      database.exec("pragma journal_mode = wal; pragma synchronous = normal");
      // Takes the lock that writers need.
      database.exec("begin immediate; rollback");
      const { quick_check: found } = database.prepare("pragma quick_check(1)").get() as {
        quick_check: string;
      };
      if (found !== "ok") throw new DamagedFile(found);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    if (!isDamaged(error)) throw unusable(path, error as Error);
    discard(path, error, log);
    return open();
  }
}

function discard(path: string, damage: unknown, log: Log): void {
  log.warn({ err: damage }, `${path} is damaged; it is replaced, and all limits count from zero`);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

function unusable(path: string, error: Error): StartProblem {
  return new StartProblem(
    isLocked(error)
      ? `The file ${path} is locked by another process: end that process, and start again.`
      : `The file ${path} cannot be opened (${error.message}): make it writable, or delete it (it holds counts of the last hour).`,
  );
}
