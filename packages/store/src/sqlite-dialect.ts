import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";

const KEPT_STATEMENTS = 256;

/** Lets Kysely speak to `node:sqlite`, with each statement prepared once. */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  const kept = new Map<string, SqliteStatement>();
  const adapter: SqliteDatabase = {
    close: () => database.close(),
    prepare: (sql) => {
      const known = kept.get(sql);
      if (known) return known;
      const statement = adapt(database.prepare(sql));
      if (kept.size < KEPT_STATEMENTS) kept.set(sql, statement);
      return statement;
    },
  };
  return new SqliteDialect({ database: adapter });
}

function adapt(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  };
}
