import type { MigrationSteps, Migrations } from "@frontdesk/store/migrate";

/** A small schema for the contract suite. */
export interface SampleTables {
  notes: { id: number; text: string };
  /** What belongs to a note, and goes when it goes. */
  tags: { note_id: number; tag: string };
  counter: { id: number; value: number };
}

const steps: MigrationSteps = {
  "001-notes": async (tx) => {
    await tx.schema
      .createTable("notes")
      .addColumn("id", "bigint", (column) => column.primaryKey())
      .addColumn("text", "text", (column) => column.notNull())
      .execute();
    await tx.schema
      .createTable("tags")
      .addColumn("note_id", "bigint", (column) => column.references("notes.id").onDelete("cascade").notNull())
      .addColumn("tag", "text", (column) => column.notNull())
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

export const sampleMigrations: Migrations = { service: "sample", steps };
