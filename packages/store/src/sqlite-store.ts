import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";
import { type CompiledQuery, Kysely, sql } from "kysely";
import { type CommitLog, createGroupCommit } from "./group-commit.ts";
import { createRememberedLookups } from "./remembered-lookups.ts";
import { nodeSqliteDialect } from "./sqlite-dialect.ts";
import type { Store } from "./store.ts";

const BUSY_LIMIT_MS = 5_000;

/**
 * One file, in write-ahead mode: a connection for all writers, and others for readers, which see only
 * what is committed.
 */
export function openSqliteStore<Tables>(path: string): Store<Tables> {
  const writer = connect(path);
  writer.exec("pragma journal_mode = wal; pragma synchronous = full");
  const reader = connect(path);
  const read = new Kysely<Tables>({ dialect: nodeSqliteDialect(reader) });
  const tx = new Kysely<Tables>({ dialect: nodeSqliteDialect(writer) });
  const counts = { commits: 0, writes: 0 };
  const lookups = connect(path);
  const remembered = createRememberedLookups(lookups);
  const group = createGroupCommit(commitLog(writer, remembered.forget), counts);
  return {
    engine: "sqlite",
    read,
    counts,
    prepare: <Row>(query: CompiledQuery<Row>) => {
      const look = remembered.prepare<Row>(query.sql);
      return async (...values) => look(...values);
    },
    write: (work) => group.write(() => work(tx)),
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await group.idle();
      if (!lookups.isOpen) return;
      await read.destroy();
      await tx.destroy();
      lookups.close();
    },
  };
}

function connect(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(path, { timeout: BUSY_LIMIT_MS });
    database.exec("pragma foreign_keys = on");
    return database;
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
