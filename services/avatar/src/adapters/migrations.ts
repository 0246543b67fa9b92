import type { Migrations } from "@frontdesk/store/migrate";

/** Forward only: a step that was released is never changed. */
export const migrations: Migrations = {
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
};
