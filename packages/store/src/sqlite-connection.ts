import { constants, type DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

const KEPT_STATEMENTS = 256;
const CHANGES = new Set([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE]);

export interface PreparedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  /** The tables it takes its answer from. */
  readonly reads: ReadonlySet<string>;
  /** The tables it may change, those that a foreign key makes it change among them. */
  readonly changes: ReadonlySet<string>;
}

export interface Outcome<Row> {
  readonly rows: Row[];
  readonly changes: number | bigint;
}

export type SqliteConnection = ReturnType<typeof sqliteConnection>;

/** Runs statements on one connection, each prepared once. */
export function sqliteConnection(database: DatabaseSync, onChange: (tables: ReadonlySet<string>) => void) {
  const kept = new Map<string, PreparedStatement>();
  let reads = new Set<string>();
  let changes = new Set<string>();
  // While SQLite prepares a statement it asks whether the statement may do all that it would do.
  database.setAuthorizer((action, table) => {
    if (table !== null && action === constants.SQLITE_READ) reads.add(table);
    if (table !== null && CHANGES.has(action)) changes.add(table);
    return constants.SQLITE_OK;
  });

  const prepare = (sql: string): PreparedStatement => {
    const known = kept.get(sql);
    if (known) return known;
    [reads, changes] = [new Set(), new Set()];
    const statement = database.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0, reads, changes };
    if (kept.size < KEPT_STATEMENTS) kept.set(sql, entry);
    return entry;
  };

  return {
    database,
    prepare,
    run: <Row>(sql: string, values: readonly unknown[]): Outcome<Row> => {
      const { statement, returnsRows, changes } = prepare(sql);
      if (changes.size > 0) onChange(changes);
      if (returnsRows) return { rows: statement.all(...(values as SQLInputValue[])) as Row[], changes: 0 };
      return { rows: [], changes: statement.run(...(values as SQLInputValue[])).changes };
    },
  };
}
