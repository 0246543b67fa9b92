import { parametersOf, prepared } from "@frontdesk/store/prepared-query";
import type { Store } from "@frontdesk/store/store";
import { type Insertable, sql } from "kysely";
import type { Tables } from "./tables.ts";

const EVENT_COLUMNS = ["org_id", "sequence", "id", "type", "occurred_at", "data", "source", "actor"] as const;
/** Without the position, which the database finds. */
const TODO_COLUMNS = [
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

type NewEvent = Insertable<Tables["events"]>;
type NewTodo = Omit<Insertable<Tables["todos"]>, "position">;
const STATUS_COLUMNS = [
  "status_key",
  "status_expires_at",
  "status_set_at",
  "status_source",
  "status_note",
  "status_by",
  "status_plan",
] as const;
type Status = Pick<Tables["members"], "id" | (typeof STATUS_COLUMNS)[number]>;
interface After {
  readonly orgId: string;
  readonly after: string;
  readonly limit: number;
}

/** What requests and deliveries ask again and again, as prepared statements. */
export function createHotQueries(store: Store<Tables>) {
  const db = store.read;
  return {
    vocabularyId: prepared<{ orgId: string }>()(store, (param) =>
      db.selectFrom("orgs").select(["id", "vocabulary_id"]).where("id", "=", param("orgId")),
    ),
    lockOrg: prepared<{ orgId: string }>()(store, (param) =>
      store.forUpdate(
        db.selectFrom("orgs").select(["id", "sequence", "vocabulary_id"]).where("id", "=", param("orgId")),
      ),
    ),
    saveSequence: prepared<{ orgId: string; sequence: number }>()(store, (param) =>
      db
        .updateTable("orgs")
        .set({ sequence: param("sequence") })
        .where("id", "=", param("orgId")),
    ),
    insertEvent: prepared<NewEvent>()(store, (param) =>
      db.insertInto("events").values(parametersOf(param, EVENT_COLUMNS)),
    ),
    memberByEmail: prepared<{ orgId: string; email: string }>()(store, (param) =>
      db
        .selectFrom("members")
        .selectAll()
        .where("org_id", "=", param("orgId"))
        .where("email", "=", param("email")),
    ),
    memberByRef: prepared<{ orgId: string; integrationId: string; ref: string }>()(store, (param) =>
      db
        .selectFrom("members")
        .innerJoin("member_refs", "member_refs.member_id", "members.id")
        .selectAll("members")
        .where("members.org_id", "=", param("orgId"))
        .where("member_refs.integration_id", "=", param("integrationId"))
        .where("member_refs.external_ref", "=", param("ref")),
    ),
    saveStatus: prepared<Status>()(store, (param) =>
      db.updateTable("members").set(parametersOf(param, STATUS_COLUMNS)).where("id", "=", param("id")),
    ),
    todo: prepared<{ orgId: string; id: string }>()(store, (param) =>
      db.selectFrom("todos").selectAll().where("org_id", "=", param("orgId")).where("id", "=", param("id")),
    ),
    todoByRef: prepared<{ orgId: string; integrationId: string; system: string; ref: string }>()(
      store,
      (param) =>
        db
          .selectFrom("todos")
          .selectAll()
          .where("org_id", "=", param("orgId"))
          .where("integration_id", "=", param("integrationId"))
          .where("external_system", "=", param("system"))
          .where("external_ref", "=", param("ref")),
    ),
    appendTodo: prepared<NewTodo>()(store, (param) => {
      const behindOthers = sql<number>`coalesce((select floor(position) from todos where member_id = ${param("member_id")} order by position desc limit 1), 0) + 1`;
      return db
        .insertInto("todos")
        .values({ ...parametersOf(param, TODO_COLUMNS), position: behindOthers })
        .onConflict((conflict) => conflict.doNothing())
        .returning("position");
    }),
    membersAfter: prepared<After>()(store, (param) =>
      db
        .selectFrom("members")
        .selectAll()
        .where("org_id", "=", param("orgId"))
        .where("id", ">", param("after"))
        .orderBy("id")
        .limit(param("limit")),
    ),
    projectsAfter: prepared<After>()(store, (param) =>
      db
        .selectFrom("projects")
        .selectAll()
        .where("org_id", "=", param("orgId"))
        .where("id", ">", param("after"))
        .orderBy("id")
        .limit(param("limit")),
    ),
    eventsAfter: prepared<{ orgId: string; after: number; limit: number }>()(store, (param) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("org_id", "=", param("orgId"))
        .where("sequence", ">", param("after"))
        .orderBy("sequence")
        .limit(param("limit")),
    ),
  };
}

export type HotQueries = ReturnType<typeof createHotQueries>;
