import type { Store } from "@frontdesk/store/store";
import { sql } from "kysely";
import type { AppReadModel, Membership, TodoOrder } from "../domain/app-read-model.ts";
import { memberSettingsFrom } from "./app-unit.ts";
import { archivedLiteral } from "./archived-literal.ts";
import { readWebhooks } from "./delivery-log.ts";
import { deliveryPages } from "./delivery-pages.ts";
import { pageOf } from "./row-page.ts";
import {
  auditFrom,
  invitationFrom,
  memberFrom,
  orgFrom,
  plannedFrom,
  projectFrom,
  shareLinkFrom,
  todoFrom,
  unattendedFrom,
} from "./rows.ts";
import type { StoreReader } from "./store-reader.ts";
import type { Tables } from "./tables.ts";

const TODO_ORDERS = {
  position: ["position", "asc"],
  done: ["done_at", "desc"],
  changed: ["updated_at", "desc"],
} as const satisfies Record<TodoOrder, readonly [keyof Tables["todos"], "asc" | "desc"]>;
/** So many events are looked at for one page, however few of them fit. */
const MAX_LOOKED_AT = 20_000;

/** What the web app reads beside what the integration API does. */
export function createAppReader(store: Store<Tables>, reader: StoreReader): AppReadModel {
  const { read } = store;
  const org = async (id: string) => {
    const row = await read.selectFrom("orgs").selectAll().where("id", "=", id).executeTakeFirst();
    return row && orgFrom(row);
  };
  return {
    org,
    memberList: reader.memberList,
    projectList: reader.projectList,
    tokenList: reader.tokenList,
    webhookList: (orgId) => readWebhooks(store, orgId),
    ...deliveryPages(store),

    membership: async (slug, email) => {
      const found = await reader.orgBySlug(slug);
      if (!found) return undefined;
      const row = await read
        .selectFrom("members")
        .selectAll()
        .where("org_id", "=", found.id)
        .where("email", "=", email)
        .executeTakeFirst();
      return row && { org: found, member: memberFrom(row) };
    },
    membershipsOf: async (email) => {
      const rows = await read.selectFrom("members").selectAll().where("email", "=", email).execute();
      const found: Membership[] = [];
      for (const row of rows) {
        const of = await org(row.org_id);
        if (of) found.push({ org: of, member: memberFrom(row) });
      }
      return found.sort((a, b) => (a.org.slug < b.org.slug ? -1 : 1));
    },
    invitationsTo: async (email, now) => {
      const rows = await read
        .selectFrom("invitations")
        .innerJoin("orgs", "orgs.id", "invitations.org_id")
        .selectAll("invitations")
        .select("orgs.name as org_name")
        .where("invitations.email", "=", email)
        .where("invitations.expires_at", ">", now)
        .orderBy("invitations.id")
        .execute();
      return rows.map(({ org_name, ...row }) => ({
        ...invitationFrom(row),
        org: { id: row.org_id, name: org_name },
      }));
    },
    memberById: async (orgId, id) => {
      const row = await read
        .selectFrom("members")
        .selectAll()
        .where("org_id", "=", orgId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && memberFrom(row);
    },
    memberSettings: async (memberId) => {
      const row = await read
        .selectFrom("member_settings")
        .selectAll()
        .where("member_id", "=", memberId)
        .executeTakeFirst();
      return row
        ? memberSettingsFrom(row)
        : { follows: [], undo: null, calendarHash: null, calendarCreatedAt: null };
    },
    planned: async (memberId) =>
      (
        await read
          .selectFrom("planned_statuses")
          .selectAll()
          .where("member_id", "=", memberId)
          .orderBy("id")
          .execute()
      ).map(plannedFrom),
    revision: async (orgId) => {
      const row = await read
        .selectFrom("orgs")
        .select(["revision", "revision_before", "revised"])
        .where("id", "=", orgId)
        .executeTakeFirst();
      const { revision = "", revision_before: before = "", revised = null } = row ?? {};
      const what = revised === null ? undefined : revised === "nothing" ? revised : { member: revised };
      return { revision, before, revised: what };
    },

    todosOf: async (orgId, filter, after, limit) => {
      let query = read.selectFrom("todos").selectAll().where("org_id", "=", orgId);
      if (filter.member !== undefined) query = query.where("member_id", "=", filter.member);
      if (filter.project !== undefined) query = query.where("project_id", "=", filter.project);
      if (filter.done !== undefined) query = query.where("done_at", filter.done ? "is not" : "is", null);
      if (filter.archived !== undefined)
        query = query.where("archived", "=", archivedLiteral(filter.archived));
      const [column, direction] = TODO_ORDERS[filter.order ?? "position"];
      if (column === "done_at") query = query.where(column, "is not", null);
      if (after) {
        const isBehind = sql.raw(direction === "asc" ? ">" : "<");
        query = query.where(sql<boolean>`(${sql.ref(column)}, id) ${isBehind} (${after[0]}, ${after[1]})`);
      }
      const rows = await query
        .orderBy(column, direction)
        .orderBy("id", direction)
        .limit(limit + 1)
        .execute();
      return pageOf(rows.map(todoFrom), limit);
    },
    project: async (orgId, id) => {
      const row = await read
        .selectFrom("projects")
        .selectAll()
        .where("org_id", "=", orgId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && projectFrom(row);
    },
    openCounts: async (orgId) => {
      const rows = await read
        .selectFrom("todos")
        .select(["project_id", ({ fn }) => fn.countAll<number>().as("count")])
        .where("project_id", "in", (eb) => eb.selectFrom("projects").select("id").where("org_id", "=", orgId))
        .where("done_at", "is", null)
        .where("archived", "=", archivedLiteral(false))
        .groupBy("project_id")
        .execute();
      return new Map(rows.map(({ project_id, count }) => [project_id ?? "", Number(count)]));
    },

    shareLinks: async (orgId) =>
      (
        await read
          .selectFrom("share_links")
          .selectAll()
          .where("org_id", "=", orgId)
          .where("revoked_at", "is", null)
          .orderBy("id", "desc")
          .execute()
      ).map(shareLinkFrom),
    shareLink: async (hash) => {
      const row = await read
        .selectFrom("share_links")
        .selectAll()
        .where("token_hash", "=", hash)
        .executeTakeFirst();
      return row && { link: shareLinkFrom(row), orgId: row.org_id };
    },
    calendarOwner: async (hash) => {
      const row = await read
        .selectFrom("members")
        .innerJoin("member_settings", "member_settings.member_id", "members.id")
        .selectAll("members")
        .where("member_settings.calendar_hash", "=", hash)
        .executeTakeFirst();
      const of = row && (await org(row.org_id));
      return row && of && { org: of, member: memberFrom(row) };
    },
    invitations: async (orgId) =>
      (
        await read
          .selectFrom("invitations")
          .selectAll()
          .where("org_id", "=", orgId)
          .orderBy("email")
          .execute()
      ).map(invitationFrom),
    statusCounts: async (orgId, now) => {
      const holders = await read
        .selectFrom("members")
        .select(["status_key", ({ fn }) => fn.countAll<number>().as("count")])
        .where("org_id", "=", orgId)
        .groupBy("status_key")
        .execute();
      const planned = await read
        .selectFrom("planned_statuses")
        .select(["status_key", ({ fn }) => fn.countAll<number>().as("count")])
        .where("org_id", "=", orgId)
        // What is over stays until the member plans something else.
        .where((eb) => eb.or([eb("next_at", "is not", null), eb("ends_at", ">", now)]))
        .groupBy("status_key")
        .execute();
      return {
        holders: new Map(holders.map(({ status_key, count }) => [status_key, Number(count)])),
        planned: new Map(planned.map(({ status_key, count }) => [status_key, Number(count)])),
      };
    },

    formerNames: async (orgId, ids) => {
      const rows = await read
        .selectFrom("former_members")
        .select(["id", "name"])
        .where("org_id", "=", orgId)
        .where("id", "in", [...ids])
        .execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    auditPage: async (orgId, filter, before, limit) => {
      let query = read.selectFrom("audit_log").selectAll().where("org_id", "=", orgId);
      if (filter.actor !== undefined) query = query.where("actor", "=", filter.actor);
      if (filter.action !== undefined) query = query.where("action", "=", filter.action);
      if (before !== undefined) query = query.where("id", "<", before);
      const rows = await query
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      return pageOf(rows.map(auditFrom), limit);
    },
    unattendedPage: async (orgId, filter, before, limit) => {
      const { first, last } = await read
        .selectFrom("events")
        .select(({ fn }) => [
          fn.min<number | null>("sequence").as("first"),
          fn.max<number | null>("sequence").as("last"),
        ])
        .where("org_id", "=", orgId)
        .executeTakeFirstOrThrow();
      const end = before ?? Number(last ?? 0) + 1;
      const begin = end - MAX_LOOKED_AT;
      let query = read
        .selectFrom("events")
        .selectAll()
        .where("org_id", "=", orgId)
        .where("sequence", "<", end)
        .where("sequence", ">=", begin)
        .where("actor", "not like", "member:%")
        .where("actor", "!=", "cli");
      if (filter.actor !== undefined) query = query.where("actor", "=", filter.actor);
      if (filter.action !== undefined) query = query.where("type", "=", filter.action);
      const rows = await query.orderBy("sequence", "desc").limit(limit).execute();
      const lowest = rows.length === limit ? Number(rows.at(-1)?.sequence) : begin;
      return {
        items: rows.map(unattendedFrom),
        next: first !== null && lowest > Number(first) ? lowest : null,
      };
    },
  };
}
