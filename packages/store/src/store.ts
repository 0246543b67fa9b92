import type { CompiledQuery, Kysely } from "kysely";

/** The writers that share one commit. On PostgreSQL each is alone. */
export interface Batch {
  /** Runs after the last of them and before the commit; when it fails, all of them have failed. */
  beforeCommit(work: () => unknown): void;
}

/**
 * A database as the services see it, whichever engine is behind it.
 *
 * `read` sees what is committed. `write` runs its function in a transaction and resolves when that
 * is on disk: whoever replies after it never promises what a power cut could take back. Concurrent
 * writers may share one commit; each still succeeds or fails alone. The function holds the
 * transaction while it runs, so it does queries and nothing else.
 */
export interface Store<Tables> {
  readonly engine: "sqlite" | "postgres";
  readonly read: Kysely<Tables>;
  /**
   * A read that is asked again and again: written once with any values, answered for those it is called
   * with. On SQLite answers are remembered until the database changes; leave them as they are.
   */
  prepare<Row>(
    query: CompiledQuery<Row>,
  ): (...values: Array<string | number>) => readonly Row[] | Promise<readonly Row[]>;
  /** Runs a query that was composed before, on `read` or on a transaction. SQLite answers at once. */
  run<Row>(db: Kysely<Tables>, query: CompiledQuery<Row>): Row[] | Promise<Row[]>;
  /** The query, with its rows locked until the transaction ends. SQLite's one writer has locked all of them. */
  forUpdate<Q extends { forUpdate(): Q }>(query: Q): Q;
  write<T>(work: (tx: Kysely<Tables>, batch: Batch) => Promise<T>): Promise<T>;
  /** How many transactions were committed, and for how many writers. */
  readonly counts: { commits: number; writes: number };
  /** Writes a whole copy of the database to a new file while it is in use; SQLite only. */
  backup(to: string): Promise<void>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** Rejects when nothing can be committed: a full disk, a file that is read-only. */
  checkWrite(): Promise<void>;
  close(): Promise<void>;
}
