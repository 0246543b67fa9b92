import type { Store } from "@frontdesk/store/store";
import { sql } from "kysely";
import { refuse } from "../domain/codes.ts";
import { type MemberAddress, normalEmail } from "../domain/member.ts";
import type { EventRecord, MemberRecord, Org, ProjectRecord, TodoRecord } from "../domain/records.ts";
import type { Scope } from "../domain/scopes.ts";
import { createHotQueries } from "./hot-queries.ts";
import { eventFrom, memberFrom, orgFrom, projectFrom, todoFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

export interface Page<T> {
  readonly items: T[];
  readonly more: boolean;
}

export interface TokenHolder {
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly integration: { readonly id: string; readonly name: string };
  readonly org: Org;
}

export interface TodoFilter {
  readonly done?: boolean;
  readonly archived?: boolean;
  readonly project?: string;
}

/** What the API reads, from what is committed. */
export function createStoreReader(store: Store<Tables>) {
  const { read } = store;
  const hot = createHotQueries(store);

  async function page<Row, T>(rows: Promise<Row[]>, limit: number, from: (row: Row) => T): Promise<Page<T>> {
    const found = await rows;
    return { items: found.slice(0, limit).map(from), more: found.length > limit };
  }

  return {
    tokenHolder: async (hash: string): Promise<TokenHolder | undefined> => {
      const [row] = await hot.tokenHolder(read, hash);
      if (!row) return undefined;
      return {
        tokenId: row.token_id,
        scopes: JSON.parse(row.scopes),
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
        integration: { id: row.integration_id, name: row.integration_name },
        org: orgFrom(row),
      };
    },

    orgBySlug: async (slug: string): Promise<Org | undefined> => {
      const row = await read.selectFrom("orgs").selectAll().where("slug", "=", slug).executeTakeFirst();
      return row && orgFrom(row);
    },

    anyOrg: async (): Promise<boolean> =>
      (await read.selectFrom("orgs").select("id").limit(1).executeTakeFirst()) !== undefined,

    member: async (orgId: string, integrationId: string, address: MemberAddress): Promise<MemberRecord> => {
      const query = read.selectFrom("members").selectAll("members").where("members.org_id", "=", orgId);
      const row =
        "email" in address
          ? await query.where("email", "=", normalEmail(address.email)).executeTakeFirst()
          : await query
              .innerJoin("member_refs", "member_refs.member_id", "members.id")
              .where("member_refs.integration_id", "=", integrationId)
              .where("member_refs.external_ref", "=", address.externalRef)
              .executeTakeFirst();
      if (!row) throw refuse("member_not_found");
      return memberFrom(row);
    },

    members: (orgId: string, after: string, limit: number): Promise<Page<MemberRecord>> =>
      page(
        read
          .selectFrom("members")
          .selectAll()
          .where("org_id", "=", orgId)
          .where("id", ">", after)
          .orderBy("id")
          .limit(limit + 1)
          .execute(),
        limit,
        memberFrom,
      ),

    projects: (orgId: string, after: string, limit: number): Promise<Page<ProjectRecord>> =>
      page(
        read
          .selectFrom("projects")
          .selectAll()
          .where("org_id", "=", orgId)
          .where("id", ">", after)
          .orderBy("id")
          .limit(limit + 1)
          .execute(),
        limit,
        projectFrom,
      ),

    todo: async (orgId: string, id: string): Promise<TodoRecord> => {
      const row = await read
        .selectFrom("todos")
        .selectAll()
        .where("org_id", "=", orgId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (!row) throw refuse("todo_not_found");
      return todoFrom(row);
    },

    todoByRef: async (
      orgId: string,
      integrationId: string,
      system: string,
      ref: string,
    ): Promise<TodoRecord> => {
      const row = await read
        .selectFrom("todos")
        .selectAll()
        .where("org_id", "=", orgId)
        .where("integration_id", "=", integrationId)
        .where("external_system", "=", system)
        .where("external_ref", "=", ref)
        .executeTakeFirst();
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
      if (filter.archived !== undefined) query = query.where("archived", "=", filter.archived ? 1 : 0);
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
      page(
        read
          .selectFrom("events")
          .selectAll()
          .where("org_id", "=", orgId)
          .where("sequence", ">", after)
          .orderBy("sequence")
          .limit(limit + 1)
          .execute(),
        limit,
        eventFrom,
      ),
  };
}

export type StoreReader = ReturnType<typeof createStoreReader>;
