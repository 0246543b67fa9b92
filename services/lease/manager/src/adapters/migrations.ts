import type { Migrations } from "@frontdesk/store/migrate";
import { tokenRoots } from "./token-roots.ts";

export const migrations: Migrations = {
  service: "lease",
  steps: {
    "001-users": async (tx) => {
      await tx.schema
        .createTable("lease_users")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("username", "text", (column) => column.notNull().unique())
        .addColumn("role", "text", (column) => column.notNull())
        .addColumn("password_hash", "text", (column) => column.notNull())
        .addColumn("created_at", "bigint", (column) => column.notNull())
        .addColumn("last_sign_in_at", "bigint")
        .execute();
      await tx.schema
        .createTable("lease_sessions")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("user_id", "text", (column) => column.notNull())
        .addColumn("created_at", "bigint", (column) => column.notNull())
        .addColumn("seen_at", "bigint", (column) => column.notNull())
        .execute();
      await tx.schema
        .createTable("lease_tokens")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("role", "text", (column) => column.notNull())
        .addColumn("hash", "text", (column) => column.notNull().unique())
        .addColumn("created_by", "text", (column) => column.notNull())
        .addColumn("created_at", "bigint", (column) => column.notNull())
        .addColumn("expires_at", "bigint")
        .addColumn("last_used_at", "bigint")
        .execute();
    },
    "002-audit": async (tx) => {
      await tx.schema
        .createTable("lease_audit")
        .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
        .addColumn("at", "bigint", (column) => column.notNull())
        .addColumn("actor", "text", (column) => column.notNull())
        .addColumn("action", "text", (column) => column.notNull())
        .addColumn("subject", "text")
        .addColumn("details", "text")
        .execute();
    },
    "003-config-versions": async (tx) => {
      await tx.schema
        .createTable("lease_config_versions")
        .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
        .addColumn("version", "text", (column) => column.notNull())
        .addColumn("at", "bigint", (column) => column.notNull())
        .addColumn("actor", "text", (column) => column.notNull())
        .addColumn("text", "text", (column) => column.notNull())
        .execute();
    },
    "004-rollout": async (tx) => {
      await tx.schema
        .createTable("lease_rollout")
        .addColumn("id", "integer", (column) => column.primaryKey())
        .addColumn("started_at", "bigint", (column) => column.notNull())
        .addColumn("started_by", "text", (column) => column.notNull())
        .addColumn("filter", "text", (column) => column.notNull())
        .addColumn("pace", "text", (column) => column.notNull())
        .execute();
    },
    "005-token-roots": tokenRoots,
  },
};
