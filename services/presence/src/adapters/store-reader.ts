import type { Store } from "@frontdesk/store/store";
import { sql } from "kysely";
import { refuse } from "../domain/codes.ts";
import { type MemberAddress, normalEmail } from "../domain/member.ts";
import type { Page, ReadModel, TodoFilter } from "../domain/read-model.ts";
import type {
  AuditRecord,
  EventRecord,
  MemberRecord,
  Org,
  ProjectRecord,
  TodoRecord,
  TokenRecord,
} from "../domain/records.ts";
import type { StatusDefinition } from "../domain/resources.ts";
import { archivedLiteral } from "./archived-literal.ts";
import { readDeliveryLog, readWebhooks } from "./delivery-log.ts";
import { createHotQueries } from "./hot-queries.ts";
import { auditFrom, eventFrom, memberFrom, orgFrom, projectFrom, todoFrom, tokenFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";
import { createTokenHolders } from "./token-holders.ts";
import { createVocabularies } from "./vocabularies.ts";

/** What the API, the app and the command line read, from what is committed. */
export function createStoreReader(store: Store<Tables>) {
  const { read } = store;
  const hot = createHotQueries(store);
  const vocabularies = createVocabularies();

  async function page<Row, T>(
    rows: Row[] | Promise<Row[]>,
    limit: number,
    from: (row: Row) => T,
  ): Promise<Page<T>> {
    const found = await rows;
    return { items: found.slice(0, limit).map(from), more: found.length > limit };
  }

  return {
    tokenHolder: createTokenHolders(store),

    vocabulary: async (orgId: string): Promise<readonly StatusDefinition[]> => {
      const [row] = await hot.vocabularyId(read, { orgId });
      if (!row) throw refuse("org_not_found");
      return vocabularies(read, row);
    },

    orgBySlug: async (slug: string): Promise<Org | undefined> => {
      const row = await read.selectFrom("orgs").selectAll().where("slug", "=", slug).executeTakeFirst();
      return row && orgFrom(row);
    },

    orgs: async (): Promise<Org[]> =>
      (await read.selectFrom("orgs").selectAll().orderBy("slug").execute()).map(orgFrom),

    memberList: async (orgId: string): Promise<MemberRecord[]> =>
      (
        await read.selectFrom("members").selectAll().where("org_id", "=", orgId).orderBy("email").execute()
      ).map(memberFrom),

    projectList: async (orgId: string): Promise<ProjectRecord[]> =>
      (await read.selectFrom("projects").selectAll().where("org_id", "=", orgId).orderBy("id").execute()).map(
        projectFrom,
      ),

    tokenList: async (orgId: string): Promise<Array<TokenRecord & { readonly integration: string }>> => {
      const rows = await read
        .selectFrom("tokens")
        .innerJoin("integrations", "integrations.id", "tokens.integration_id")
        .selectAll("tokens")
        .select("integrations.name as integration")
        .where("tokens.org_id", "=", orgId)
        .orderBy("tokens.id")
        .execute();
      return rows.map(({ integration, ...row }) => ({ ...tokenFrom(row), integration }));
    },

    webhookList: (orgId: string) => readWebhooks(store, orgId),

    deliveryLog: (orgSlug: string, webhookId: string) => readDeliveryLog(store, orgSlug, webhookId),

    /** The audit log, newest first. */
    audit: async (orgId: string, before: string | undefined, limit: number): Promise<Page<AuditRecord>> => {
      let query = read.selectFrom("audit_log").selectAll().where("org_id", "=", orgId);
      if (before !== undefined) query = query.where("id", "<", before);
      return page(
        query
          .orderBy("id", "desc")
          .limit(limit + 1)
          .execute(),
        limit,
        auditFrom,
      );
    },

    anyOrg: async (): Promise<boolean> =>
      (await read.selectFrom("orgs").select("id").limit(1).executeTakeFirst()) !== undefined,

    member: async (orgId: string, integrationId: string, address: MemberAddress): Promise<MemberRecord> => {
      const [row] =
        "email" in address
          ? await hot.memberByEmail(read, { orgId, email: normalEmail(address.email) })
          : await hot.memberByRef(read, { orgId, integrationId, ref: address.externalRef });
      if (!row) throw refuse("member_not_found");
      return memberFrom(row);
    },

    members: (orgId: string, after: string, limit: number): Promise<Page<MemberRecord>> =>
      page(hot.membersAfter(read, { orgId, after, limit: limit + 1 }), limit, memberFrom),

    projects: (orgId: string, after: string, limit: number): Promise<Page<ProjectRecord>> =>
      page(hot.projectsAfter(read, { orgId, after, limit: limit + 1 }), limit, projectFrom),

    todo: async (orgId: string, id: string): Promise<TodoRecord> => {
      const [row] = await hot.todo(read, { orgId, id });
      if (!row) throw refuse("todo_not_found");
      return todoFrom(row);
    },

    todoByRef: async (
      orgId: string,
      integrationId: string,
      system: string,
      ref: string,
    ): Promise<TodoRecord> => {
      const [row] = await hot.todoByRef(read, { orgId, integrationId, system, ref });
      if (!row) throw refuse("todo_not_found");
      return todoFrom(row);
    },

    todos: (
      memberId: string,
      filter: TodoFilter,
      after: readonly [position: number, id: string] | undefined,
      limit: number,
    ): Promise<Page<TodoRecord>> => {
      let query = read.selectFrom("todos").selectAll().where("member_id", "=", memberId);
      if (filter.done !== undefined) query = query.where("done_at", filter.done ? "is not" : "is", null);
      if (filter.archived !== undefined)
        query = query.where("archived", "=", archivedLiteral(filter.archived));
      if (filter.project !== undefined) query = query.where("project_id", "=", filter.project);
      if (after) query = query.where(sql<boolean>`(position, id) > (${after[0]}, ${after[1]})`);
      return page(
        query
          .orderBy("position")
          .orderBy("id")
          .limit(limit + 1)
          .execute(),
        limit,
        todoFrom,
      );
    },

    /** How far the organisation's events go, and where those begin that are still kept. */
    eventRange: async (orgId: string): Promise<{ last: number; purgedThrough: number }> => {
      const row = await read
        .selectFrom("orgs")
        .select(["sequence", "purged_through"])
        .where("id", "=", orgId)
        .executeTakeFirstOrThrow();
      return { last: row.sequence, purgedThrough: row.purged_through };
    },

    events: (orgId: string, after: number, limit: number): Promise<Page<EventRecord>> =>
      page(hot.eventsAfter(read, { orgId, after, limit: limit + 1 }), limit, eventFrom),
  };
}

export type StoreReader = ReturnType<typeof createStoreReader> & ReadModel;
