import { hash } from "node:crypto";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Questions whose answers are kept at once. */
const MAX_KEPT = 64;

/**
 * How many rows a question finds. A count looks at every row, and whoever turns the pages of a list asks the same for each: it is
 * counted anew only where another connection has written since.
 */
export class RowCounts {
  readonly #database: DatabaseSync;
  readonly #version: StatementSync;
  readonly #counts = new Map<string, number>();
  #countedAt: unknown;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#version = database.prepare("PRAGMA data_version");
  }

  /** `rows`: from which table, and which of them. */
  of(rows: string, values: readonly SQLInputValue[]): number {
    const version = this.#version.get()?.data_version;
    if (version !== this.#countedAt || this.#counts.size >= MAX_KEPT) this.#counts.clear();
    this.#countedAt = version;
    // Thousands of addresses may be asked for.
    const question = hash("sha256", JSON.stringify([rows, ...values]));
    const known = this.#counts.get(question);
    if (known !== undefined) return known;
    const counted = this.#database.prepare(`SELECT count(*) AS total FROM ${rows}`).get(...values);
    const total = Number(counted?.total);
    this.#counts.set(question, total);
    return total;
  }
}
