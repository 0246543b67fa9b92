import { signinMigrations } from "@frontdesk/signin/migrations";
import type { MigrationSteps, Migrations } from "@frontdesk/store/migrate";
import { sql } from "kysely";

/** Forward only: a step that was released is never changed. */
const steps: MigrationSteps = {
  "001-avatars": async (tx) => {
    await tx.schema
      .createTable("avatars")
      .addColumn("hash", "text", (column) => column.primaryKey())
      .addColumn("version", "bigint", (column) => column.notNull())
      .addColumn("kind", "text")
      .addColumn("updated_at", "bigint")
      .addColumn("image", "text")
      .execute();
  },
  ...signinMigrations("avatar"),
  "002-accounts": async (tx) => {
    await tx.schema
      .createTable("accounts")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("primary_email", "text", (column) => column.notNull())
      .addColumn("first_name", "text")
      .addColumn("last_name", "text")
      .addColumn("version", "bigint", (column) => column.notNull())
      .addColumn("kind", "text")
      .addColumn("collection", "text")
      .addColumn("config", "text")
      .addColumn("updated_at", "bigint")
      .addColumn("image", "text")
      .execute();
    await tx.schema
      .createTable("claims")
      .addColumn("account_id", "text", (column) =>
        column.notNull().references("accounts.id").onDelete("cascade"),
      )
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("verified_at", "bigint")
      .addPrimaryKeyConstraint("claims_key", ["account_id", "email"])
      .execute();
    // What makes two accounts that verify one address at the same instant end as one winner and one loser.
    await tx.schema
      .createIndex("claims_verified_once")
      .unique()
      .on("claims")
      .column("email")
      .where(sql.ref("verified_at"), "is not", null)
      .execute();
    await tx.schema
      .createTable("admins")
      .addColumn("account_id", "text", (column) =>
        column.primaryKey().references("accounts.id").onDelete("cascade"),
      )
      .addColumn("granted_at", "bigint", (column) => column.notNull())
      .execute();
  },
  "003-objects": async (tx) => {
    await tx.schema
      .createTable("objects")
      .addColumn("address", "text", (column) => column.primaryKey())
      .addColumn("unused_since", "bigint")
      .addColumn("deleting_since", "bigint")
      .execute();
    await tx.schema
      .createIndex("objects_unused")
      .on("objects")
      .column("unused_since")
      .where(sql.ref("unused_since"), "is not", null)
      .execute();
    await tx.schema
      .createTable("object_uses")
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("user_id", "text", (column) => column.notNull())
      .addColumn("until", "bigint")
      .addPrimaryKeyConstraint("object_uses_key", ["address", "user_id"])
      .execute();
    await tx.schema.createIndex("object_uses_user").on("object_uses").column("user_id").execute();
    await tx.schema
      .createIndex("object_uses_until")
      .on("object_uses")
      .column("until")
      .where(sql.ref("until"), "is not", null)
      .execute();
  },
  "004-naming": async (tx) => {
    await tx.schema.alterTable("accounts").addColumn("naming_until", "bigint").execute();
  },
};

export const migrations: Migrations = { service: "avatar", steps };
