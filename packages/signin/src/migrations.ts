import type { MigrationSteps } from "@frontdesk/store/migrate";
import { PostgresAdapter, sql } from "kysely";
import { serviceTable } from "./service-tables.ts";

const TABLES = ["signin_codes", "signin_sessions", "signin_totp", "signin_recovery_codes"];

/** For the service to apply beside its own. Forward only: a step that was released is never changed. */
export const signinMigrations = (service: string): MigrationSteps => ({
  "signin-001-codes-and-sessions": async (tx) => {
    await tx.schema
      .createTable("signin_codes")
      .addColumn("purpose", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("code_hash", "text", (column) => column.notNull())
      .addColumn("tries", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("signin_codes_key", ["purpose", "address"])
      .execute();
    await tx.schema.createIndex("signin_codes_expiry").on("signin_codes").column("expires_at").execute();
    await tx.schema
      .createTable("signin_sessions")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("last_seen_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("user_agent", "text", (column) => column.notNull())
      .execute();
    await tx.schema.createIndex("signin_sessions_subject").on("signin_sessions").column("subject").execute();
    await tx.schema
      .createIndex("signin_sessions_expiry")
      .on("signin_sessions")
      .column("expires_at")
      .execute();
  },
  "signin-002-second-factor": async (tx) => {
    await tx.schema
      .createTable("signin_totp")
      .addColumn("subject", "text", (column) => column.primaryKey())
      .addColumn("secret", "text", (column) => column.notNull())
      .addColumn("confirmed_at", "bigint")
      .addColumn("last_step", "bigint", (column) => column.notNull())
      .execute();
    await tx.schema
      .createTable("signin_recovery_codes")
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("code_hash", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("signin_recovery_codes_key", ["subject", "code_hash"])
      .execute();
  },
  // Another service may have its own in the same database.
  "signin-003-tables-of-the-service": async (tx) => {
    const isPostgres = tx.getExecutor().adapter instanceof PostgresAdapter;
    for (const table of TABLES) {
      const name = serviceTable(service, table);
      await tx.schema.alterTable(table).renameTo(name).execute();
      // PostgreSQL's indexes have names of their own beside the tables; SQLite's file is one service's.
      if (!isPostgres) continue;
      const { rows } = await sql<{ indexname: string }>`select indexname from pg_indexes
        where schemaname = current_schema() and tablename = ${name}`.execute(tx);
      for (const { indexname } of rows) {
        const renamed = sql.id(serviceTable(service, indexname));
        await sql`alter index ${sql.id(indexname)} rename to ${renamed}`.execute(tx);
      }
    }
  },
});
