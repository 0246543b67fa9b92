import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "./problem.ts";

/** What SQLite says where another process has the lock; extended codes hold the plain one in their last byte. */
const SQLITE_BUSY = 5;
const PLAIN = 0xff;

/** Lets one process at a time have what the file stands for; `otherwise` tells the second why it cannot. */
export function lockFile(path: string, otherwise: string): () => void {
  const letGo = lockIfFree(path);
  if (!letGo) throw new StartProblem(otherwise);
  return letGo;
}

/**
 * The same; undefined where another one has it.
 * The lock is SQLite's own on a file that holds nothing: the system lets go of it however the process ends.
 */
export function lockIfFree(path: string): (() => void) | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // Nothing is ever written: no journal, so that a full disk is told by whoever finds it full.
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const locked = database;
    return () => locked.close();
  } catch (error) {
    database?.close();
    const { errcode = 0, message } = error as Error & { errcode?: number };
    if ((errcode & PLAIN) === SQLITE_BUSY) return undefined;
    throw new StartProblem(
      `The file ${path} cannot be locked (${message}): make it a file of this user on a disk that takes writes, or remove it.`,
    );
  }
}
