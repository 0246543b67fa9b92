import { type Kysely, sql } from "kysely";
import type { MemberSettings } from "../domain/records.ts";
import type { Invitations, Members, PlannedStatuses, Todos } from "../domain/unit.ts";
import { archivedLiteral } from "./archived-literal.ts";
import { invitationFrom, invitationRow, memberFrom, plannedFrom, plannedRow, todoFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** The queries of one change that only the web app and the clock ask for, each limited to its organisation. */

const NO_SETTINGS: MemberSettings = { follows: [], undo: null, calendarHash: null, calendarCreatedAt: null };

export function appMemberQueries(
  tx: Kysely<Tables>,
  orgId: string,
): Pick<
  Members,
  | "byId"
  | "known"
  | "withChosen"
  | "openEnded"
  | "countAdmins"
  | "saveOwn"
  | "saveProfile"
  | "settings"
  | "saveSettings"
> {
  const members = () => tx.selectFrom("members").selectAll().where("org_id", "=", orgId);
  return {
    byId: async (id) => {
      const row = await members().where("id", "=", id).executeTakeFirst();
      return row && memberFrom(row);
    },
    known: async (ids) => {
      if (ids.length === 0) return new Set();
      const rows = await tx
        .selectFrom("members")
        .select("id")
        .where("org_id", "=", orgId)
        .where("id", "in", ids)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    withChosen: async (key) => {
      const isPassing = JSON.stringify({ key }).slice(1, -1);
      const rows = await members()
        .where(({ or, eb }) => or([eb("own_key", "=", key), eb("passing", "like", `%${isPassing}%`)]))
        .orderBy("id")
        .execute();
      return rows.map(memberFrom);
    },
    openEnded: async (keys, before, now, limit) => {
      if (keys.length === 0) return [];
      const rows = await members()
        .where(({ or, and, eb }) =>
          or([
            and([
              eb("status_key", "in", keys),
              eb("status_expires_at", "is", null),
              or([eb("status_set_at", "<=", before), eb("status_set_at", ">", now)]),
            ]),
            and([
              eb("own_key", "in", keys),
              eb("own_expires_at", "is", null),
              or([eb("own_set_at", "<=", before), eb("own_set_at", ">", now)]),
            ]),
          ]),
        )
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(memberFrom);
    },
    countAdmins: async () => {
      const { count } = await tx
        .selectFrom("members")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("org_id", "=", orgId)
        .where("role", "=", "admin")
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    saveOwn: async (id, { ownKey, ownNote, ownExpiresAt, ownSetAt, ownPlan, passing }) => {
      await tx
        .updateTable("members")
        .set({
          own_key: ownKey,
          own_note: ownNote,
          own_expires_at: ownExpiresAt,
          own_set_at: ownSetAt,
          own_plan: ownPlan,
          passing: passing && JSON.stringify(passing),
        })
        .where("id", "=", id)
        .execute();
    },
    saveProfile: async ({ id, name, role, group, timeZone }) => {
      await tx
        .updateTable("members")
        .set({ name, role, group_name: group, time_zone: timeZone })
        .where("id", "=", id)
        .execute();
    },
    settings: async (id) => {
      const row = await tx
        .selectFrom("member_settings")
        .selectAll()
        .where("member_id", "=", id)
        .executeTakeFirst();
      return row ? memberSettingsFrom(row) : NO_SETTINGS;
    },
    saveSettings: async (id, settings) => {
      const row = {
        follows: JSON.stringify(settings.follows),
        undo: settings.undo && JSON.stringify(settings.undo),
        calendar_hash: settings.calendarHash,
        calendar_created_at: settings.calendarCreatedAt,
      };
      await tx
        .insertInto("member_settings")
        .values({ member_id: id, ...row })
        .onConflict((conflict) => conflict.column("member_id").doUpdateSet(row))
        .execute();
    },
  };
}

export const memberSettingsFrom = (row: Tables["member_settings"]): MemberSettings => ({
  follows: JSON.parse(row.follows),
  undo: row.undo && JSON.parse(row.undo),
  calendarHash: row.calendar_hash,
  calendarCreatedAt: row.calendar_created_at,
});

export function plannedQueries(tx: Kysely<Tables>, orgId: string): PlannedStatuses {
  const planned = () => tx.selectFrom("planned_statuses").selectAll().where("org_id", "=", orgId);
  const inOrgZone = () =>
    tx.selectFrom("members").select("id").where("org_id", "=", orgId).where("time_zone", "is", null);
  return {
    find: async (id) => {
      const row = await planned().where("id", "=", id).executeTakeFirst();
      return row && plannedFrom(row);
    },
    of: async (memberId) =>
      (await planned().where("member_id", "=", memberId).orderBy("id").execute()).map(plannedFrom),
    withStatus: async (key) =>
      (await planned().where("status_key", "=", key).orderBy("id").execute()).map(plannedFrom),
    weeklyTimesInOrgZone: async () => {
      const rows = await tx
        .selectFrom("planned_statuses")
        .select(["weekday", "start_minute", "next_at"])
        .distinct()
        .where("org_id", "=", orgId)
        .where("weekday", "is not", null)
        .where("member_id", "in", inOrgZone())
        .execute();
      return rows.map((row) => ({
        weekday: row.weekday,
        startMinute: row.start_minute,
        nextAt: row.next_at,
      }));
    },
    moveInOrgZone: async ({ weekday, startMinute, nextAt }, movedTo) => {
      await tx
        .updateTable("planned_statuses")
        .set({ next_at: movedTo })
        .where("org_id", "=", orgId)
        .where("weekday", "=", weekday)
        .where("start_minute", "=", startMinute)
        .where("next_at", nextAt === null ? "is" : "=", nextAt)
        .where("member_id", "in", inOrgZone())
        .execute();
    },
    runningInOrgZone: async () => {
      const rows = await planned()
        .where("weekday", "is not", null)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("members as m")
              .leftJoin("member_settings as s", "s.member_id", "m.id")
              .select("m.id")
              .whereRef("m.id", "=", "planned_statuses.member_id")
              .where("m.time_zone", "is", null)
              .where(({ or, eb, ref }) =>
                or([
                  eb("m.status_plan", "=", ref("planned_statuses.id")),
                  eb("m.own_plan", "=", ref("planned_statuses.id")),
                  eb("m.passing", "like", sql<string>`'%' || ${ref("planned_statuses.id")} || '%'`),
                  eb("s.undo", "like", sql<string>`'%' || ${ref("planned_statuses.id")} || '%'`),
                ]),
              ),
          ),
        )
        .orderBy("id")
        .execute();
      return rows.map(plannedFrom);
    },
    due: async (time, limit) => {
      const rows = await planned()
        .where("next_at", "<=", time)
        .orderBy("next_at")
        // Of those that begin together the longer first: the shorter is shown over it, and it comes back.
        .orderBy(
          sql`case when weekday is null then ends_at - next_at else (end_minute - start_minute + 1440) % 1440 * 60000 end`,
          "desc",
        )
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(plannedFrom);
    },
    weeklyAfter: async (time, limit) => {
      const rows = await planned()
        .where("next_at", ">", time)
        .where("weekday", "is not", null)
        .orderBy("next_at")
        .limit(limit)
        .execute();
      return rows.map(plannedFrom);
    },
    dueMembers: async (time) => {
      const rows = await tx
        .selectFrom("planned_statuses")
        .select("member_id")
        .distinct()
        .where("org_id", "=", orgId)
        .where("next_at", "<=", time)
        .execute();
      return new Set(rows.map(({ member_id }) => member_id));
    },
    deleteEnded: async (memberId, before) => {
      await tx
        .deleteFrom("planned_statuses")
        .where("member_id", "=", memberId)
        .where("ends_at", "<=", before)
        .execute();
    },
    save: async (record) => {
      const row = plannedRow(orgId, record);
      await tx
        .insertInto("planned_statuses")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },
    delete: async (id) => {
      await tx.deleteFrom("planned_statuses").where("id", "=", id).execute();
    },
  };
}

export function invitationQueries(tx: Kysely<Tables>, orgId: string): Invitations {
  const invitations = () => tx.selectFrom("invitations").selectAll().where("org_id", "=", orgId);
  return {
    find: async (id) => {
      const row = await invitations().where("id", "=", id).executeTakeFirst();
      return row && invitationFrom(row);
    },
    byEmail: async (email) => {
      const row = await invitations().where("email", "=", email).executeTakeFirst();
      return row && invitationFrom(row);
    },
    countOpen: async (now) => {
      const { count } = await tx
        .selectFrom("invitations")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("org_id", "=", orgId)
        .where("expires_at", ">", now)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    save: async (invitation) => {
      const row = invitationRow(orgId, invitation);
      await tx
        .insertInto("invitations")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },
    delete: async (id) => {
      await tx.deleteFrom("invitations").where("id", "=", id).execute();
      await tx.deleteFrom("mails").where("invitation_id", "=", id).execute();
    },
  };
}

export function todoPlaces(tx: Kysely<Tables>): Pick<Todos, "countOpen" | "following"> {
  return {
    countOpen: async (memberId) => {
      const { count } = await tx
        .selectFrom("todos")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("member_id", "=", memberId)
        .where("archived", "=", archivedLiteral(false))
        .where("done_at", "is", null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    following: async (memberId, after, without, limit) => {
      let query = tx
        .selectFrom("todos")
        .selectAll()
        .where("member_id", "=", memberId)
        .where("id", "!=", without);
      if (after) query = query.where(sql<boolean>`(position, id) > (${after.position}, ${after.id})`);
      return (await query.orderBy("position").orderBy("id").limit(limit).execute()).map(todoFrom);
    },
  };
}
