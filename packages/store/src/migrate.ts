import { StartProblem } from "@frontdesk/kit/problem";
import { type Kysely, sql } from "kysely";
import type { Store } from "./store.ts";

/** A step forward. It gets a database of no particular shape, because shapes change and steps stay. */
// biome-ignore lint/suspicious/noExplicitAny: a migration outlives every table type
export type Migration = (tx: Kysely<any>) => Promise<void>;

/** In the order in which they are applied. */
export type MigrationSteps = Readonly<Record<string, Migration>>;

/** The steps of one service. Several services may keep their tables in one database. */
export interface Migrations {
  readonly service: string;
  readonly steps: MigrationSteps;
}

interface Bookkeeping {
  frontdesk_migrations: { service: string; name: string; applied_at: number };
  /** As it was while a database belonged to one service. */
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
  { service, steps }: Migrations,
  now: number,
): Promise<void> {
  await store.write(async (database) => {
    const tx = database as unknown as Kysely<Bookkeeping>;
    if (store.engine === "postgres") await sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`.execute(tx);
    await tx.schema
      .createTable("frontdesk_migrations")
      .ifNotExists()
      .addColumn("service", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("applied_at", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("frontdesk_migrations_key", ["service", "name"])
      .execute();
    if (await hasUnnamed(store, tx)) await adoptUnnamed(tx, service, steps);
    const rows = await tx
      .selectFrom("frontdesk_migrations")
      .select("name")
      .where("service", "=", service)
      .execute();
    const applied = new Set(rows.map(({ name }) => name));

    const unknown = [...applied].find((name) => !Object.hasOwn(steps, name));
    if (unknown) {
      throw new StartProblem(
        `The database was used by a newer version of Frontdesk (it has "${unknown}"): run that version, or restore a backup.`,
      );
    }
    for (const [name, apply] of Object.entries(steps)) {
      if (applied.has(name)) continue;
      await apply(database);
      await tx.insertInto("frontdesk_migrations").values({ service, name, applied_at: now }).execute();
    }
  });
}

/** A table of that name is common: on PostgreSQL another program's may be in another schema, or not for us to read. */
async function hasUnnamed(store: { readonly engine: string }, tx: Kysely<Bookkeeping>): Promise<boolean> {
  if (store.engine === "postgres") {
    const readable = sql<{ ours: boolean | null }>`
      select has_table_privilege(to_regclass('schema_migrations'), 'select') as ours`;
    return (await readable.execute(tx)).rows[0]?.ours === true;
  }
  const tables = await tx.introspection.getTables();
  return tables.some(({ name }) => name === "schema_migrations");
}

/** The steps in a database from before they were named per service are of the service that knows the first of them. */
async function adoptUnnamed(tx: Kysely<Bookkeeping>, service: string, steps: MigrationSteps): Promise<void> {
  const rows = await tx.selectFrom("schema_migrations").selectAll().execute();
  const first = Object.keys(steps)[0];
  if (!rows.some(({ name }) => name === first)) return;
  await tx
    .insertInto("frontdesk_migrations")
    .values(rows.map((row) => ({ ...row, service })))
    .execute();
  await tx.schema.dropTable("schema_migrations").execute();
}
