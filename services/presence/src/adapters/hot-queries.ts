import type { Store } from "@frontdesk/store/store";
import { type Compilable, sql } from "kysely";
import { hotQuery, slot, slots } from "./hot-query.ts";
import type { Tables } from "./tables.ts";

export const EVENT_COLUMNS = [
  "org_id",
  "sequence",
  "id",
  "type",
  "occurred_at",
  "data",
  "source",
  "actor",
] as const;
/** Without the position, which the database finds. */
export const TODO_COLUMNS = [
  "id",
  "org_id",
  "member_id",
  "project_id",
  "text",
  "done_at",
  "archived",
  "integration_id",
  "external_system",
  "external_ref",
  "external_url",
  "source",
  "version",
  "created_at",
  "updated_at",
] as const;

/** What requests and deliveries ask again and again. */
export function createHotQueries(store: Store<Tables>) {
  const db = store.read;
  const hot = <Row>(query: Compilable<Row>) => hotQuery(store, query);
  const org = db.selectFrom("orgs").select(["id", "sequence", "vocabulary_id"]).where("id", "=", slot(0));
  const behindOthers = sql<number>`coalesce((select floor(position) from todos where member_id = ${slot(TODO_COLUMNS.indexOf("member_id"))} order by position desc limit 1), 0) + 1`;
  return {
    vocabularyId: hot(db.selectFrom("orgs").select(["id", "vocabulary_id"]).where("id", "=", slot(0))),
    lockOrg: hot(store.forUpdate(org)),
    saveSequence: hot(
      db
        .updateTable("orgs")
        .set({ sequence: slot(0) })
        .where("id", "=", slot(1)),
    ),
    insertEvent: hot(db.insertInto("events").values(slots(EVENT_COLUMNS))),
    memberByEmail: hot(
      db.selectFrom("members").selectAll().where("org_id", "=", slot(0)).where("email", "=", slot(1)),
    ),
    memberByRef: hot(
      db
        .selectFrom("members")
        .innerJoin("member_refs", "member_refs.member_id", "members.id")
        .selectAll("members")
        .where("members.org_id", "=", slot(0))
        .where("member_refs.integration_id", "=", slot(1))
        .where("member_refs.external_ref", "=", slot(2)),
    ),
    saveStatus: hot(
      db
        .updateTable("members")
        .set({
          status_key: slot(0),
          status_expires_at: slot(1),
          status_set_at: slot(2),
          status_source: slot(3),
        })
        .where("id", "=", slot(4)),
    ),
    todo: hot(db.selectFrom("todos").selectAll().where("org_id", "=", slot(0)).where("id", "=", slot(1))),
    todoByRef: hot(
      db
        .selectFrom("todos")
        .selectAll()
        .where("org_id", "=", slot(0))
        .where("integration_id", "=", slot(1))
        .where("external_system", "=", slot(2))
        .where("external_ref", "=", slot(3)),
    ),
    appendTodo: hot(
      db
        .insertInto("todos")
        .values({ ...slots(TODO_COLUMNS), position: behindOthers })
        .onConflict((conflict) => conflict.doNothing())
        .returning("position"),
    ),
    membersAfter: hot(
      db
        .selectFrom("members")
        .selectAll()
        .where("org_id", "=", slot(0))
        .where("id", ">", slot(1))
        .orderBy("id")
        .limit(slot(2)),
    ),
    projectsAfter: hot(
      db
        .selectFrom("projects")
        .selectAll()
        .where("org_id", "=", slot(0))
        .where("id", ">", slot(1))
        .orderBy("id")
        .limit(slot(2)),
    ),
    eventsAfter: hot(
      db
        .selectFrom("events")
        .selectAll()
        .where("org_id", "=", slot(0))
        .where("sequence", ">", slot(1))
        .orderBy("sequence")
        .limit(slot(2)),
    ),
  };
}

export type HotQueries = ReturnType<typeof createHotQueries>;
