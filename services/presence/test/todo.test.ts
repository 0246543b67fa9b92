import assert from "node:assert/strict";
import { test } from "node:test";
import { issueToken, revokeToken } from "../src/domain/access.ts";
import { createProject } from "../src/domain/project.ts";
import { SCOPES } from "../src/domain/scopes.ts";
import { ANNA, BERT, deskUnderTest, ENGINES } from "./desk-under-test.ts";

const TODOS = `members/${ANNA}/todos`;
const REQUEST = {
  text: "Return the projector",
  externalSystem: "jira",
  externalRef: "OPS/12",
  externalUrl: "https://jira.example/OPS-12",
};

for (const { engine, database } of ENGINES) {
  test(`${engine}: a TODO is created with its place and its entity tag, and found again`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const { status, headers, body } = await desk.call(token, "POST", TODOS, REQUEST);
    assert.equal(status, 201);
    assert.equal(headers.location, `/api/v1/external/orgs/acme/todos/${body.id}`);
    const { id, memberId, ...rest } = body;
    assert.match(id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    assert.deepEqual(rest, {
      ...REQUEST,
      projectId: null,
      done: false,
      doneAt: null,
      archived: false,
      position: 1,
      source: "integration:hr",
      version: 1,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    });
    const found = await desk.call(token, "GET", "todos/by-external-ref/jira/OPS%2F12");
    assert.deepEqual([found.body, found.headers.etag], [body, headers.etag]);
    assert.deepEqual((await desk.call(token, "GET", `todos/${id}`)).body, body);
    assert.equal(
      (await desk.call(await desk.token("other"), "GET", "todos/by-external-ref/jira/OPS%2F12")).status,
      404,
      "only its creator finds it by reference",
    );
  });

  test(`${engine}: repeating a creation answers with the stored TODO and names what differs`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const issue = () =>
      desk.change((unit) =>
        issueToken(unit, { integration: "hr", name: "", scopes: SCOPES, expiresAt: null }),
      );
    const first = await issue();
    const created = await desk.call(first.token, "POST", TODOS, REQUEST);
    const second = await issue();
    await desk.change((unit) => revokeToken(unit, first.record.id));

    const same = await desk.call(second.token, "POST", TODOS, REQUEST);
    assert.deepEqual([same.status, same.body], [200, created.body], "also after the token was rotated");
    assert.equal(same.headers["idempotent-replayed"], "true");
    assert.equal(same.headers["idempotent-differs"], undefined);
    assert.equal(same.headers.etag, created.headers.etag);

    const other = { ...REQUEST, text: "Other", externalUrl: "https://x.example" };
    const differs = await desk.call(second.token, "POST", `members/${BERT}/todos`, other);
    assert.deepEqual([differs.status, differs.body], [200, created.body]);
    assert.equal(differs.headers["idempotent-differs"], "memberId, text, externalUrl");

    const another = await desk.call(await desk.token("crm"), "POST", TODOS, REQUEST);
    assert.equal(another.status, 201, "another integration has its own references");
    const system = await desk.call(second.token, "POST", TODOS, { ...REQUEST, externalSystem: "trello" });
    assert.equal(system.status, 201, "so has another system");
    const plain = await desk.call(second.token, "POST", TODOS, { text: "x", externalRef: "only-ref" });
    assert.equal(plain.body.externalSystem, "hr", "without a system it is the integration's own");
    assert.equal(
      (await desk.call(second.token, "POST", TODOS, { text: "x", externalRef: "only-ref" })).status,
      200,
    );
    assert.equal((await desk.call(second.token, "POST", TODOS, { text: "no reference" })).status, 201);
    assert.equal((await desk.call(second.token, "POST", TODOS, { text: "no reference" })).status, 201);
    const created2 = (await desk.events()).filter(({ type }) => type === "todo.created");
    assert.equal(created2.length, 6);
  });

  test(`${engine}: an update needs the entity tag of what is stored`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const { body: todo, headers } = await desk.call(token, "POST", TODOS, REQUEST);
    const path = `todos/${todo.id}`;
    const patch = (body: unknown, etag?: unknown) =>
      desk.call(token, "PATCH", path, body, etag === undefined ? {} : { "if-match": etag });

    const without = await patch({ text: "A" });
    assert.deepEqual([without.status, without.body.code], [428, "precondition_required"]);
    const first = await patch({ text: "A" }, headers.etag);
    assert.deepEqual([first.status, first.body.text, first.body.version], [200, "A", 2]);
    assert.notEqual(first.headers.etag, headers.etag);

    const stale = await patch({ text: "B" }, headers.etag);
    assert.deepEqual([stale.status, stale.body.code], [412, "stale"]);
    assert.deepEqual([stale.body.current, stale.headers.etag], [first.body, first.headers.etag]);
    assert.equal((await patch({ text: "B" }, `W/${first.headers.etag}`)).status, 412, "a weak tag");
    assert.equal((await patch({ text: "B" }, `"x", ${first.headers.etag}`)).status, 200, "one of several");
    assert.equal((await patch({ text: "C" }, "*")).body.version, 4);
    const same = await patch({ text: "C" }, "*");
    assert.equal(same.body.version, 4, "nothing new, nothing changed");
    const merge = await desk.call(token, "PATCH", path, JSON.stringify({ text: "D" }), {
      "if-match": "*",
      "content-type": "application/merge-patch+json",
    });
    assert.equal(merge.body.text, "D");
    for (const body of [
      {},
      { text: "" },
      { text: " \n" },
      { text: "x".repeat(2001) },
      { version: 9 },
      { id: "x" },
      { position: "1" },
      { externalUrl: "ftp://x" },
      { projectId: "nope" },
    ]) {
      assert.equal((await patch(body, "*")).status, 422, JSON.stringify(body));
    }
    const project = await patch({ projectId: "01JGFJJZ000000000000000000" }, "*");
    assert.deepEqual([project.status, project.body.code], [422, "project_not_found"]);
    assert.equal((await desk.call(token, "GET", path)).body.text, "D");
  });

  test(`${engine}: each kind of change is told by its own event, with what was before`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const project = await desk.change((unit) => createProject(unit, "Move"));
    const { body: todo } = await desk.call(token, "POST", TODOS, REQUEST);
    const path = `todos/${todo.id}`;
    const patch = (body: unknown) => desk.call(token, "PATCH", path, body, { "if-match": "*" });
    const from = (await desk.events()).length;
    await patch({ text: "New", projectId: project.id, externalUrl: null });
    assert.equal((await desk.call(token, "POST", `${path}/complete`)).body.done, true);
    assert.equal((await desk.call(token, "POST", `${path}/complete`)).status, 200, "done already: no event");
    await desk.call(token, "POST", `${path}/uncomplete`);
    await patch({ position: 0.5 });
    await patch({ archived: true });
    await patch({ archived: false });
    await patch({ done: true, archived: true, position: 7, text: "All at once" });
    assert.equal((await desk.call(token, "DELETE", path)).status, 204);
    assert.equal((await desk.call(token, "DELETE", path)).status, 404);

    const told = (await desk.events()).slice(from);
    const { externalUrl } = REQUEST;
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.todo.version, data.previous]),
      [
        ["todo.updated", 2, { text: REQUEST.text, projectId: null, externalUrl }],
        ["todo.completed", 3, { done: false, doneAt: null }],
        ["todo.uncompleted", 4, { done: true, doneAt: "2026-01-01T00:00:00.000Z" }],
        ["todo.reordered", 5, { position: 1 }],
        ["todo.archived", 6, { archived: false }],
        ["todo.updated", 7, { archived: true }],
        ["todo.updated", 8, { text: "New" }],
        ["todo.completed", 8, { done: false, doneAt: null }],
        ["todo.archived", 8, { archived: false }],
        ["todo.reordered", 8, { position: 0.5 }],
        ["todo.deleted", 8, undefined],
      ],
    );
  });

  test(`${engine}: completing and deleting honour If-Match when it is given`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const { body: todo, headers } = await desk.call(token, "POST", TODOS, REQUEST);
    const send = (method: string, verb: string, etag: unknown) =>
      desk.call(token, method, `todos/${todo.id}${verb}`, undefined, { "if-match": etag });
    const done = await send("POST", "/complete", headers.etag);
    assert.equal(done.status, 200);
    for (const [method, verb] of [
      ["POST", "/complete"],
      ["POST", "/uncomplete"],
      ["DELETE", ""],
    ] as const) {
      const stale = await send(method, verb, headers.etag);
      assert.deepEqual([stale.status, stale.body.current], [412, done.body], verb);
    }
    assert.equal((await send("DELETE", "", done.headers.etag)).status, 204);
  });

  test(`${engine}: a member's TODOs come in their order, page by page, filtered`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const project = await desk.change((unit) => createProject(unit, "Move"));
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      const projectId = i % 2 === 0 ? project.id : null;
      ids.push((await desk.call(token, "POST", TODOS, { text: `T${i}`, projectId })).body.id);
    }
    const patch = (i: number, body: unknown) =>
      desk.call(token, "PATCH", `todos/${ids[i]}`, body, { "if-match": "*" });
    await patch(6, { position: 1.5 });
    await patch(0, { done: true });
    await patch(1, { archived: true });
    await patch(5, { position: 3 });

    const texts = async (query: string) => {
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const { body } = await desk.call(
          token,
          "GET",
          `${TODOS}?limit=2${query}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...body.data.map(({ text }: { text: string }) => text));
        cursor = body.nextCursor;
      }
      return seen.join(" ");
    };
    assert.equal(await texts(""), "T0 T6 T1 T2 T5 T3 T4");
    assert.equal(await texts("&done=true"), "T0");
    assert.equal(await texts("&done=false&archived=false"), "T6 T2 T5 T3 T4");
    assert.equal(await texts(`&project=${project.id}`), "T0 T6 T2 T4");
    for (const query of [
      "limit=0",
      "limit=201",
      "limit=x",
      "done=maybe",
      "colour=red",
      "cursor=zzz",
      "cursor=WyJhIl0",
    ]) {
      assert.equal((await desk.call(token, "GET", `${TODOS}?${query}`)).status, 422, query);
    }
    assert.equal((await desk.call(token, "GET", `members/${BERT}/todos`)).body.data.length, 0);
  });
}
