import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "@frontdesk/store/store";
import { type Kysely, type KyselyPlugin, QueryNode, type SelectQueryNode, sql } from "kysely";
import { createAppReader } from "../src/adapters/app-reader.ts";
import { todoPlaces } from "../src/adapters/app-unit.ts";
import { createStoreReader } from "../src/adapters/store-reader.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { deskUnderTest, ENGINES, type Engine } from "./desk-under-test.ts";

/** Has the database tell how it would find the rows. */
function explaining(db: Kysely<Tables>, engine: Engine, plans: string[]): Kysely<Tables> {
  const how = engine === "sqlite" ? sql`query plan` : undefined;
  const plan: KyselyPlugin = {
    transformQuery: ({ node }) => QueryNode.cloneWithExplain(node as SelectQueryNode, undefined, how),
    transformResult: async ({ result }) => {
      plans.push(JSON.stringify(result.rows));
      return { rows: [{ count: 0 }] };
    },
  };
  return db.withPlugin(plan);
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: what is open is found without reading what was done, and what was done or archived last without the rest`, async (t) => {
    const { store, orgId, reader } = await deskUnderTest(t, database);
    const [member] = await reader.memberList(orgId);
    const memberId = member?.id ?? "";
    await store.write(async (tx) => {
      await sql`
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
        insert into todos (id, org_id, member_id, project_id, text, done_at, archived, position, source, version, created_at, updated_at)
        select 'T' || i, ${sql.lit(orgId)}, ${sql.lit(memberId)}, 'P' || (i % 5), 'x',
          case when i % 1000 = 0 then null else i end, 0, i, 'app', 1, 0, 0 from n
        union all
        select 'A' || i, ${sql.lit(orgId)}, ${sql.lit(memberId)}, 'P' || (i % 5), 'x', i, 1, i, 'app', 1, 0, i from n`.execute(
        tx,
      );
    });
    await store.write(async (tx) => {
      for (const id of ["P0", "P1", "P2", "P3", "P4"])
        await tx
          .insertInto("projects")
          .values({ id, org_id: orgId, name: id, archived: 0, created_at: 0, updated_at: 0 })
          .execute();
    });
    await store.write((tx) => sql`analyze`.execute(tx));
    const plans: string[] = [];
    const read = explaining(store.read, engine, plans);
    const app = createAppReader({ ...store, read } as Store<Tables>, reader);
    const page = [undefined, 50] as const;
    const open = { done: false, archived: false, order: "position" } as const;
    const done = { done: true, archived: false, order: "done" } as const;
    const archived = { archived: true, order: "changed" } as const;
    const external = createStoreReader({ ...store, read } as Store<Tables>);
    const found = [
      [() => app.openCounts(orgId), /todos_open_/],
      [() => todoPlaces(read).countOpen(memberId), /todos_open_/],
      [() => app.todosOf(orgId, { member: memberId, ...open }, ...page), /todos_open_/],
      [() => app.todosOf(orgId, { project: "P0", ...open }, ...page), /todos_open_/],
      [() => external.todos(memberId, { done: false, archived: false }, ...page), /todos_open_/],
      [() => app.todosOf(orgId, { member: memberId, ...done }, ...page), /todos_done_/],
      [() => app.todosOf(orgId, { project: "P0", ...done }, ...page), /todos_done_/],
      [() => app.todosOf(orgId, { member: memberId, ...archived }, ...page), /todos_archived_last/],
      [() => app.todosOf(orgId, { project: "P0", ...archived }, ...page), /todos_archived_by_project/],
    ] as const;
    for (const [ask, index] of found) {
      await ask();
      assert.match(plans.pop() ?? "", index);
    }
  });
}
