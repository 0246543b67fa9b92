import type { Migrations } from "@frontdesk/store/migrate";

/** A small schema for the contract suite. */
export interface SampleTables {
  notes: { id: number; text: string };
  counter: { id: number; value: number };
}

export const sampleMigrations: Migrations = {
  "001-notes": async (tx) => {
    await tx.schema
      .createTable("notes")
      .addColumn("id", "bigint", (column) => column.primaryKey())
      .addColumn("text", "text", (column) => column.notNull())
      .execute();
  },
  "002-counter": async (tx) => {
    await tx.schema
      .createTable("counter")
      .addColumn("id", "bigint", (column) => column.primaryKey())
      .addColumn("value", "bigint", (column) => column.notNull())
      .execute();
    await tx.insertInto("counter").values({ id: 1, value: 0 }).execute();
  },
};
