import { fileURLToPath } from "node:url";
import type { Clock } from "@frontdesk/kit/clock";
import { type Migrations, migrate } from "./migrate.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

/** The schemes that a `*_DATABASE_URL` may have. */
export const DATABASE_SCHEMES = ["postgres", "postgresql", "file"] as const;

/** Opens the database that a URL names (`postgres://…`, or `file:///…` for SQLite) and brings it up to date. */
export async function openStore<Tables>(options: {
  url: URL;
  migrations: Migrations;
  clock: Clock;
}): Promise<Store<Tables>> {
  const store =
    options.url.protocol === "file:"
      ? openSqliteStore<Tables>(fileURLToPath(options.url))
      : await openPostgresStore<Tables>(options.url);
  try {
    await migrate(store, options.migrations, options.clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}
