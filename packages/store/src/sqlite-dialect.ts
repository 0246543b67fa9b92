import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type SqliteDatabase, SqliteDialect } from "kysely";

const KEPT_STATEMENTS = 256;

/** Lets Kysely speak to `node:sqlite`, with each statement prepared once. */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  const prepared = new Map<string, StatementSync>();
  const adapter: SqliteDatabase = {
    close: () => database.close(),
    prepare: (sql) => {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      if (!prepared.has(sql) && prepared.size < KEPT_STATEMENTS) prepared.set(sql, statement);
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
      };
    },
  };
  return new SqliteDialect({ database: adapter });
}
