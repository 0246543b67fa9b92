import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";
import { damagedDatabase, isDamaged } from "./sqlite-damage.ts";

const SQLITE_BUSY = 5;
/** How long SQLite itself waits for another process's lock. Nothing else runs meanwhile, so only the start waits long. */
const START_WAIT_MS = 5_000;
const ALONE_WAIT_MS = 1_000;

export interface SqliteFileOptions {
  /** Kept from every other process, and spared the locks of each transaction for that. */
  readonly alone?: boolean;
}

/** Opens a database file that survives a power cut; what is wrong with it is told in a sentence. */
export function openSqliteFile(path: string, { alone = false }: SqliteFileOptions = {}): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    keepFromOthers(path);
    database = new DatabaseSync(path, { timeout: alone ? ALONE_WAIT_MS : START_WAIT_MS });
    if (alone) database.exec("pragma locking_mode = exclusive");
    // The mode is the file's own and stays; the rest is each connection's.
    database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw openingProblem(path, error);
  }
}

/**
 * A new file is for its owner alone, whoever may enter its folder; SQLite takes up an empty one as it is, and gives those
 * beside it the same mode.
 */
export function keepFromOthers(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

function openingProblem(path: string, error: unknown): StartProblem {
  const { errcode = 0, message } = error as Error & { errcode?: number };
  if (isDamaged(error)) return damagedDatabase(path, error);
  if (errcode % 256 === SQLITE_BUSY)
    return new StartProblem(`${path} is in use: another process runs on the same folder.`);
  return new StartProblem(`The database ${path} cannot be opened: ${message}.`);
}

/**
 * Brings a file to the newest of its versions, each a script, all or none. For services that speak SQLite alone;
 * those that speak PostgreSQL too have `migrate`. Processes that start at once wait for each other.
 */
export function applyVersions(database: DatabaseSync, path: string, versions: readonly string[]): void {
  const version = () => Number(database.prepare("pragma user_version").get()?.user_version);
  try {
    database.exec("begin immediate");
    if (version() > versions.length)
      throw new StartProblem(
        `${path} was used by a newer version of Frontdesk: run that version, or restore a backup.`,
      );
    for (let next = version(); next < versions.length; next++) {
      database.exec(versions[next] as string);
      database.exec(`pragma user_version = ${next + 1}`);
    }
    database.exec("commit");
  } catch (error) {
    database.close();
    throw isDamaged(error) ? damagedDatabase(path, error) : error;
  }
}
