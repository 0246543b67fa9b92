import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Clock } from "@frontdesk/kit/clock";
import { StartProblem } from "@frontdesk/kit/problem";
import { type Migrations, migrate } from "./migrate.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { damagedDatabase, isDamaged } from "./sqlite-damage.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

/** The schemes that a `*_DATABASE_URL` may have. */
export const DATABASE_SCHEMES = ["postgres", "postgresql", "file"] as const;

interface StoreOptions {
  readonly url: URL;
  readonly migrations: Migrations;
  readonly clock: Clock;
  /** For commands, which work on what a service has made and make no empty database in the wrong place. */
  readonly mustExist?: boolean;
}

/** Opens the database that a URL names (`postgres://…`, or `file:///…` for SQLite) and brings it up to date. */
export async function openStore<Tables>(options: StoreOptions): Promise<Store<Tables>> {
  const { url, migrations, clock } = options;
  if (url.protocol === "file:") {
    const path = fileURLToPath(url);
    if (options.mustExist && !existsSync(path)) {
      throw new StartProblem(
        `There is no database at ${path}: start the service once, or give this command the environment that the service has (FRONTDESK_HOME, or the setting of its database).`,
      );
    }
    const store = openSqliteStore<Tables>(path);
    try {
      await migrate(store, migrations, clock.now());
      return store;
    } catch (error) {
      await store.close();
      throw isDamaged(error) ? damagedDatabase(path, error) : error;
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
