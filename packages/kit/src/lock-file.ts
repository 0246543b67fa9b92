import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "./problem.ts";

/**
 * Lets one process at a time have what the file stands for; `otherwise` tells the second why it cannot.
 * The lock is SQLite's own on a file that holds nothing: the system lets go of it however the process ends.
 */
export function lockFile(path: string, otherwise: string): () => void {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch {
    database.close();
    throw new StartProblem(otherwise);
  }
  return () => database.close();
}
