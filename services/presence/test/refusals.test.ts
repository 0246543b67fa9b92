import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI } from "../src/domain/actor.ts";
import { createOrg } from "../src/domain/org.ts";
import { SCOPES, type Scope } from "../src/domain/scopes.ts";
import { ANNA, anyEngine, type DeskUnderTest, deskUnderTest, type Reply } from "./desk-under-test.ts";

const ULID = "01JGFJJZ000000000000000000";
const BY_REF = "members/by-external-ref/R-1";

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly Scope[];
  readonly body?: object;
  /** The same with a member that is not there. */
  readonly unknown?: string;
}

/** Every endpoint, with a request that it would take. */
function endpoints(todo: string): Endpoint[] {
  const under = (member: string, nobody: string): Endpoint[] => [
    { method: "GET", path: member, scopes: ["members:read"], unknown: nobody },
    { method: "GET", path: `${member}/status`, scopes: ["status:read"], unknown: `${nobody}/status` },
    {
      method: "POST",
      path: `${member}/status`,
      scopes: ["status:write"],
      body: { status: "focus" },
      unknown: `${nobody}/status`,
    },
    { method: "DELETE", path: `${member}/status`, scopes: ["status:write"], unknown: `${nobody}/status` },
    { method: "GET", path: `${member}/todos`, scopes: ["todos:read"], unknown: `${nobody}/todos` },
    {
      method: "POST",
      path: `${member}/todos`,
      scopes: ["todos:write"],
      body: { text: "x" },
      unknown: `${nobody}/todos`,
    },
    {
      method: "PUT",
      path: `${member}/external-ref`,
      scopes: ["members:read", "status:write"],
      body: { externalRef: "R-1" },
      unknown: `${nobody}/external-ref`,
    },
  ];
  return [
    { method: "GET", path: "statuses", scopes: ["statuses:read"] },
    { method: "GET", path: "members", scopes: ["members:read"] },
    { method: "GET", path: "projects", scopes: ["projects:read"] },
    { method: "GET", path: "events", scopes: ["events:read"] },
    {
      method: "POST",
      path: "members/status:batch",
      scopes: ["status:write"],
      body: { items: [{ email: ANNA, status: "focus" }] },
    },
    ...under(`members/${ANNA}`, "members/nobody@example.org"),
    ...under(BY_REF, "members/by-external-ref/R-404"),
    {
      method: "GET",
      path: "todos/by-external-ref/jira/1",
      scopes: ["todos:read"],
      unknown: "todos/by-external-ref/jira/2",
    },
    { method: "GET", path: `todos/${todo}`, scopes: ["todos:read"], unknown: `todos/${ULID}` },
    {
      method: "PATCH",
      path: `todos/${todo}`,
      scopes: ["todos:write"],
      body: { text: "y" },
      unknown: `todos/${ULID}`,
    },
    {
      method: "POST",
      path: `todos/${todo}/complete`,
      scopes: ["todos:write"],
      unknown: `todos/${ULID}/complete`,
    },
    {
      method: "POST",
      path: `todos/${todo}/uncomplete`,
      scopes: ["todos:write"],
      unknown: `todos/${ULID}/uncomplete`,
    },
    { method: "DELETE", path: `todos/${todo}`, scopes: ["todos:write"], unknown: `todos/${ULID}` },
  ];
}

const ANY = { "if-match": "*" };

async function prepared(desk: DeskUnderTest) {
  const token = await desk.token("hr");
  await desk.call(token, "PUT", `members/${ANNA}/external-ref`, { externalRef: "R-1" });
  const { body } = await desk.call(token, "POST", `members/${ANNA}/todos`, {
    text: "x",
    externalSystem: "jira",
    externalRef: "1",
  });
  return { token, todo: body.id as string };
}

function isProblem(reply: Reply, status: number, code: string, where: string): void {
  assert.deepEqual([reply.status, reply.body.code], [status, code], where);
  assert.match(String(reply.headers["content-type"]), /^application\/problem\+json/, where);
  assert.equal(reply.body.status, status, where);
  assert.equal(reply.body.requestId, reply.headers["x-request-id"], where);
  assert.equal(reply.body.type, `http://presence.example/docs#${code}`, where);
  assert.ok(reply.body.title.length > 0 && reply.body.detail.length > 0, where);
}

test("every endpoint of the document refuses every wrong request as a problem, and nothing changes", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const { token, todo } = await prepared(desk);
  const all = endpoints(todo);
  const document = (await desk.app.inject("/api/v1/external/openapi.json")).json();
  const documented = Object.entries(document.paths as Record<string, object>)
    .filter(([path]) => path.startsWith("/api/"))
    .flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`));
  assert.equal(all.length, documented.length, `walked and documented: ${documented.join(", ")}`);

  const lacking: Record<string, string> = {};
  for (const scope of SCOPES) {
    const without = SCOPES.filter(
      (other) => other !== scope && !(scope === "status:write" && other === "todos:write"),
    );
    lacking[scope] = await desk.token(`without-${scope.replace(":", "-")}`, without);
  }
  const before = await desk.events();
  for (const { method, path, scopes, body, unknown } of all) {
    const where = `${method} ${path}`;
    const send = (as: string, to: string, what?: unknown, headers: object = {}) =>
      desk.call(as, method, to, what, { ...ANY, ...headers });
    isProblem(await send("", path, body), 401, "unauthorized", where);
    for (const scope of scopes) {
      const reply = await send(lacking[scope] as string, path, body);
      isProblem(reply, 403, "missing_scope", where);
      assert.ok(reply.body.detail.includes(scope), `${where}: ${reply.body.detail}`);
    }
    if (unknown) {
      const code = unknown.startsWith("todos") ? "todo_not_found" : "member_not_found";
      isProblem(await send(token, unknown, body), 404, code, where);
    }
    const json = { "content-type": "application/json" };
    if (method !== "GET") {
      isProblem(await send(token, path, "{", json), 400, "bad_json", where);
      const tooLarge = "x".repeat(path.endsWith(":batch") ? 520 * 1024 : 65 * 1024);
      isProblem(await send(token, path, { text: tooLarge }), 413, "body_too_large", where);
    }
    if (!body) continue;
    isProblem(await send(token, path, '{"__proto__":1}', json), 400, "bad_json", where);
    isProblem(await send(token, path, "", json), 422, "invalid_request", where);
    isProblem(
      await send(token, path, "a=b", { "content-type": "text/plain" }),
      415,
      "unsupported_media_type",
      where,
    );
    isProblem(await send(token, path, { ...body, surprise: 1 }), 422, "invalid_request", where);
  }
  for (const member of [`members/${ANNA}`, BY_REF]) {
    const reply = await desk.call(token, "POST", `${member}/status`, { status: "no" });
    isProblem(reply, 422, "unknown_status", member);
  }
  const items = [
    { email: ANNA, status: "no" },
    { externalRef: "R-404", status: "focus" },
  ];
  const batch = await desk.call(token, "POST", "members/status:batch", { items });
  assert.deepEqual(
    batch.body.results.map((each: { status: number; problem: { code: string } }) => [
      each.status,
      each.problem.code,
    ]),
    [
      [422, "unknown_status"],
      [404, "member_not_found"],
    ],
  );
  for (const query of ["limit=0", "limit=201", "limit=x", "cursor=nonsense", "surprise=1"]) {
    for (const list of ["members", "projects", `members/${ANNA}/todos`]) {
      const reply = await desk.call(token, "GET", `${list}?${query}`);
      const code = query.startsWith("cursor") ? "bad_cursor" : "invalid_request";
      isProblem(reply, 422, code, `${list}?${query}`);
    }
  }
  isProblem(await desk.call(token, "PUT", "members"), 405, "method_not_allowed", "no such method");
  isProblem(await desk.call(token, "GET", "nowhere"), 404, "not_found", "no path");
  isProblem(await desk.call(token, "GET", "members/%00/status"), 422, "invalid_request", "NUL in the path");
  assert.deepEqual(await desk.events(), before);
});

test("a token opens nothing of another organisation", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const { token, todo } = await prepared(desk);
  const now = desk.clock.now();
  await createOrg(desk.desk, CLI, {
    id: "OTHER",
    slug: "other",
    name: "",
    now,
    admin: { email: ANNA, name: "" },
  });
  const theirs = await desk.desk.change("OTHER", CLI, async (unit) => {
    const { issueToken } = await import("../src/domain/access.ts");
    return issueToken(unit, { integration: "hr", name: "", scopes: SCOPES, expiresAt: null });
  });
  for (const { method, path, body } of endpoints(todo)) {
    const reply = await desk.call(theirs.token, method, path, body, ANY);
    isProblem(reply, 404, "org_not_found", `${method} ${path}`);
    const inTheirs = await desk.app.inject({
      method: method as "GET",
      url: `/api/v1/external/orgs/other/${path}`,
      headers: { authorization: `Bearer ${theirs.token}`, ...ANY },
      ...(body ? { body } : {}),
    });
    if (path.includes(todo) || path.includes("by-external-ref/jira")) {
      assert.equal(inTheirs.statusCode, 404, `${method} ${path}`);
    }
  }
  assert.equal((await desk.call(token, "GET", `todos/${todo}`)).status, 200);
});
