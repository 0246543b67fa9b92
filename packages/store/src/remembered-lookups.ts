import type { SQLInputValue } from "node:sqlite";
import type { SqliteConnection } from "./sqlite-connection.ts";

const MAX_REMEMBERED = 10_000;
const TRUSTED_MS = 2;

interface Memory {
  readonly reads: ReadonlySet<string>;
  readonly rows: Map<string, unknown[]>;
}

/**
 * Look-ups that are asked again and again are answered from memory for as long as the tables they
 * read have not changed. What this process commits is told table by table (`forget`). Whether another
 * process has committed, SQLite's data_version says; it is asked on the writer's connection, to which
 * our own commits are no news, and every two milliseconds.
 */
export function createRememberedLookups(lookups: SqliteConnection, writer: SqliteConnection) {
  const dataVersion = writer.database.prepare("pragma data_version");
  const memories: Memory[] = [];
  let seenVersion: unknown;
  let lookedAt = 0;

  const forgetIfOthersCommitted = () => {
    const now = performance.now();
    if (now - lookedAt < TRUSTED_MS) return;
    lookedAt = now;
    const version = dataVersion.get()?.data_version;
    if (version !== seenVersion) for (const { rows } of memories) rows.clear();
    seenVersion = version;
  };

  return {
    /** Whoever changed these tables has committed. */
    forget(changed: ReadonlySet<string>): void {
      for (const { reads, rows } of memories) if (!reads.isDisjointFrom(changed)) rows.clear();
    },

    prepare<Row>(sql: string): (...values: Array<string | number>) => readonly Row[] {
      const { statement, reads } = lookups.prepare(sql);
      const memory = new Map<string, Row[]>();
      memories.push({ reads, rows: memory });
      return (...values) => {
        forgetIfOthersCommitted();
        const key = values.length === 1 ? String(values[0]) : values.join("\0");
        const known = memory.get(key);
        if (known) return known;
        const rows = statement.all(...(values as SQLInputValue[])) as Row[];
        if (memory.size >= MAX_REMEMBERED) memory.clear();
        memory.set(key, rows);
        return rows;
      };
    },
  };
}
