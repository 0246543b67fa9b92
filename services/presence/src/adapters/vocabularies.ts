import type { Kysely } from "kysely";
import type { StatusDefinition } from "../domain/resources.ts";
import { memory } from "./memory.ts";
import type { Tables } from "./tables.ts";

export type Vocabularies = (
  db: Kysely<Tables>,
  org: { id: string; vocabulary_id: string },
) => readonly StatusDefinition[] | Promise<readonly StatusDefinition[]>;

/**
 * Nearly every request needs a vocabulary, and hardly one changes it. Each version has an identifier
 * of its own that is never used again, so what is kept under one stays true, whoever changes it.
 */
export function createVocabularies(): Vocabularies {
  const { get, keep } = memory<readonly StatusDefinition[]>();
  return (db, org) => get(org.vocabulary_id) ?? read(db, org.id);

  async function read(db: Kysely<Tables>, orgId: string): Promise<readonly StatusDefinition[]> {
    const row = await db
      .selectFrom("orgs")
      .select(["vocabulary_id", "vocabulary"])
      .where("id", "=", orgId)
      .executeTakeFirstOrThrow();
    return keep(row.vocabulary_id, JSON.parse(row.vocabulary));
  }
}
