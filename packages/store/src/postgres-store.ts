import { createHash } from "node:crypto";
import { StartProblem } from "@frontdesk/kit/problem";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { openBatch } from "./batch.ts";
import type { Store } from "./store.ts";

const MOST_CONNECTIONS = 20;
const CONNECT_LIMIT_MS = 5_000;
const MOST_TRIES = 5;
/** Two writers met in the wrong order; PostgreSQL undid one and asks to try it again. */
const TRY_AGAIN = new Set(["40001", "40P01"]);

/** Whole numbers come as numbers, as they do from SQLite; all of ours fit. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** A PostgreSQL database, which several copies of a service may share. */
export async function openPostgresStore<Tables>(url: URL): Promise<Store<Tables>> {
  const pool = new pg.Pool({
    connectionString: url.href,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    types,
  });
  // A connection that breaks while idle is replaced by the pool; whoever needs one next finds out.
  pool.on("error", () => {});
  // One that breaks in somebody's hands says so to its query; said to nobody else, it would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const counts = { commits: 0, writes: 0 };
  const store: Store<Tables> = {
    engine: "postgres",
    read: db,
    counts,
    prepare: (query) => {
      const name = createHash("sha256").update(query.sql).digest("hex").slice(0, 32);
      return async (...values) => (await pool.query({ name, text: query.sql, values })).rows;
    },
    run: async (db, query) => (await db.executeQuery(query)).rows,
    forUpdate: (query) => query.forUpdate(),
    write: async (work) => {
      for (let tries = 1; ; tries++) {
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
          if (tries === MOST_TRIES || !TRY_AGAIN.has((error as pg.DatabaseError).code ?? "")) throw error;
        }
      }
    },
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
  try {
    await store.ping();
  } catch (error) {
    await store.close();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartProblem(
      `The database ${url.pathname.slice(1)} at ${url.host} did not let us in (${message || code}): start it, or correct its URL.`,
    );
  }
  return store;
}
