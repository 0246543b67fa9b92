import { StartProblem } from "@frontdesk/kit/problem";
import { type Kysely, sql } from "kysely";
import type { Store } from "./store.ts";

/** A step forward. It gets a database of no particular shape, because shapes change and steps stay. */
// biome-ignore lint/suspicious/noExplicitAny: a migration outlives every table type
export type Migration = (tx: Kysely<any>) => Promise<void>;

/** In the order in which they are applied. */
export type Migrations = Readonly<Record<string, Migration>>;

interface Bookkeeping {
  schema_migrations: { name: string; applied_at: number };
}

/** Any number that no one else uses as an advisory lock in this database. */
const POSTGRES_LOCK = 7_310_031_071;

/**
 * Brings the database forward, all steps or none. Copies that start at once wait for each other:
 * SQLite's write lock and PostgreSQL's advisory lock let one in at a time.
 */
export async function migrate<Tables>(
  store: Store<Tables>,
  migrations: Migrations,
  now: number,
): Promise<void> {
  await store.write(async (database) => {
    const tx = database as unknown as Kysely<Bookkeeping>;
    if (store.engine === "postgres") await sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`.execute(tx);
    await tx.schema
      .createTable("schema_migrations")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at", "bigint", (column) => column.notNull())
      .execute();
    const rows = await tx.selectFrom("schema_migrations").select("name").execute();
    const applied = new Set(rows.map(({ name }) => name));

    const unknown = [...applied].find((name) => !Object.hasOwn(migrations, name));
    if (unknown) {
      throw new StartProblem(
        `The database was used by a newer version of Frontdesk (it has "${unknown}"): run that version, or restore a backup.`,
      );
    }
    for (const [name, apply] of Object.entries(migrations)) {
      if (applied.has(name)) continue;
      await apply(database);
      await tx.insertInto("schema_migrations").values({ name, applied_at: now }).execute();
    }
  });
}
