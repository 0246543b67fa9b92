import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const EVERY_MS = 500;
const WORTH_IT = 1024 * 1024;

/**
 * Folds SQLite's log into the database from another connection than the writer's, so that no
 * exchange waits for it. Answers with how to stop.
 */
export function startFolding(path: string): () => void {
  const database = new DatabaseSync(path);
  const fold = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  const timer = setInterval(() => {
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size > WORTH_IT) fold.get();
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    database.close();
  };
}
