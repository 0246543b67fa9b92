import { createHash } from "node:crypto";
import { StartProblem } from "@frontdesk/kit/problem";
import { withinTimeLimit } from "@frontdesk/kit/time-limit";
import { Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import { openBatch } from "./batch.ts";
import { databaseError } from "./database-away.ts";
import { openPostgresPool, withoutSilentConnections } from "./postgres-pool.ts";
import type { Store } from "./store.ts";
import { createWriteCheck } from "./write-check.ts";

const CLOSE_LIMIT_MS = 3_000;
const MAX_TRIES = 5;
/** Two writers met in the wrong order; PostgreSQL undid one and asks to try it again. */
const TRY_AGAIN = new Set(["40001", "40P01"]);
/** A newer copy of the service has changed a table: statements that were prepared before would be refused for ever. */
const STALE_PLAN = "0A000";
const codeOf = (error: unknown): string => (error as pg.DatabaseError).code ?? "";

/** A PostgreSQL database, which several copies of a service may share. */
export async function openPostgresStore<Tables>(url: URL, patient = false): Promise<Store<Tables>> {
  const pool = openPostgresPool(url, { patient });
  const names = new Map<string, string>();
  /** By other names statements are prepared anew, on every connection. */
  let generation = 0;
  const nameOf = (text: string) => {
    const name =
      names.get(text) ?? createHash("sha256").update(`${generation} ${text}`).digest("hex").slice(0, 32);
    names.set(text, name);
    return name;
  };
  const prepareAnew = (seen: number) => {
    // Of several that found out, the first.
    if (seen !== generation) return;
    generation++;
    names.clear();
  };
  /** Once more, where a plan was stale. Not within a transaction: that is over, and tried again as a whole. */
  const withFreshPlans = async <T>(ask: () => Promise<T>): Promise<T> => {
    const seen = generation;
    try {
      return await ask();
    } catch (error) {
      if (codeOf(error) !== STALE_PLAN) throw error;
      prepareAnew(seen);
      return ask();
    }
  };
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: withoutSilentConnections(pool, names) }),
  });
  const counts = { commits: 0, writes: 0 };
  const store: Store<Tables> = {
    engine: "postgres",
    read: db,
    counts,
    prepare:
      ({ sql: text }) =>
      async (...values) => {
        try {
          return (await withFreshPlans(() => pool.query({ name: nameOf(text), text, values }))).rows;
        } catch (error) {
          throw databaseError(error);
        }
      },
    run: async (tx, query) => {
      const ask = () => {
        nameOf(query.sql);
        return tx.executeQuery(query);
      };
      return (await (tx === db ? withFreshPlans(ask) : ask())).rows;
    },
    forUpdate: (query) => query.forUpdate(),
    write: async (work) => {
      for (let tries = 1; ; tries++) {
        const seen = generation;
        try {
          const value = await db.transaction().execute(async (tx) => {
            const batch = openBatch();
            const result = await work(tx, batch);
            await batch.finish();
            return result;
          });
          counts.commits++;
          counts.writes++;
          return value;
        } catch (error) {
          const isStale = codeOf(error) === STALE_PLAN;
          if (isStale) prepareAnew(seen);
          if (tries === MAX_TRIES || !(isStale || TRY_AGAIN.has(codeOf(error)))) throw error;
        }
      }
    },
    checkWrite: createWriteCheck<Tables>((work) => store.write(work)).check,
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    backup: async () => {
      throw new StartProblem("A PostgreSQL database is backed up with its own tools, like pg_dump.");
    },
    // A server that is gone does not say good-bye; the process need not wait for that.
    close: () => withinTimeLimit(db.destroy(), CLOSE_LIMIT_MS, "closing the database").catch(() => {}),
  };
  try {
    await store.ping();
  } catch (error) {
    await store.close();
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new StartProblem(
      `The database ${url.pathname.slice(1)} at ${url.host} did not let us in (${message || code}): start it, or correct its URL.`,
    );
  }
  return store;
}
