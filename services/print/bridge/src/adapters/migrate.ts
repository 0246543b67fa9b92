import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";

/** Opens a durable SQLite file and brings it to the newest of the given versions, each a script. */
export function openDatabase(path: string, versions: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
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
