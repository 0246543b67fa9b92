import assert from "node:assert/strict";
import { test } from "node:test";
import { todoRow } from "../src/adapters/rows.ts";
import { MAX_OPEN_TODOS, updateTodo } from "../src/domain/todo.ts";
import { WRITES_PER_SESSION } from "../src/web-app.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT } from "./desk-under-test.ts";

test("a session makes so many changes in a minute and no more; other sessions and reading are not held up", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, elsewhere] = [await app.signIn(ANNA), await app.signIn(ANNA)];
  const items = Array(100).fill({ text: "x" });
  assert.equal((await anna("POST", "todos", { items })).status, 201);
  // Many at once count for more than one.
  for (let i = 0; i < WRITES_PER_SESSION.max - 11; i++)
    assert.equal((await anna("POST", "todos", { items: [] })).status, 422);
  const refused = await anna("POST", "todos", { items: [{ text: "y" }] });
  assert.deepEqual(
    [refused.status, refused.body.code, refused.headers["retry-after"]],
    [429, "rate_limited", "60"],
  );
  assert.equal((await anna("POST", "/me/invitations/accept")).status, 429);
  assert.equal((await anna("GET", "board")).status, 200);
  assert.equal((await elsewhere("POST", "todos", { items: [{ text: "y" }] })).status, 201);
  app.clock.advance(WRITES_PER_SESSION.windowMs);
  assert.equal((await anna("POST", "todos", { items: [{ text: "y" }] })).status, 201);
  for (let i = 1; i < WRITES_PER_SESSION.max; i++) await anna("POST", "todos", { items: [] });
  assert.equal((await anna("POST", "todos", { items: [] })).status, 429);
  assert.equal((await anna("POST", "/auth/logout")).status, 200, "signing out is never too often");
});

test("a member has so many open TODOs and no more; what is done or archived does not count", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  const [todo] = (await bert("POST", "todos", { items: [{ text: "one" }] })).body.data;
  const stored = await app.change((unit) => unit.todos.find(todo.id));
  assert.ok(stored);
  const rows = Array.from({ length: MAX_OPEN_TODOS - 2 }, (_, i) =>
    todoRow(app.orgId, { ...stored, id: `01JGFJJZ00${String(i).padStart(16, "0")}`, position: i + 2 }),
  );
  await app.store.write(async (tx) => {
    for (let from = 0; from < rows.length; from += 500)
      await tx
        .insertInto("todos")
        .values(rows.slice(from, from + 500))
        .execute();
  });
  const add = async (ask: typeof bert, count: number) => {
    const { status, body } = await ask("POST", "todos", { items: Array(count).fill({ text: "more" }) });
    return status === 201 ? "added" : `${status} ${body.code}`;
  };
  assert.equal(await add(bert, 2), "409 too_many_todos", "all or none");
  assert.equal(await add(bert, 1), "added");
  assert.equal(await add(bert, 1), "409 too_many_todos");
  assert.equal(await add(anna, 1), "added");
  await bert("PATCH", `todos/${todo.id}`, { done: true }, { "if-match": "*" });
  assert.equal(await add(bert, 1), "added");
});

test("where many TODOs are at one place, those that follow it are set apart until there is room, and the rest stays", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const add = async (count: number) =>
    (await anna("POST", "todos", { items: Array(count).fill({ text: "x" }) })).body.data as { id: string }[];
  const ids = [...(await add(100)), ...(await add(50))].map(({ id }) => id);
  const crowd = ids.slice(1, 130);
  await app.change(async (unit) => {
    for (const id of crowd) await updateTodo(unit, id, { position: 2 }, "none");
  });
  const before = (await app.events()).length;
  const [moved, first] = [ids.at(-1), crowd[0]];
  assert.equal((await anna("POST", `todos/${moved}/move`, { after: first })).status, 200);
  const { body } = await anna("GET", "todos");
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [...ids.slice(0, 2), moved, ...ids.slice(2, -1)],
  );
  const told = (await app.events()).slice(before);
  assert.deepEqual(new Set(told.map(({ data }) => data.todo.id)), new Set([moved, ...crowd.slice(1)]));
});
