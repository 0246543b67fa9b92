import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import { loopbackHostGuard } from "@frontdesk/kit/host-guard";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "@frontdesk/kit/http-server";
import { listenOn } from "@frontdesk/kit/listen-on";
import { createLog } from "@frontdesk/kit/log";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { Type } from "typebox";

async function server(t: TestContext, options: Partial<HttpServerOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({
    service: "desk",
    level: "info",
    settings: {},
    to: { write: (line) => void lines.push(line) },
  });
  let count = 0;
  const app = await createHttpServer({
    log,
    ids: { next: () => `request-${++count}` },
    title: "Desk",
    description: "A desk.",
    version: "1.0.0",
    publicUrl: "http://desk.example",
    statusOf: { no_room: 409 },
    health: async () => {},
    bodyLimit: 100,
    ...options,
  });
  t.after(() => app.close());
  app.get("/full", () => {
    throw new DomainError("no_room");
  });
  app.get("/broken/:word", () => {
    throw new Error("the cellar is flooded");
  });
  app.post("/things", { schema: { body: Type.Object({ name: Type.String() }) } }, () => ({ ok: true }));
  return { app, lines };
}

test("a refusal of the domain becomes its status and {error}", async (t) => {
  const { app } = await server(t);
  const reply = await app.inject("/full");
  assert.equal(reply.statusCode, 409);
  assert.deepEqual(reply.json(), { error: "no_room" });
});

test("a failure is 500 without its reason; the log has the reason and the route, not the address", async (t) => {
  const { app, lines } = await server(t);
  const reply = await app.inject("/broken/confidential");
  assert.equal(reply.statusCode, 500);
  assert.deepEqual(reply.json(), { error: "internal" });
  const line = lines.find((each) => each.includes("flooded")) ?? "";
  assert.equal(JSON.parse(line).route, "/broken/:word");
  assert.equal(JSON.parse(line).requestId, reply.headers["x-request-id"]);
  assert.ok(!lines.join("").includes("confidential"));
});

test("every reply carries a request id and security headers", async (t) => {
  const { app } = await server(t);
  for (const path of ["/healthz", "/full", "/nowhere", "/%zz"]) {
    const { headers } = await app.inject(path);
    assert.match(String(headers["x-request-id"]), /^request-\d+$/, path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.match(String(headers["content-security-policy"]), /default-src 'none'/, path);
  }
});

const refusals: Array<[name: string, request: object, status: number, error: string]> = [
  ["an unknown path", { url: "/nowhere" }, 404, "not_found"],
  ["a path that does not decode", { url: "/%zz" }, 400, "bad_url"],
  [
    "a body that is not JSON",
    { method: "POST", url: "/things", headers: { "content-type": "application/json" }, body: "{" },
    400,
    "bad_json",
  ],
  [
    "a body of another type",
    { method: "POST", url: "/things", headers: { "content-type": "text/csv" }, body: "a" },
    415,
    "unsupported_media_type",
  ],
  [
    "a body that is too large",
    { method: "POST", url: "/things", body: { name: "x".repeat(200) } },
    413,
    "body_too_large",
  ],
  [
    "a body that does not fit",
    { method: "POST", url: "/things", body: { name: 5, more: [] } },
    400,
    "invalid_request",
  ],
  [
    "a prototype in the body",
    {
      method: "POST",
      url: "/things",
      headers: { "content-type": "application/json" },
      body: '{"__proto__":{"a":1}}',
    },
    400,
    "bad_json",
  ],
];
for (const [name, request, status, error] of refusals) {
  test(`${name} is ${status} ${error}`, async (t) => {
    const { app } = await server(t);
    const reply = await app.inject(request);
    assert.deepEqual([reply.statusCode, reply.json()], [status, { error }]);
  });
}

test("routes with a colon or a suffix in them are told apart", async (t) => {
  const { app } = await server(t);
  app.post("/members/status::batch", () => ({}));
  app.get("/files/:name.json", () => ({}));
  const get = async (url: string) => (await app.inject(url)).statusCode;
  assert.deepEqual(
    [
      await get("/members/status:batch"),
      await get("/members/statusbatch"),
      await get("/files/a.json"),
      await get("/files/a.xml"),
    ],
    [405, 404, 200, 404],
  );
});

test("a method that a path does not have is 405 and says which it has", async (t) => {
  const { app } = await server(t);
  const reply = await app.inject({ method: "DELETE", url: "/broken/word?x=y" });
  assert.deepEqual(
    [reply.statusCode, reply.json(), reply.headers.allow],
    [405, { error: "method_not_allowed" }, "GET, HEAD"],
  );
});

test("/healthz says ok, or 503 with a reason of the domain's own; others are in the log alone", async (t) => {
  const { app } = await server(t);
  assert.deepEqual((await app.inject("/healthz")).json(), { status: "ok" });
  const sick = await server(t, {
    health: () => Promise.reject(new Error("connect ECONNREFUSED 10.1.2.3:5432")),
  });
  const reply = await sick.app.inject("/healthz");
  assert.equal(reply.statusCode, 503);
  assert.deepEqual(reply.json(), { status: "unavailable", reason: "See the log of the service." });
  assert.match(sick.lines.join(""), /10\.1\.2\.3.*health check failed/s);
  const domain = new DomainError("unavailable", "Nothing can draw.");
  const told = await server(t, { health: () => Promise.reject(domain) });
  assert.equal((await told.app.inject("/healthz")).json().reason, "Nothing can draw.");
});

test("/healthz answers 503 when a part does not answer at all", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { app, lines } = await server(t, { health: () => new Promise(() => {}) });
  const asked = app.inject("/healthz");
  const waited = setInterval(() => t.mock.timers.tick(1_000), 5);
  t.after(() => clearInterval(waited));
  assert.equal((await asked).statusCode, 503);
  assert.match(lines.join(""), /did not end within/);
});

test("/openapi.json is OpenAPI 3.1 and tells the routes", async (t) => {
  const { app } = await server(t);
  const document = (await app.inject("/openapi.json")).json();
  assert.equal(document.openapi, "3.1.0");
  assert.deepEqual(document.servers, [{ url: "http://desk.example" }]);
  assert.ok(document.paths["/healthz"].get.responses["503"]);
  assert.ok(document.paths["/things"].post.requestBody);
});

test("/openapi.json passes the rules that tools go by", async (t) => {
  const { app } = await server(t);
  const document = (await app.inject("/openapi.json")).json();
  // The sample's routes have no summary and name no refusal.
  const ofTheSample = /operation-summary|no-unused-components/;
  const problems = await openApiProblems(document);
  assert.deepEqual(
    problems.filter((problem) => !ofTheSample.test(problem)),
    [],
  );
  assert.equal(document.paths["/broken/{word}"].get.operationId, "getBrokenWord");
});

test("what is not HTTP, or has too large a head, gets a clean answer", async (t) => {
  const { app } = await server(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const say = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (chunk) => (answer += chunk));
      socket.on("close", () => resolve(answer));
      socket.on("error", reject);
    });
  assert.match(await say("hello there\r\n\r\n"), /^HTTP\/1\.1 400 .*\{"error":"bad_request"\}$/s);
  assert.match(
    await say(`GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`),
    /^HTTP\/1\.1 431 .*\{"error":"headers_too_large"\}$/s,
  );
});

test("a caller whose request is none loses its connection, also where it does not hang up itself", async (t) => {
  const { app } = await server(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write("hello there\r\n\r\n");
  await once(socket.resume(), "end");
  const connections = () =>
    new Promise((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  await untilEqual(connections, 0);
});

test("half of a request, or a connection without one, does not keep the server from closing; a request under way ends", async (t) => {
  const { app } = await server(t);
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  app.get("/slow", () => {
    asked.resolve();
    return answer.promise;
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  // No limit of Node's own ends them.
  app.server.headersTimeout = 0;
  app.server.requestTimeout = 0;
  app.server.keepAliveTimeout = 0;
  const { port } = app.server.address() as { port: number };
  const connection = async (bytes: string) => {
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk));
    const closed = new Promise<string>((done) => socket.on("close", () => done(answer)));
    socket.on("error", () => {});
    await new Promise<void>((ready) => socket.on("connect", ready));
    socket.write(bytes);
    return closed;
  };
  const half = connection("GET /slow HTTP/1.1\r\nHost: x\r\nX-Half");
  const idle = connection("");
  const whole = connection("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  await asked.promise;
  const closing = app.close();
  await Promise.all([half, idle]);
  answer.resolve("done");
  assert.match(await whole, /^HTTP\/1\.1 200 .*done$/s);
  await closing;
});

test("a service may tell refusals in its own form, and a thing said of them in headers", async (t) => {
  const { app } = await server(t, {
    tell: ({ status, code, requestId, error }) => ({
      status: code === "invalid_request" ? 422 : status,
      contentType: "application/problem+json",
      headers: { "x-why": error?.name ?? "nothing thrown" },
      body: { title: code, requestId },
    }),
  });
  const told = async (request: string | object) => {
    const reply = await app.inject(request);
    assert.equal(reply.headers["content-type"], "application/problem+json");
    assert.equal(reply.json().requestId, reply.headers["x-request-id"]);
    return [reply.statusCode, reply.json().title, reply.headers["x-why"]];
  };
  assert.deepEqual(await told("/full"), [409, "no_room", "DomainError"]);
  assert.deepEqual(await told("/nowhere"), [404, "not_found", "nothing thrown"]);
  assert.deepEqual(await told("/%zz"), [400, "bad_url", "FastifyError"]);
  assert.deepEqual(await told({ method: "POST", url: "/things", body: {} }), [
    422,
    "invalid_request",
    "Error",
  ]);
});

test("the OpenAPI document may be served elsewhere, and completed", async (t) => {
  const { app } = await server(t, {
    documentPath: "/v1/openapi.json",
    complete: (document) => ({ ...document, webhooks: {} }),
  });
  assert.equal((await app.inject("/openapi.json")).statusCode, 404);
  assert.deepEqual((await app.inject("/v1/openapi.json")).json().webhooks, {});
});

test("a port that is taken is told in one sentence that names the setting", async (t) => {
  const { app } = await server(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const second = await server(t);
  await assert.rejects(listenOn(second.app, { host: "127.0.0.1", port }, "DESK_LISTEN"), {
    name: "StartProblem",
    message: `127.0.0.1:${port} is already in use: stop the program that has it, or set DESK_LISTEN to another address.`,
  });
});

test("a shortcut answers what it wants to, and leaves the rest to the router", async (t) => {
  const { app } = await server(t, {
    shortcut: (request, response, route) => {
      if (request.url === "/quick") response.end("at once");
      else route();
    },
  });
  const url = await listenOn(app, { host: "127.0.0.1", port: 0 }, "DESK_LISTEN");
  assert.equal(await (await fetch(`${url}/quick`)).text(), "at once");
  assert.equal((await fetch(`${url}/full`)).status, 409);
});

/** A connection on which requests are sent without waiting for answers. */
async function pipeline(t: TestContext, app: HttpServer, path: string) {
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  let received = "";
  socket.on("data", (data) => (received += data));
  socket.on("error", () => {});
  return {
    socket,
    send: (requests: number) =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(requests)),
    answers: () => received.split("HTTP/1.1 200").length - 1,
  };
}

test("a few requests may come before those before them are answered, again and again", async (t) => {
  const { app } = await server(t);
  const { send, answers } = await pipeline(t, app, "/healthz");
  for (let sent = 8; sent <= 80; sent += 8) {
    send(8);
    await untilEqual(answers, sent);
  }
});

for (const [who, path] of [
  ["the router", "/healthz"],
  ["a shortcut", "/quick"],
] as const) {
  test(`a connection on which requests for ${who} come without end is cut`, async (t) => {
    let asked = 0;
    const { app } = await server(t, {
      health: async () => void asked++,
      shortcut: (request, response, route) => {
        if (request.url !== "/quick") return route();
        asked++;
        setImmediate(() => response.end("soon"));
      },
    });
    const { socket, send } = await pipeline(t, app, path);
    send(5_000);
    await until("it is cut", () => socket.closed || asked > 8);
    assert.ok(asked <= 8, `${asked} were begun`);
    const { port } = app.server.address() as AddressInfo;
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200);
  });
}

test("an offer to speak something else is passed over, also where WebSockets are spoken", async (t) => {
  const { app } = await server(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = (upgrade: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => (text += chunk));
      socket.on("close", () => resolve(text));
      socket.on("error", reject);
      const lines = [
        "GET /healthz HTTP/1.1",
        "host: 127.0.0.1",
        `upgrade: ${upgrade}`,
        "connection: upgrade, close",
      ];
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    });
  assert.match(await ask("h2c"), /^HTTP\/1\.1 200 /);
  assert.match(await ask("websocket"), /^HTTP\/1\.1 200 /, "nobody here speaks it");
  app.server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  assert.match(await ask("h2c"), /^HTTP\/1\.1 200 /);
  assert.match(await ask("WebSocket"), /^HTTP\/1\.1 101 /);
});

test("on loopback a request that names another host is refused, before anything of it is looked at", async (t) => {
  const isOurHost = loopbackHostGuard({ host: "127.0.0.1", port: 80 }, "https://desk.example");
  const { app, lines } = await server(t, { isOurHost });
  for (const host of ["rebound.example", "rebound.example:80", "desk.example.rebound.example", "10.0.0.1"]) {
    const reply = await app.inject({ url: "/healthz", headers: { host } });
    assert.deepEqual([reply.statusCode, reply.json()], [421, { error: "wrong_host" }], host);
  }
  assert.equal(lines.filter((line) => line.includes("another host")).length, 1, "told once");
  for (const host of ["desk.example", "DESK.example:443", "localhost:80", "127.0.0.1", "[::1]:80"])
    assert.equal((await app.inject({ url: "/healthz", headers: { host } })).statusCode, 200, host);
  assert.equal(loopbackHostGuard({ host: "0.0.0.0", port: 80 }, "https://desk.example"), undefined);
});

test("a body with far too many items is refused without looking at any", async (t) => {
  const { app } = await server(t, {
    bodyLimit: 100_000,
    tell: ({ status, error }) => ({
      status,
      contentType: "application/json",
      body: { places: (error as { validation?: Array<{ instancePath: string }> }).validation ?? [] },
    }),
  });
  const body = Type.Object({ items: Type.Array(Type.String(), { maxItems: 3 }) });
  app.post("/lists", { schema: { body } }, () => ({ ok: true }));
  const reply = await app.inject({ method: "POST", url: "/lists", body: { items: Array(10_000).fill(0) } });
  assert.equal(reply.statusCode, 400);
  const places = reply.json().places.map(({ instancePath }: { instancePath: string }) => instancePath);
  assert.deepEqual(places, ["/items"]);
});

test("a body that is not UTF-8 is refused", async (t) => {
  const { app } = await server(t);
  const send = (text: string, encoding: "utf8" | "latin1") =>
    app.inject({
      method: "POST",
      url: "/things",
      headers: { "content-type": "application/json" },
      body: Buffer.from(text, encoding),
    });
  assert.equal((await send('{"name":"Jürgen"}', "utf8")).statusCode, 200);
  assert.equal((await send('\ufeff{"name":"Jürgen"}', "utf8")).statusCode, 200);
  const refused = await send('{"name":"Jürgen"}', "latin1");
  assert.deepEqual([refused.statusCode, refused.json()], [400, { error: "bad_json" }]);
  assert.deepEqual((await send("", "utf8")).json(), { error: "bad_json" });
});

test("a request that names two hosts is refused, also one for a shortcut or a WebSocket", async (t) => {
  const { app } = await server(t, { shortcut: (_request, response) => void response.end("short") });
  let upgrades = 0;
  app.server.on("upgrade", (_request, socket) => {
    upgrades++;
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = async (fields: string) => {
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk));
    const closed = new Promise<void>((done) => socket.on("close", () => done()));
    socket.write(`GET /healthz HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`);
    await closed;
    return answer;
  };
  assert.match(await ask("Host: a\r\n"), /^HTTP\/1\.1 200 .*short/s);
  const refused = await ask("Host: a\r\nX-Other: b\r\nhOST: b\r\n");
  assert.match(refused, /^HTTP\/1\.1 400 .*x-content-type-options: nosniff.*\{"error":"bad_request"\}/is);
  const webSocket = "Connection: upgrade\r\nUpgrade: websocket\r\n";
  assert.match(await ask(`Host: a\r\nHost: a\r\n${webSocket}`), /^HTTP\/1\.1 400 /);
  assert.equal(upgrades, 0);
});

test("the OpenAPI document is made once", async (t) => {
  let made = 0;
  const { app } = await server(t, { complete: (document) => ({ ...document, "x-made": ++made }) });
  for (let i = 0; i < 3; i++) assert.equal((await app.inject("/openapi.json")).json()["x-made"], 1);
});
