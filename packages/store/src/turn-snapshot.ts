import type { DatabaseSync } from "node:sqlite";

/**
 * Reads that happen in one turn of the event loop share a transaction: opening and closing one takes
 * system calls that cost more than the look-up. `end` closes it at once, for a reader that must see
 * what was just committed.
 */
export function createTurnSnapshot(database: DatabaseSync) {
  const begin = database.prepare("begin");
  const commit = database.prepare("commit");
  let open = false;
  const end = () => {
    if (open) commit.run();
    open = false;
  };
  return {
    end,
    begin: () => {
      if (open) return;
      begin.run();
      open = true;
      setImmediate(end);
    },
  };
}
