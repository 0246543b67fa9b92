import { fileURLToPath } from "node:url";
import type { Clock } from "@frontdesk/kit/clock";
import { type Migrations, migrate } from "./migrate.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { openSqliteStore, startProblem } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

/** The schemes that a `*_DATABASE_URL` may have. */
export const DATABASE_SCHEMES = ["postgres", "postgresql", "file"] as const;

interface StoreOptions {
  readonly url: URL;
  readonly migrations: Migrations;
  readonly clock: Clock;
}

/** Opens the database that a URL names (`postgres://…`, or `file:///…` for SQLite) and brings it up to date. */
export async function openStore<Tables>(options: StoreOptions): Promise<Store<Tables>> {
  const { url, migrations, clock } = options;
  if (url.protocol === "file:") {
    const path = fileURLToPath(url);
    const store = openSqliteStore<Tables>(path);
    try {
      await migrate(store, migrations, clock.now());
      return store;
    } catch (error) {
      await store.close();
      throw startProblem(path, error) ?? error;
    }
  }
  const patient = await openPostgresStore<Tables>(url, true);
  try {
    await migrate(patient, migrations, clock.now());
  } finally {
    await patient.close();
  }
  return openPostgresStore<Tables>(url);
}
