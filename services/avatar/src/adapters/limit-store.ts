import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LimitStore } from "@frontdesk/kit/rate-limit";
import pg from "pg";

const MOST_CONNECTIONS = 4;

/**
 * Where counts are kept: beside the accounts on PostgreSQL, so that all copies count together; else in
 * a file of their own, which no writer of accounts ever waits for.
 */
export function openLimitStore(
  databaseUrl: URL,
  home: string,
): { store: LimitStore; close: () => Promise<void> } {
  if (databaseUrl.protocol === "file:") {
    const database = new DatabaseSync(join(home, "limits.db"), { timeout: 5_000 });
    database.exec("pragma journal_mode = wal; pragma synchronous = off");
    return { store: { kind: "sqlite", database }, close: async () => database.close() };
  }
  const pool = new pg.Pool({ connectionString: databaseUrl.href, max: MOST_CONNECTIONS });
  pool.on("error", () => {});
  return { store: { kind: "postgres", pool }, close: () => pool.end() };
}
