import type { DatabaseSync } from "node:sqlite";

const MOST_REMEMBERED = 10_000;
const TRUSTED_MS = 2;

/**
 * Look-ups that are asked again and again are answered from memory for as long as the database has
 * not changed. A commit of this process makes it forget at once (`forget`); whether another process
 * has committed, SQLite's data_version tells, and that is looked at every two milliseconds.
 */
export function createRememberedLookups(database: DatabaseSync) {
  const dataVersion = database.prepare("pragma data_version");
  const memories: Array<Map<string, unknown[]>> = [];
  let seenVersion: unknown;
  let lookedAt = 0;

  const forget = () => {
    for (const memory of memories) memory.clear();
  };
  const forgetIfChanged = () => {
    const now = performance.now();
    if (now - lookedAt < TRUSTED_MS) return;
    lookedAt = now;
    const version = dataVersion.get()?.data_version;
    if (version !== seenVersion) forget();
    seenVersion = version;
  };

  return {
    forget,
    prepare<Row>(sql: string): (...values: Array<string | number>) => readonly Row[] {
      const statement = database.prepare(sql);
      const memory = new Map<string, Row[]>();
      memories.push(memory);
      return (...values) => {
        forgetIfChanged();
        const key = values.length === 1 ? String(values[0]) : values.join("\0");
        const known = memory.get(key);
        if (known) return known;
        const rows = statement.all(...values) as Row[];
        if (memory.size >= MOST_REMEMBERED) memory.clear();
        memory.set(key, rows);
        return rows;
      };
    },
  };
}
