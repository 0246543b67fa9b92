import type { Clock } from "@frontdesk/kit/clock";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Store } from "@frontdesk/store/store";
import type { Kysely } from "kysely";
import type { Unit } from "../domain/unit.ts";
import type { HotQueries } from "./hot-queries.ts";
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

type Part<K extends keyof Unit> = Pick<Unit, K>;

export function memberQueries(
  tx: Kysely<Tables>,
  hot: HotQueries,
  orgId: string,
): Part<
  | "memberByEmail"
  | "memberByRef"
  | "membersWithStatus"
  | "membersExpiredBy"
  | "insertMember"
  | "deleteMember"
  | "saveStatus"
  | "saveRefs"
> {
  const members = () => tx.selectFrom("members").selectAll().where("org_id", "=", orgId);
  return {
    memberByEmail: async (email) => {
      const [row] = await hot.memberByEmail(tx, { orgId, email });
      return row && memberFrom(row);
    },
    memberByRef: async (integrationId, ref) => {
      const [row] = await hot.memberByRef(tx, { orgId, integrationId, ref });
      return row && memberFrom(row);
    },
    membersWithStatus: async (key) =>
      (
        await members()
          .where("status_key", key === null ? "is" : "=", key)
          .orderBy("id")
          .execute()
      ).map(memberFrom),
    membersExpiredBy: async (time, limit) =>
      (
        await members()
          .where("status_expires_at", "<=", time)
          .orderBy("status_expires_at")
          .orderBy("id")
          .limit(limit)
          .execute()
      ).map(memberFrom),
    insertMember: async (member) => {
      await tx.insertInto("members").values(memberRow(orgId, member)).execute();
    },
    deleteMember: async (id) => {
      await tx.deleteFrom("members").where("id", "=", id).execute();
    },
    saveStatus: async (memberId, status) => {
      await hot.saveStatus(tx, {
        id: memberId,
        status_key: status.statusKey,
        status_expires_at: status.statusExpiresAt,
        status_set_at: status.statusSetAt,
        status_source: status.statusSource,
      });
    },
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
): Part<
  | "project"
  | "saveProject"
  | "todo"
  | "todoByRef"
  | "appendTodo"
  | "saveTodo"
  | "deleteTodo"
  | "shareLink"
  | "shareLinkByHash"
  | "saveShareLink"
> {
  const links = () => tx.selectFrom("share_links").selectAll().where("org_id", "=", orgId);
  return {
    project: async (id) => {
      const row = await tx
        .selectFrom("projects")
        .selectAll()
        .where("org_id", "=", orgId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && projectFrom(row);
    },
    saveProject: async (project) => {
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
    todo: async (id) => {
      const [row] = await hot.todo(tx, { orgId, id });
      return row && todoFrom(row);
    },
    todoByRef: async (integrationId, system, ref) => {
      const [row] = await hot.todoByRef(tx, { orgId, integrationId, system, ref });
      return row && todoFrom(row);
    },
    appendTodo: async (todo) => {
      const row = todoRow(orgId, { ...todo, position: 0 });
      const [placed] = await hot.appendTodo(tx, row);
      return placed && { ...todo, position: placed.position };
    },
    saveTodo: async (todo) => {
      const { id, ...row } = todoRow(orgId, todo);
      await tx.updateTable("todos").set(row).where("id", "=", id).execute();
    },
    deleteTodo: async (id) => {
      await tx.deleteFrom("todos").where("id", "=", id).execute();
    },
    shareLink: async (id) => {
      const row = await links().where("id", "=", id).executeTakeFirst();
      return row && shareLinkFrom(row);
    },
    shareLinkByHash: async (hash) => {
      const row = await links().where("token_hash", "=", hash).executeTakeFirst();
      return row && shareLinkFrom(row);
    },
    saveShareLink: async (link) => {
      const row = shareLinkRow(orgId, link);
      await tx
        .insertInto("share_links")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ revoked_at: row.revoked_at }))
        .execute();
    },
  };
}

export function accessQueries(
  tx: Kysely<Tables>,
  orgId: string,
  clock: Clock,
): Part<"integration" | "insertIntegration" | "tokensOf" | "tokenById" | "insertToken" | "revokeToken"> {
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
    tokenById: async (id) => {
      const row = await tokens().where("id", "=", id).executeTakeFirst();
      return row && tokenFrom(row);
    },
    insertToken: async (token) => {
      await tx.insertInto("tokens").values(tokenRow(orgId, token)).execute();
    },
    revokeToken: async (id) => {
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
): Part<"webhook" | "countWebhooks" | "saveWebhook" | "deleteWebhook" | "redeliver"> {
  const existing = () =>
    tx.selectFrom("webhooks").where("org_id", "=", orgId).where("state", "!=", "removed");
  return {
    // Locked, because whoever delivers writes the row without the organisation's lock.
    webhook: async (id) => {
      const row = await store.forUpdate(existing().selectAll().where("id", "=", id)).executeTakeFirst();
      return row && webhookFrom(row, box);
    },
    countWebhooks: async () => {
      const { count } = await existing()
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    saveWebhook: async (webhook) => {
      const row = webhookRow(webhook, box);
      await tx
        .insertInto("webhooks")
        .values({
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
    deleteWebhook: async (id) => {
      await tx
        .updateTable("webhooks")
        .set({ state: "removed", secret: "", previous_secret: null, lease: null })
        .where("id", "=", id)
        .execute();
    },
    redeliver: async (webhookId, which) => {
      const now = clock.now();
      const query = tx
        .updateTable("deliveries")
        .set({ state: "pending", step: 0, next_attempt_at: now, updated_at: now })
        .where("webhook_id", "=", webhookId);
      const chosen =
        "deliveryId" in which
          ? query.where("id", "=", which.deliveryId)
          : query.where("state", "=", "failed").where("updated_at", ">=", which.failedSince);
      return (await chosen.returning("id").execute()).length;
    },
  };
}
