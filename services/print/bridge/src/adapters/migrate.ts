import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";

const SQLITE_BUSY = 5;

/**
 * Opens a durable SQLite file and brings it to the newest of the given versions, each a script. One that is
 * opened alone is kept from every other process, and spared the locks of each transaction for that.
 */
export function openDatabase(
  path: string,
  versions: readonly string[],
  { alone = false }: { readonly alone?: boolean } = {},
): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: alone ? 1_000 : 5_000 });
  if (alone) database.exec("pragma locking_mode = exclusive");
  try {
    database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new StartProblem(`${path} is in use: another bridge runs on the same folder.`);
  }
  const version = () => Number(database.prepare("pragma user_version").get()?.user_version);
  if (version() > versions.length) {
    database.close();
    throw new StartProblem(
      `${path} was written by a newer Frontdesk: start that one, or move the file away.`,
    );
  }
  database.exec("begin immediate");
  for (let next = version(); next < versions.length; next++) {
    database.exec(versions[next] as string);
    database.exec(`pragma user_version = ${next + 1}`);
  }
  database.exec("commit");
  return database;
}
