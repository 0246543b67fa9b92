import type { Store } from "@frontdesk/store/store";
import { hotQuery, slot, slots } from "./hot-query.ts";
import type { Tables } from "./tables.ts";

export const EVENT_COLUMNS = ["org_id", "sequence", "id", "type", "occurred_at", "data"] as const;
export const TODO_COLUMNS = [
  "id",
  "org_id",
  "member_id",
  "project_id",
  "text",
  "done_at",
  "archived",
  "position",
  "integration_id",
  "external_system",
  "external_ref",
  "external_url",
  "source",
  "version",
  "created_at",
  "updated_at",
] as const;

/** What setting a status and creating a TODO need, from the token to the event. */
export function createHotQueries(store: Store<Tables>) {
  const db = store.read;
  const org = db.selectFrom("orgs").selectAll().where("id", "=", slot(0));
  return {
    tokenHolder: hotQuery(
      db
        .selectFrom("tokens")
        .innerJoin("integrations", "integrations.id", "tokens.integration_id")
        .innerJoin("orgs", "orgs.id", "tokens.org_id")
        .selectAll("orgs")
        .select([
          "tokens.id as token_id",
          "tokens.scopes",
          "tokens.expires_at",
          "tokens.revoked_at",
          "integrations.id as integration_id",
          "integrations.name as integration_name",
        ])
        .where("tokens.hash", "=", slot(0)),
    ),
    lockOrg: hotQuery(store.engine === "postgres" ? org.forUpdate() : org),
    saveSequence: hotQuery(
      db
        .updateTable("orgs")
        .set({ sequence: slot(0) })
        .where("id", "=", slot(1)),
    ),
    insertEvent: hotQuery(db.insertInto("events").values(slots(EVENT_COLUMNS))),
    memberByEmail: hotQuery(
      db.selectFrom("members").selectAll().where("org_id", "=", slot(0)).where("email", "=", slot(1)),
    ),
    saveStatus: hotQuery(
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
    todoByRef: hotQuery(
      db
        .selectFrom("todos")
        .selectAll()
        .where("org_id", "=", slot(0))
        .where("integration_id", "=", slot(1))
        .where("external_system", "=", slot(2))
        .where("external_ref", "=", slot(3)),
    ),
    lastPosition: hotQuery(
      db
        .selectFrom("todos")
        .select("position")
        .where("member_id", "=", slot(0))
        .orderBy("position", "desc")
        .limit(1),
    ),
    insertTodo: hotQuery(db.insertInto("todos").values(slots(TODO_COLUMNS))),
  };
}

export type HotQueries = ReturnType<typeof createHotQueries>;
