import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import {
  type OnTodoCreatedWebhookPayload,
  PresenceProblem,
  presenceClient,
} from "../client/presence-client.ts";
import { GENERATED, writeClient } from "../client/write.ts";
import { createWebhook } from "../src/domain/webhook.ts";
import { ANNA, anyEngine, deskUnderTest } from "./desk-under-test.ts";
import { startReceiver } from "./receiver.ts";

test("the client is the one that the document generates", async (t) => {
  const fresh = join(temporaryHome(t), "generated");
  await writeClient(fresh);
  const files = (folder: string) => globSync("**/*.ts", { cwd: folder }).sort();
  assert.ok(files(fresh).length > 4);
  assert.deepEqual(files(GENERATED), files(fresh), "run: npm run docs");
  for (const file of files(fresh)) {
    const [kept, wanted] = [GENERATED, fresh].map((folder) => readFileSync(join(folder, file), "utf8"));
    assert.equal(kept, wanted, `${file}: run: npm run docs`);
  }
});

test("the generated client does what the contract tells, over a real socket", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const receiver = await startReceiver(t);
  await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: ["todo.created"] }));
  await desk.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = desk.app.server.address() as { port: number };
  const client = presenceClient({
    url: `http://127.0.0.1:${port}`,
    org: "acme",
    token: await desk.token(),
  });

  const { data: statuses } = await client.listStatuses();
  assert.equal(statuses.data.length, 8);
  const { data: members } = await client.listMembers({ query: { limit: 1 } });
  assert.equal(members.data[0]?.email, ANNA);
  assert.equal(
    (await client.listMembers({ query: { cursor: members.nextCursor ?? "" } })).data.data.length,
    1,
  );
  await client.setExternalRef({ path: { email: ANNA }, body: { externalRef: "A 1/2" } });
  const { data: status } = await client.setStatusByRef({
    path: { ref: "A 1/2" },
    body: { status: "focus" },
  });
  assert.deepEqual([status.member.email, status.status], [ANNA, "focus"]);

  const body = { text: "Call", externalSystem: "crm", externalRef: "7" };
  const created = await client.createTodo({ path: { email: ANNA }, body });
  assert.deepEqual([created.response.status, created.data.text], [201, "Call"]);
  const again = await client.createTodo({ path: { email: ANNA }, body });
  assert.deepEqual([again.response.status, again.response.headers.get("idempotent-replayed")], [200, "true"]);
  const { id } = created.data;
  const late = { path: { id }, headers: { "if-match": created.response.headers.get("etag") ?? "" } };
  const { data: patched } = await client.updateTodo({ ...late, body: { done: true } });
  assert.equal(patched.done, true);
  await assert.rejects(client.updateTodo({ ...late, body: { text: "late" } }), (error) => {
    assert.ok(error instanceof PresenceProblem);
    assert.deepEqual([error.problem.code, error.problem.status], ["stale", 412]);
    assert.deepEqual(error.problem.current, patched);
    return true;
  });
  assert.equal((await client.findTodo({ path: { system: "crm", ref: "7" } })).data.id, id);
  assert.equal(
    (await client.listTodos({ path: { email: ANNA }, query: { done: true } })).data.data.length,
    1,
  );
  assert.equal((await client.deleteTodo({ path: { id } })).response.status, 204);
  const { data: feed } = await client.listEvents({ query: { after: 2 } });
  assert.deepEqual(
    feed.data.map(({ type }) => type),
    ["member.status.changed", "todo.created", "todo.completed", "todo.deleted"],
  );

  await desk.dispatcher.idle();
  const delivery: OnTodoCreatedWebhookPayload = receiver.arrivals[0]?.body;
  assert.deepEqual(delivery.data.todo, created.data);
});

test("what is not of the service is told with its status; no word leads to another path", async () => {
  const asked: string[] = [];
  let reply = new Response("");
  const client = presenceClient({
    url: "https://presence.example/",
    org: "acme",
    token: "fdp_x",
    fetch: async (url) => {
      asked.push((url as Request).url);
      return reply;
    },
  });
  const refused = async () => {
    const error = await client.listStatuses().then(
      () => assert.fail("it was taken"),
      (thrown) => thrown,
    );
    assert.ok(error instanceof PresenceProblem, String(error));
    return [error.status, error.problem.code, error.retryAfterSeconds];
  };
  reply = new Response("<html>Bad Gateway</html>", { status: 502, headers: { "retry-after": "7" } });
  assert.deepEqual(await refused(), [502, "unexpected_reply", 7]);
  reply = new Response(null, { status: 503 });
  assert.deepEqual(await refused(), [503, "unexpected_reply", undefined]);
  reply = new Response("<html>Sign in to the Wi-Fi</html>");
  assert.deepEqual(await refused(), [200, "unexpected_reply", undefined]);
  assert.equal(asked[0], "https://presence.example/api/v1/external/orgs/acme/statuses");
  for (const ref of [".", ".."])
    await assert.rejects(async () => client.getMemberByRef({ path: { ref } }), TypeError);
  assert.equal(asked.length, 3);
});

test("a reply that breaks off, and a caller's own time limit, are told as what they are", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"data":[');
    heard.resolve(response);
  });
  let heard = Promise.withResolvers<ServerResponse>();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const client = presenceClient({ url: `http://127.0.0.1:${port}`, org: "acme", token: "x" });
  const failure = (signal?: AbortSignal) =>
    client.listStatuses(signal ? { signal } : {}).then(
      () => assert.fail("it was taken"),
      (error) => error,
    );
  const broken = failure();
  (await heard.promise).destroy();
  assert.equal((await broken).name, "TypeError");
  heard = Promise.withResolvers();
  const controller = new AbortController();
  const given = failure(controller.signal);
  await heard.promise;
  controller.abort();
  assert.equal((await given).name, "AbortError");
});

test("the document passes the rules that tools go by", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const document = (await desk.app.inject("/api/v1/external/openapi.json")).json();
  const problems = await openApiProblems(document);
  // Two paths that both match `members/by-external-ref/status` cannot be avoided: `members/{email}/status` is the
  // contract's, and `members/by-external-ref/{ref}` the address that callers of v1 have. The fixed word wins, as in every
  // router, and no e-mail address is called so.
  assert.deepEqual(
    problems.filter((problem) => !problem.includes("no-ambiguous-paths")),
    [],
  );
});

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security: ReadonlyArray<{ readonly token: readonly string[] }>;
}

test("the document is OpenAPI 3.1 with every webhook, and the page explains every problem", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const document = (await desk.app.inject("/api/v1/external/openapi.json")).json();
  assert.equal(document.openapi, "3.1.0");
  assert.equal(Object.keys(document.webhooks).length, 15);
  const references = JSON.stringify(document).match(/"#\/components\/schemas\/(\w+)"/g) ?? [];
  for (const reference of references) {
    const name = reference.slice(1, -1).split("/").at(-1) ?? "";
    assert.ok(document.components.schemas[name], `${name} is defined`);
  }
  for (const verbs of Object.values(document.paths as Record<string, Record<string, Operation>>)) {
    for (const { operationId, description, security } of Object.values(verbs)) {
      if (operationId === "getHealthz") continue;
      assert.match(description ?? "", /^Scope `[a-z]+:(read|write)`/, operationId);
      for (const scope of security.flatMap(({ token }) => token)) assert.ok(description?.includes(scope));
    }
  }
  const page = await desk.app.inject("/docs");
  assert.match(String(page.headers["content-type"]), /^text\/html/);
  assert.ok(page.body.includes('id="unknown_status"'), "the type of a problem leads to its meaning");
});
