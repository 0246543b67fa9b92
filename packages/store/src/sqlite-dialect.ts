import type { SQLInputValue } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Lets Kysely speak to `node:sqlite`. Statements run to their end before the next can begin, so the
 * connection needs no queue in front of it; transactions are the group commit's business alone.
 */
export function nodeSqliteDialect(sqlite: SqliteConnection): Dialect {
  const connection = kyselyConnection(sqlite);
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    destroy: async () => sqlite.database.close(),
  };
  return {
    createDriver: () => driver,
    createAdapter: () => new UnqueuedSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Kysely would let one query in at a time, through a lock on which every waiter wakes for every query. */
class UnqueuedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

async function noTransaction(): Promise<void> {
  throw new Error("Transactions are opened with store.write.");
}

function kyselyConnection({ database, run }: SqliteConnection): DatabaseConnection {
  return {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { rows, changes } = run<Row>(sql, parameters);
      return { rows, numAffectedRows: BigInt(changes) };
    },
    streamQuery: async function* <Row>({ sql, parameters }: CompiledQuery): AsyncGenerator<QueryResult<Row>> {
      // A statement of its own: a kept one could be used again before the stream has ended.
      for (const row of database.prepare(sql).iterate(...(parameters as SQLInputValue[]))) {
        yield { rows: [row as Row] };
      }
    },
  };
}
