import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";

/**
 * One engine per state folder. The lock is SQLite's own on a file that holds nothing; the system
 * lets go of it however the process ends.
 */
export function lockFolder(folder: string): () => void {
  const database = new DatabaseSync(join(folder, "lock"));
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch {
    database.close();
    throw new StartProblem(
      `Another engine runs in ${folder}: stop it, or set FRONTDESK_HOME to another folder.`,
    );
  }
  return () => database.close();
}
