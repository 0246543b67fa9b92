import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LimitStore } from "@frontdesk/kit/rate-limit";
import { openPostgresPool } from "./postgres-pool.ts";

/** Nothing else runs while SQLite waits for another process's lock, and nobody else writes this file for long. */
const BUSY_WAIT_MS = 100;
const MAX_CONNECTIONS = 4;

/**
 * Where counts are kept: beside the accounts on PostgreSQL, so that all copies count together; else in
 * a file of their own, which no writer of accounts ever waits for.
 */
export function openLimitStore(
  databaseUrl: URL,
  home: string,
): { store: LimitStore; close: () => Promise<void> } {
  if (databaseUrl.protocol === "file:") {
    const database = new DatabaseSync(join(home, "limits.db"), { timeout: BUSY_WAIT_MS });
    database.exec("pragma journal_mode = wal; pragma synchronous = off");
    return { store: { kind: "sqlite", database }, close: async () => database.close() };
  }
  const pool = openPostgresPool(databaseUrl, { max: MAX_CONNECTIONS });
  return { store: { kind: "postgres", pool }, close: () => pool.end() };
}
