import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { backup, type DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";
import { type CompiledQuery, Kysely, sql } from "kysely";
import { isFull } from "./database-away.ts";
import { type CommitLog, createGroupCommit } from "./group-commit.ts";
import { createRememberedLookups } from "./remembered-lookups.ts";
import { type SqliteConnection, sqliteConnection } from "./sqlite-connection.ts";
import { nodeSqliteDialect } from "./sqlite-dialect.ts";
import { openSqliteFile } from "./sqlite-file.ts";
import type { Store } from "./store.ts";
import { createWriteCheck } from "./write-check.ts";

/** How long SQLite itself waits for another process's lock once it is open: nothing else runs meanwhile. */
const BUSY_WAIT_MS = 5;

/** More than any database has: a copy that is made in several steps begins anew after each change that others commit meanwhile. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * One file, in write-ahead mode: a connection for all writers, and others for readers, which see only
 * what is committed.
 */
export function openSqliteStore<Tables>(path: string): Store<Tables> {
  const changed = new Set<string>();
  const writer = connect(path, (tables) => {
    for (const table of tables) changed.add(table);
  });
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
  const health = createWriteCheck<Tables>((work) => group.write(() => work(tx)));
  return {
    engine: "sqlite",
    read,
    counts,
    prepare: <Row>(query: CompiledQuery<Row>) => remembered.prepare<Row>(query.sql),
    run: (db, { sql, parameters }) => (db === tx ? writer : reader).run(sql, parameters).rows as never,
    forUpdate: (query) => query,
    write: (work) => {
      const written = group.write((batch) => work(tx, batch));
      written.catch((error) => {
        if (isFull(error)) health.askForRoom();
      });
      return written;
    },
    backup: (to) => backupTo(reader.database, to),
    checkWrite: health.check,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await group.idle();
      if (!lookups.database.isOpen) return;
      await read.destroy();
      await tx.destroy();
      // Kysely leaves alone what it never used; the last to close folds the write-ahead log into the file.
      for (const { database } of [reader, lookups, writer]) if (database.isOpen) database.close();
    },
  };
}

function connect(path: string, onChange: (tables: ReadonlySet<string>) => void = () => {}): SqliteConnection {
  const database = openSqliteFile(path);
  database.exec(`pragma busy_timeout = ${BUSY_WAIT_MS}`);
  return sqliteConnection(database, onChange);
}

/** Beside its place first, so that a copy that was interrupted is never taken for one. */
async function backupTo(database: DatabaseSync, to: string): Promise<void> {
  if (existsSync(to)) throw new StartProblem(`${to} is there already: name another file.`);
  const partial = `${to}.partial`;
  try {
    rmSync(partial, { force: true });
    // Nobody else reads what is copied meanwhile: SQLite takes up an empty file as it is.
    writeFileSync(partial, "", { mode: 0o600, flag: "wx" });
    await backup(database, partial, { rate: ALL_PAGES });
    renameSync(partial, to);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new StartProblem(
      `The database could not be copied to ${to || "a file without a name"} (${(error as Error).message}): name a file in a folder that is there, may be written and has room.`,
    );
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
