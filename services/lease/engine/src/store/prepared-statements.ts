import type { DatabaseSync, StatementSync } from "node:sqlite";

const MAX_KEPT = 64;

/** The statements of a connection that reads, each prepared once. Their rows are arrays. */
export class PreparedStatements {
  readonly #database: DatabaseSync;
  readonly #kept = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  of(sql: string): StatementSync {
    const known = this.#kept.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    // A question about thousands of ranges is as long as they are many, and hardly asked again.
    if (this.#kept.size === MAX_KEPT) this.#kept.clear();
    this.#kept.set(sql, statement);
    return statement;
  }
}
