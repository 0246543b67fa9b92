import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
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

const KEPT_STATEMENTS = 256;

/**
 * Lets Kysely speak to `node:sqlite`. Statements run to their end before the next can begin, so the
 * connection needs no queue in front of it; transactions are the group commit's business alone.
 */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  const connection = sqliteConnection(database);
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    destroy: async () => database.close(),
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

function sqliteConnection(database: DatabaseSync): DatabaseConnection {
  const prepared = new Map<string, { statement: StatementSync; returnsRows: boolean }>();
  const prepare = (sql: string) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    if (prepared.size < KEPT_STATEMENTS) prepared.set(sql, entry);
    return entry;
  };
  return {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { statement, returnsRows } = prepare(sql);
      const values = parameters as SQLInputValue[];
      if (returnsRows) return { rows: statement.all(...values) as Row[] };
      const { changes } = statement.run(...values);
      return { numAffectedRows: BigInt(changes), rows: [] };
    },
    streamQuery: async function* <Row>({ sql, parameters }: CompiledQuery): AsyncGenerator<QueryResult<Row>> {
      // A statement of its own: a kept one could be used again before the stream has ended.
      for (const row of database.prepare(sql).iterate(...(parameters as SQLInputValue[]))) {
        yield { rows: [row as Row] };
      }
    },
  };
}
