import type { Clock } from "@frontdesk/kit/clock";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Store } from "@frontdesk/store/store";
import type { Kysely } from "kysely";
import type { Access, Members, Projects, ShareLinks, Todos, Webhooks } from "../domain/unit.ts";
import type { RevokedHere } from "./admission.ts";
import { appMemberQueries, todoPlaces } from "./app-unit.ts";
import type { HotQueries } from "./hot-queries.ts";
import { eventIsKept } from "./kept-event.ts";
import {
  memberFrom,
  memberRow,
  projectFrom,
  projectRow,
  shareLinkFrom,
  shareLinkRow,
  todoFrom,
  todoRow,
  tokenFrom,
  tokenRow,
  webhookFrom,
  webhookRow,
} from "./rows.ts";
import type { Tables } from "./tables.ts";

/** The queries of one change, each limited to its organisation. */

export function memberQueries(tx: Kysely<Tables>, hot: HotQueries, orgId: string): Members {
  const members = () => tx.selectFrom("members").selectAll().where("org_id", "=", orgId);
  return {
    byEmail: async (email) => {
      const [row] = await hot.memberByEmail(tx, { orgId, email });
      return row && memberFrom(row);
    },
    byRef: async (integrationId, ref) => {
      const [row] = await hot.memberByRef(tx, { orgId, integrationId, ref });
      return row && memberFrom(row);
    },
    withStatus: async (key) =>
      (
        await members()
          .where("status_key", key === null ? "is" : "=", key)
          .orderBy("id")
          .execute()
      ).map(memberFrom),
    expiredBy: async (time, limit) =>
      (
        await members()
          .where("status_expires_at", "<=", time)
          .orderBy("status_expires_at")
          .orderBy("id")
          .limit(limit)
          .execute()
      ).map(memberFrom),
    insert: async (member) => {
      await tx.insertInto("members").values(memberRow(orgId, member)).execute();
    },
    delete: async ({ id, name }, leftAt) => {
      await tx.insertInto("former_members").values({ id, org_id: orgId, name, left_at: leftAt }).execute();
      await tx.deleteFrom("members").where("id", "=", id).execute();
    },
    saveStatus: async (memberId, status) => {
      await hot.saveStatus(tx, {
        id: memberId,
        status_key: status.statusKey,
        status_expires_at: status.statusExpiresAt,
        status_set_at: status.statusSetAt,
        status_source: status.statusSource,
        status_note: status.statusNote,
        status_by: status.statusBy,
        status_plan: status.statusPlan,
      });
    },
    ...appMemberQueries(tx, orgId),
    saveRefs: async (member, integration, ref, refs) => {
      await tx
        .deleteFrom("member_refs")
        .where("member_id", "=", member.id)
        .where("integration_id", "=", integration.id)
        .execute();
      if (ref !== null) {
        await tx
          .insertInto("member_refs")
          .values({ integration_id: integration.id, external_ref: ref, member_id: member.id })
          .execute();
      }
      await tx
        .updateTable("members")
        .set({ refs: JSON.stringify(refs) })
        .where("id", "=", member.id)
        .execute();
    },
  };
}

export function taskQueries(
  tx: Kysely<Tables>,
  hot: HotQueries,
  orgId: string,
): { projects: Projects; todos: Todos; shareLinks: ShareLinks } {
  const links = () => tx.selectFrom("share_links").selectAll().where("org_id", "=", orgId);
  return {
    projects: {
      find: async (id) => {
        const row = await tx
          .selectFrom("projects")
          .selectAll()
          .where("org_id", "=", orgId)
          .where("id", "=", id)
          .executeTakeFirst();
        return row && projectFrom(row);
      },
      countOpen: async () => {
        const { count } = await tx
          .selectFrom("projects")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("org_id", "=", orgId)
          .where("archived", "=", 0)
          .executeTakeFirstOrThrow();
        return Number(count);
      },
      save: async (project) => {
        const row = projectRow(orgId, project);
        await tx
          .insertInto("projects")
          .values(row)
          .onConflict((conflict) =>
            conflict
              .column("id")
              .doUpdateSet({ name: row.name, archived: row.archived, updated_at: row.updated_at }),
          )
          .execute();
      },
    },
    todos: {
      find: async (id) => {
        const [row] = await hot.todo(tx, { orgId, id });
        return row && todoFrom(row);
      },
      byRef: async (integrationId, system, ref) => {
        const [row] = await hot.todoByRef(tx, { orgId, integrationId, system, ref });
        return row && todoFrom(row);
      },
      append: async (todo) => {
        const row = todoRow(orgId, { ...todo, position: 0 });
        const [placed] = await hot.appendTodo(tx, row);
        return placed && { ...todo, position: placed.position };
      },
      save: async (todo) => {
        const { id, ...row } = todoRow(orgId, todo);
        await tx.updateTable("todos").set(row).where("id", "=", id).execute();
      },
      ...todoPlaces(tx),
      delete: async (id) => {
        await tx.deleteFrom("todos").where("id", "=", id).execute();
      },
    },
    shareLinks: {
      find: async (id) => {
        const row = await links().where("id", "=", id).executeTakeFirst();
        return row && shareLinkFrom(row);
      },
      byHash: async (hash) => {
        const row = await links().where("token_hash", "=", hash).executeTakeFirst();
        return row && shareLinkFrom(row);
      },
      countLive: async (now) => {
        const { count } = await tx
          .selectFrom("share_links")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("org_id", "=", orgId)
          .where("revoked_at", "is", null)
          .where(({ or, eb }) => or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
          .executeTakeFirstOrThrow();
        return Number(count);
      },
      save: async (link) => {
        const row = shareLinkRow(orgId, link);
        await tx
          .insertInto("share_links")
          .values(row)
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({ revoked_at: row.revoked_at, accessed_at: row.accessed_at }),
          )
          .execute();
      },
    },
  };
}

export function accessQueries(
  tx: Kysely<Tables>,
  orgId: string,
  clock: Clock,
  revokedHere: RevokedHere,
): Access {
  const tokens = () => tx.selectFrom("tokens").selectAll().where("org_id", "=", orgId);
  return {
    integration: (name) =>
      tx
        .selectFrom("integrations")
        .select(["id", "name"])
        .where("org_id", "=", orgId)
        .where("name", "=", name)
        .executeTakeFirst(),
    insertIntegration: async ({ id, name }) => {
      await tx
        .insertInto("integrations")
        .values({ id, name, org_id: orgId, created_at: clock.now() })
        .execute();
    },
    tokensOf: async (integrationId) =>
      (await tokens().where("integration_id", "=", integrationId).orderBy("id").execute()).map(tokenFrom),
    token: async (id) => {
      const row = await tokens().where("id", "=", id).executeTakeFirst();
      return row && tokenFrom(row);
    },
    insertToken: async (token) => {
      await tx.insertInto("tokens").values(tokenRow(orgId, token)).execute();
    },
    revokeToken: async (id) => {
      revokedHere.keep(id, true);
      await tx.updateTable("tokens").set({ revoked_at: clock.now() }).where("id", "=", id).execute();
    },
  };
}

export function webhookQueries(
  store: Store<Tables>,
  tx: Kysely<Tables>,
  orgId: string,
  clock: Clock,
  box: SecretBox,
): Webhooks {
  const existing = () =>
    tx.selectFrom("webhooks").where("org_id", "=", orgId).where("state", "!=", "removed");
  return {
    // Locked, because whoever delivers writes the row without the organisation's lock.
    find: async (id) => {
      const row = await store.forUpdate(existing().selectAll().where("id", "=", id)).executeTakeFirst();
      return row && webhookFrom(row, box);
    },
    count: async () => {
      const { count } = await existing()
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    save: async (webhook) => {
      const row = webhookRow(webhook, box);
      await tx
        .insertInto("webhooks")
        .values({
          secret: "",
          previous_secret: null,
          ...row,
          id: webhook.id,
          org_id: orgId,
          cursor: webhook.cursor,
          last_matched: null,
          last_attempt_at: null,
          lease: null,
          lease_until: 0,
          created_at: webhook.createdAt,
        })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },
    // Its deliveries may be many: they go in portions, so that nobody waits long for the writer.
    delete: async (id) => {
      await tx
        .updateTable("webhooks")
        .set({ state: "removed", secret: "", previous_secret: null, lease: null })
        .where("id", "=", id)
        .execute();
    },
    hasDelivery: async (webhookId, id) => {
      const query = tx.selectFrom("deliveries").select("id").where("webhook_id", "=", webhookId);
      return (await query.where("id", "=", id).executeTakeFirst()) !== undefined;
    },
    redeliver: async (webhookId, which) => {
      const now = clock.now();
      const query = tx
        .updateTable("deliveries")
        .set({ state: "pending", step: 0, next_attempt_at: now, updated_at: now })
        .where("webhook_id", "=", webhookId)
        .where(eventIsKept);
      const chosen =
        "deliveryId" in which
          ? query.where("id", "=", which.deliveryId)
          : query.where("state", "=", "failed").where("updated_at", ">=", which.failedSince);
      return (await chosen.returning("id").execute()).length;
    },
  };
}
