import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { databaseError } from "./database-away.ts";

const MAX_CONNECTIONS = 20;
const CONNECT_LIMIT_MS = 5_000;
/** The server gives up on a statement after this long; that leaves the connection sound. */
const STATEMENT_LIMIT_MS = 10_000;
/** A server that has said nothing for so long will not: it, or the network to it, is gone. */
const SILENCE_LIMIT_MS = 12_000;
/**
 * A machine that loses its power or its network in the middle of a transaction tells the server nothing: what it has locked
 * would stay so until TCP gives it up, hours later. Nothing of ours says nothing for so long between two statements.
 */
const IDLE_LIMIT_MS = 20_000;
const KEEP_ALIVE_MS = 10_000;
const SILENCE = "Query read timeout";
/** The server takes no changes: after a failover it is the one that was left behind, and connecting anew finds the other. */
const READ_ONLY = "25006";

/** Whole numbers come as numbers, as they do from SQLite; all of ours fit. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** `patient` is for migrations, which may take as long as they need. */
export function openPostgresPool(
  url: URL,
  { patient = false, max = MAX_CONNECTIONS }: { patient?: boolean; max?: number } = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url.href,
    max,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    idle_in_transaction_session_timeout: IDLE_LIMIT_MS,
    ...(patient ? {} : { statement_timeout: STATEMENT_LIMIT_MS, query_timeout: SILENCE_LIMIT_MS }),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
  });
  // A connection that breaks while idle is replaced by the pool; whoever needs one next finds out.
  pool.on("error", () => {});
  // One that breaks in somebody's hands says so to its query; said to nobody else, it would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/**
 * The pool as Kysely uses it. A connection whose server fell silent, or takes no changes any more, is closed when it is
 * given back, and until then refuses what would only wait behind the query that nobody answers.
 */
export function withoutSilentConnections(
  pool: pg.Pool,
  /** The names of the statements that are prepared, by their text. */
  prepared: ReadonlyMap<string, string>,
): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect().catch((error) => {
        throw databaseError(error);
      });
      let useless: Error | undefined;
      const query = async (text: string, values: readonly unknown[]) => {
        if (useless) throw databaseError(useless);
        try {
          const name = prepared.get(text);
          return await client.query({ text, values: [...values], ...(name ? { name } : {}) });
        } catch (error) {
          const { code, message } = error as pg.DatabaseError;
          if (message === SILENCE || code === READ_ONLY) useless = error as Error;
          throw databaseError(error);
        }
      };
      return {
        query: query as unknown as PostgresPoolClient["query"],
        release: () => client.release(useless),
      };
    },
  };
}
