import assert from "node:assert/strict";
import { test } from "node:test";
import { createProject, MAX_PROJECTS } from "../src/domain/project.ts";
import { type Ask, appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES } from "./desk-under-test.ts";

interface Todo {
  id: string;
  text: string;
  version: number;
}
const tag = ({ id, version }: Todo) => ({ "if-match": `"${id}-${version}"` });
const texts = async (ask: Ask, query = "") =>
  (await ask("GET", `todos${query}`)).body.data.map(({ text }: Todo) => text);

for (const { engine, database } of ENGINES) {
  test(`${engine}: TODOs are made many at once, changed with their version, ticked, archived and deleted`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const made = await anna("POST", "todos", {
      items: [{ text: "one" }, { text: "two" }, { text: "three" }],
    });
    assert.equal(made.status, 201);
    const [one, two] = made.body.data as [Todo, Todo];
    assert.deepEqual(await texts(anna), ["one", "two", "three"]);
    const bad = await anna("POST", "todos", { items: [{ text: "four" }, { text: "  " }] });
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [422, "#/items/1/text"]);
    const unknown = { text: "five", projectId: "01JGFJJZ00000000000000000Z" };
    assert.equal((await anna("POST", "todos", { items: [{ text: "four" }, unknown] })).status, 422);
    assert.equal((await anna("POST", "todos", { items: Array(101).fill({ text: "x" }) })).status, 422);
    assert.deepEqual(await texts(anna), ["one", "two", "three"], "all or none");
    const bert = await app.signIn(BERT);
    const pasted = Array(100).fill({ text: "ü".repeat(2_000) });
    assert.equal((await bert("POST", "todos", { items: pasted })).status, 201, "many long lines at once");

    const changed = await anna("PATCH", `todos/${one.id}`, { text: "uno", done: true }, tag(one));
    assert.deepEqual([changed.status, changed.body.done, changed.body.version], [200, true, 2]);
    assert.equal(changed.headers.etag, `"${one.id}-2"`);
    const stale = await anna("PATCH", `todos/${one.id}`, { text: "eins" }, tag(one));
    assert.deepEqual([stale.status, stale.body.current.text], [412, "uno"]);
    assert.equal((await anna("PATCH", `todos/${one.id}`, { text: "eins" })).status, 428);
    await anna("PATCH", `todos/${two.id}`, { archived: true }, tag(two));
    assert.deepEqual(await texts(anna, "?archived=false"), ["uno", "three"]);
    assert.deepEqual(await texts(anna, "?done=true"), ["uno"]);
    assert.equal((await anna("DELETE", `todos/${two.id}`)).status, 204);
    assert.equal((await anna("DELETE", `todos/${two.id}`)).status, 404);
    const types = (await app.events()).slice(2).map(({ type }) => type);
    const created = Array(103).fill("todo.created");
    assert.deepEqual(types, [...created, "todo.updated", "todo.completed", "todo.archived", "todo.deleted"]);
  });

  test(`${engine}: TODOs that are sent again with their ids are not made again, and nobody takes the id of another's`, async (t) => {
    const app = await appUnderTest(t, database);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const [first, second] = ["01JGFJJZ0000000000000000A1", "01JGFJJZ0000000000000000A2"];
    const items = [{ id: first, text: "one" }];
    assert.equal((await anna("POST", "todos", { items })).body.data[0].id, first);
    const again = await anna("POST", "todos", { items: [...items, { id: second, text: "two" }] });
    assert.deepEqual([again.status, again.body.data.map(({ id }: Todo) => id)], [201, [first, second]]);
    assert.deepEqual(await texts(anna), ["one", "two"]);
    const taken = await bert("POST", "todos", { items: [{ text: "mine" }, ...items] });
    assert.deepEqual([taken.status, taken.body.code], [409, "todo_exists"]);
    assert.deepEqual(await texts(bert), []);
    assert.deepEqual(
      (await app.events()).slice(2).map(({ type }) => type),
      ["todo.created", "todo.created"],
    );
  });

  test(`${engine}: TODOs are put in order, however often, each move told once`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const items = ["a", "b", "c", "d"].map((text) => ({ text }));
    const [a, b, c, d] = (await anna("POST", "todos", { items })).body.data as [Todo, Todo, Todo, Todo];
    const move = (todo: Todo, after: Todo | null) =>
      anna("POST", `todos/${todo.id}/move`, { after: after?.id ?? null });
    await move(d, null);
    assert.deepEqual(await texts(anna), ["d", "a", "b", "c"]);
    await move(a, c);
    assert.deepEqual(await texts(anna), ["d", "b", "c", "a"]);
    await move(c, d);
    assert.deepEqual(await texts(anna), ["d", "c", "b", "a"]);
    const before = (await app.events()).length;
    await move(b, c);
    assert.ok((await app.events()).slice(before).every(({ type }) => type === "todo.reordered"));
    // Between the same two again and again: numbers with a fraction run out.
    for (let i = 0; i < 60; i++) {
      await move(i % 2 ? a : b, d);
      assert.deepEqual((await texts(anna)).slice(0, 2), ["d", i % 2 ? "a" : "b"]);
    }
    assert.equal((await move(a, a)).status, 404);
  });

  test(`${engine}: others' TODOs are seen and changed in projects alone`, async (t) => {
    const app = await appUnderTest(t, database);
    const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
    const { body: project } = await anna("POST", "projects", { name: " Move " });
    assert.equal(project.name, "Move");
    const items = [{ text: "mine" }, { text: "ours", projectId: project.id }];
    const [mine, ours] = (await anna("POST", "todos", { items })).body.data as [Todo, Todo];
    assert.deepEqual(await texts(bert), []);
    assert.deepEqual(await texts(bert, `?project=${project.id}`), ["ours"]);
    const annaId = (await anna("GET", "board")).body.me.id;
    assert.equal((await bert("GET", `todos?member=${annaId}`)).status, 403);
    for (const [method, path, body] of [
      ["PATCH", "", { text: "his" }],
      ["POST", "/move", { after: null }],
      ["DELETE", "", undefined],
    ] as const)
      assert.equal((await bert(method, `todos/${mine.id}${path}`, body, tag(mine))).status, 404, method);
    const behind = await bert("POST", `todos/${ours.id}/move`, { after: mine.id });
    assert.equal(behind.status, 404, "what one may not see is no place to put another one");
    assert.equal((await bert("PATCH", `todos/${ours.id}`, { done: true }, tag(ours))).status, 200);
    assert.deepEqual((await bert("GET", "projects")).body.data[0].open, 0);
    await anna("PATCH", `projects/${project.id}`, { name: "The move", archived: true });
    const { project: renamed } = (await bert("GET", "projects")).body.data[0];
    assert.deepEqual([renamed.name, renamed.archived], ["The move", true]);
    assert.equal((await bert("PATCH", "projects/nothing", { name: "x" })).status, 404);
    const { body: page } = await anna("GET", "todos?limit=1");
    assert.deepEqual(await texts(anna, `?limit=1&cursor=${page.nextCursor}`), ["ours"]);
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: what was done last, and what was changed last, comes first, page by page`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const items = ["a", "b", "c", "d"].map((text) => ({ text }));
    const [a, b, c] = (await anna("POST", "todos", { items })).body.data as [Todo, Todo, Todo];
    for (const todo of [b, a, c]) {
      app.clock.advance(60_000);
      await anna("PATCH", `todos/${todo.id}`, { done: true }, tag(todo));
    }
    const pages = async (query: string) => {
      const found: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await anna("GET", `todos?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
        found.push(...body.data.map(({ text }: Todo) => text));
        if (body.nextCursor === null) return found.join("");
        cursor = body.nextCursor;
      }
    };
    assert.equal(await pages("order=done"), "cab");
    assert.equal(await pages("order=changed"), "cabd");
    assert.equal(await pages("order=position"), "abcd");
    assert.equal((await anna("GET", "todos?order=text")).status, 422);
    assert.equal((await anna("GET", "todos?limit=1001")).status, 422);
  });

  test(`${engine}: an organisation that is full of projects has room again when some are archived`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    await app.change(async (unit) => {
      for (let i = 0; i < MAX_PROJECTS - 1; i++) await createProject(unit, `Project ${i}`);
    });
    const { id } = (await anna("POST", "projects", { name: "The last" })).body;
    const full = await anna("POST", "projects", { name: "One more" });
    assert.deepEqual([full.status, full.body.code], [409, "too_many_projects"]);
    assert.equal((await anna("PATCH", `projects/${id}`, { archived: true })).status, 200);
    assert.equal((await anna("POST", "projects", { name: "One more" })).status, 201);
    const back = await anna("PATCH", `projects/${id}`, { archived: false });
    assert.deepEqual([back.status, back.body.code], [409, "too_many_projects"]);
  });
}

test("a member makes so many projects in an hour and no more", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  for (let i = 0; i < 100; i++) assert.equal((await bert("POST", "projects", { name: "x" })).status, 201);
  assert.equal((await bert("POST", "projects", { name: "x" })).body.code, "rate_limited");
  assert.equal((await anna("POST", "projects", { name: "x" })).status, 201);
});

test("nobody takes a colleague's TODO out of its project, where they could neither see it nor bring it back", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const [anna, bert] = [await app.signIn(ANNA), await app.signIn(BERT)];
  const [move, paint] = [
    (await anna("POST", "projects", { name: "Move" })).body.id,
    (await anna("POST", "projects", { name: "Paint" })).body.id,
  ];
  const [todo] = (await anna("POST", "todos", { items: [{ text: "Boxes", projectId: move }] })).body.data;
  const any = { "if-match": "*" };
  const refused = await bert("PATCH", `todos/${todo.id}`, { projectId: null }, any);
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  assert.equal((await bert("PATCH", `todos/${todo.id}`, { projectId: paint }, any)).body.projectId, paint);
  assert.equal((await bert("PATCH", `todos/${todo.id}`, { projectId: move }, any)).body.projectId, move);
  assert.equal((await anna("PATCH", `todos/${todo.id}`, { projectId: null }, any)).body.projectId, null);
});

test("an unknown project or member in the address is not found", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const unknown = "01JGFJJZ00000000000000000Z";
  for (const change of [{ name: "Move" }, { archived: true }]) {
    const { status, body } = await anna("PATCH", `projects/${unknown}`, change);
    assert.deepEqual([status, body.code], [404, "not_found"]);
  }
  const { status, body } = await anna("GET", `members/${unknown}/ends`);
  assert.deepEqual([status, body.code], [404, "member_not_found"]);
  const todo = { items: [{ text: "Boxes", projectId: unknown }] };
  assert.equal((await anna("POST", "todos", todo)).status, 422, "in a body it does not fit");
});
