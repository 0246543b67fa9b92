import { DatabaseSync } from "node:sqlite";

const LOOK_EVERY_MS = 100;
/** So many commits are folded at once; fewer wait for a while, because a fold costs the disk two syncs. */
const MANY_COMMITS = 128;
const AT_LATEST_MS = 10_000;
/** A log of this many pages is begun anew when it has been folded. */
const LONG_LOG = 4096;

/**
 * Folds SQLite's log into the database from another connection than the writer's, so that no
 * exchange waits for it. What came in during the fold is little; the writer then folds that and
 * begins the log anew, in the space it has already.
 */
export function startFolding(
  path: string,
  commits: () => number,
  beginAnew: () => Promise<unknown>,
): () => void {
  const database = new DatabaseSync(path);
  const fold = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let folded = 0;
  let foldedAt = performance.now();
  const look = () => {
    const unfolded = commits() - folded;
    const due = unfolded >= MANY_COMMITS || (unfolded > 0 && performance.now() - foldedAt > AT_LATEST_MS);
    if (!due) return;
    folded = commits();
    const { log } = fold.get() as { log: number };
    foldedAt = performance.now();
    // A writer that has ended folded all there was.
    if (log > LONG_LOG) beginAnew().catch(() => {});
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    database.close();
  };
}
