import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";
import { type CompiledQuery, Kysely, sql } from "kysely";
import { type CommitLog, createGroupCommit } from "./group-commit.ts";
import { createRememberedLookups } from "./remembered-lookups.ts";
import { type SqliteConnection, sqliteConnection } from "./sqlite-connection.ts";
import { nodeSqliteDialect } from "./sqlite-dialect.ts";
import type { Store } from "./store.ts";

const BUSY_LIMIT_MS = 5_000;

/**
 * One file, in write-ahead mode: a connection for all writers, and others for readers, which see only
 * what is committed.
 */
export function openSqliteStore<Tables>(path: string): Store<Tables> {
  const changed = new Set<string>();
  const writer = connect(path, (tables) => {
    for (const table of tables) changed.add(table);
  });
  writer.database.exec("pragma journal_mode = wal; pragma synchronous = full");
  const reader = connect(path);
  const lookups = connect(path);
  const read = new Kysely<Tables>({ dialect: nodeSqliteDialect(reader) });
  const tx = new Kysely<Tables>({ dialect: nodeSqliteDialect(writer) });
  const remembered = createRememberedLookups(lookups, writer);
  const counts = { commits: 0, writes: 0 };
  const onCommit = () => {
    remembered.forget(changed);
    changed.clear();
  };
  const group = createGroupCommit(commitLog(writer.database, onCommit), counts);
  return {
    engine: "sqlite",
    read,
    counts,
    prepare: <Row>(query: CompiledQuery<Row>) => remembered.prepare<Row>(query.sql),
    run: (db, { sql, parameters }) => (db === tx ? writer : reader).run(sql, parameters).rows as never,
    forUpdate: (query) => query,
    write: (work) => group.write((batch) => work(tx, batch)),
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await group.idle();
      if (!lookups.database.isOpen) return;
      await read.destroy();
      await tx.destroy();
      lookups.database.close();
    },
  };
}

function connect(path: string, onChange: (tables: ReadonlySet<string>) => void = () => {}): SqliteConnection {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(path, { timeout: BUSY_LIMIT_MS });
    database.exec("pragma foreign_keys = on");
    return sqliteConnection(database, onChange);
  } catch (error) {
    throw new StartProblem(`The database ${path} cannot be opened: ${(error as Error).message}.`);
  }
}

function commitLog(database: DatabaseSync, onCommit: () => void): CommitLog {
  const statement = (text: string) => {
    const prepared = database.prepare(text);
    return () => void prepared.run();
  };
  const commit = statement("commit");
  return {
    begin: statement("begin immediate"),
    commit: () => {
      commit();
      onCommit();
    },
    rollback: () => {
      if (database.isTransaction) database.exec("rollback");
    },
    savepoint: statement("savepoint writer"),
    release: statement("release writer"),
    rollbackToSavepoint: () => database.exec("rollback to writer; release writer"),
  };
}
