import { closeSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { DatabaseSync } from "node:sqlite";

const LOOK_EVERY_MS = 100;
/** Pages in the log that are worth a fold: the disk is busy with one, and commits meanwhile are slower. */
const LONG_LOG = 4096;
/** So few are left to the writer, which folds them while its clients wait. */
const FEW = 1024;
const MOST_FOLDS = 4;

/**
 * Folds SQLite's log into the database from another connection than the writer's, so that no
 * exchange waits for it. What came in during a fold is less each time; the writer then folds the
 * little that is left and begins the log anew, in the space it has already.
 */
export function startFolding(path: string, beginAnew: () => Promise<unknown>): () => void {
  const database = new DatabaseSync(path);
  const fold = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  const index = openSync(`${path}-shm`, "r");
  const look = () => {
    if (pagesInLog(index) < LONG_LOG) return;
    for (let folds = 0; folds < MOST_FOLDS; folds++) {
      const { checkpointed } = fold.get() as { checkpointed: number };
      if (pagesInLog(index) - checkpointed < FEW) break;
    }
    // A writer that has ended folded all there was.
    beginAnew().catch(() => {});
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    closeSync(index);
    database.close();
  };
}

const header = Buffer.alloc(20);

/** As the log's index says in its header (sqlite.org/walformat.html, section 2.1: mxFrame). */
function pagesInLog(index: number): number {
  readSync(index, header, 0, header.length, 0);
  return endianness() === "LE" ? header.readUInt32LE(16) : header.readUInt32BE(16);
}
