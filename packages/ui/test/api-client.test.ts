import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { ago } from "../src/ago.ts";
import { type Api, ApiError, createApi } from "../src/api-client.ts";
import { connection } from "../src/connection.ts";
import { LATE_MS, lateAnswers, MAX_ANSWER_MS, MAX_UPLOAD_MS } from "../src/late-answer.ts";
import { addressOf } from "../src/operations.ts";
import { tellLeft } from "../src/when-left.ts";

type Known = {
  readonly "GET ": { readonly reply: unknown };
  readonly "PUT /printers/{id}": { readonly query: { dry?: boolean; q?: string }; readonly reply: unknown };
  readonly "POST /names": { readonly body: { name: string }; readonly reply: unknown };
};

const words = { email_taken: "That address is taken.", rate_limited: "That was too often." };
const apiAt = (base: string) => createApi<Known>({ words, base });

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

/** A server that gives one answer to everything. */
async function answering(t: TestContext, { status, headers = {}, body }: Answer): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  t.after(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

const problem = { "content-type": "application/problem+json" };
const cases: Array<[name: string, answer: Answer, code: string, sentence: string]> = [
  [
    "an identifier that has words",
    { status: 409, body: '{"error":"email_taken"}' },
    "email_taken",
    "That address is taken.",
  ],
  [
    "an identifier and when to try again",
    { status: 429, headers: { "retry-after": "600" }, body: '{"error":"rate_limited"}' },
    "rate_limited",
    "That was too often. Try again in 10 minutes.",
  ],
  [
    "a problem with a detail",
    {
      status: 422,
      headers: problem,
      body: '{"type":"about:blank#bad_scope","detail":"There is no such scope."}',
    },
    "bad_scope",
    "There is no such scope.",
  ],
  [
    "a problem with a title alone",
    { status: 409, headers: problem, body: '{"code":"user_exists","title":"There is a user of that name."}' },
    "user_exists",
    "There is a user of that name.",
  ],
  [
    "an identifier without words",
    { status: 403, body: '{"error":"something_new"}' },
    "something_new",
    "You may not do that.",
  ],
  [
    "a body that is no object",
    { status: 502, headers: { "content-type": "application/json" }, body: "null" },
    "http_502",
    "Something went wrong on the server. Try again; if it stays, tell whoever runs it.",
  ],
  [
    "a page of a proxy",
    { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" },
    "http_502",
    "Something went wrong on the server. Try again; if it stays, tell whoever runs it.",
  ],
];

for (const [name, answer, code, sentence] of cases) {
  test(`a refusal becomes a sentence: ${name}`, async (t) => {
    await assert.rejects(apiAt(await answering(t, answer)).call("GET "), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.code, error.message], [answer.status, code, sentence]);
      return true;
    });
  });
}

test("a server that does not answer is told as such", async () => {
  await assert.rejects(apiAt("http://127.0.0.1:1/").call("GET "), {
    name: "ApiError",
    code: "unreachable",
    message: "The server did not answer. Check your connection, then try again.",
  });
});

test("a server that is away is back when it does what it is asked or refuses it, not when a proxy answers for it", async (t) => {
  const isAwayAfter = async (status: number) => {
    connection.lost();
    await apiAt(await answering(t, { status, body: "{}" }))
      .call("GET ")
      .catch(() => {});
    return connection.lostAt() !== undefined;
  };
  t.after(() => connection.answered());
  for (const status of [500, 502, 503, 504]) assert.equal(await isAwayAfter(status), true, `${status}`);
  for (const status of [200, 401, 404, 429]) assert.equal(await isAwayAfter(status), false, `${status}`);
});

test("a server for which a proxy answers, or that says that it is unavailable, is away; a printer or directory that is away is not the server", async (t) => {
  const isAwayAfter = async (status: number, body: string) => {
    connection.answered();
    const url = await answering(t, { status, body });
    await apiAt(url)
      .call("GET ")
      .catch(() => {});
    return connection.isUnanswered();
  };
  t.after(() => connection.answered());
  for (const status of [502, 503, 504])
    assert.equal(await isAwayAfter(status, "<h1>Bad Gateway</h1>"), true, `${status}`);
  assert.equal(await isAwayAfter(503, '{"error":"unavailable"}'), true);
  assert.equal(await isAwayAfter(503, '{"error":"PRINTER_OFFLINE"}'), false);
  assert.equal(await isAwayAfter(500, "<h1>Internal Server Error</h1>"), false);
});

test("an operation is called at its path, with its query behind it", () => {
  const call = { path: { id: "a/b?" }, query: { dry: true, q: "ä&b", not: undefined } };
  assert.deepEqual(addressOf("PUT /printers/{id}", call), {
    method: "PUT",
    url: "/printers/a%2Fb%3F?dry=true&q=%C3%A4%26b",
  });
  const calls = (api: Api<Known>) => [
    api.call("PUT /printers/{id}", { path: { id: "a" } }),
    api.call("PUT /printers/{id}", { path: { id: "a" }, query: { q: "b" } }),
    // @ts-expect-error: there is no such operation
    api.call("GET /nowhere"),
    // @ts-expect-error: which one is to be said
    api.call("PUT /printers/{id}"),
    // @ts-expect-error: it is not asked that
    api.call("PUT /printers/{id}", { path: { id: "a" }, query: { q: 1 } }),
    // @ts-expect-error: it wants a name
    api.call("POST /names", { json: {} }),
  ];
  assert.ok(calls);
});

test("a reply is what it says that it is: JSON, a text, or nothing", async (t) => {
  const ask = async (answer: Answer) => apiAt(await answering(t, answer)).call("GET ");
  const json = { "content-type": "application/json; charset=utf-8" };
  assert.deepEqual(await ask({ status: 200, headers: json, body: '{"a":1}' }), { a: 1 });
  const svg = { "content-type": "image/svg+xml" };
  assert.equal(await ask({ status: 200, headers: svg, body: "<svg/>" }), "<svg/>");
  assert.equal(await ask({ status: 204, body: "" }), undefined);
});

for (const [name, answer, code] of [
  [
    "a page",
    { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Sign in to the network</h1>" },
    "intercepted",
  ],
  [
    "half an answer",
    { status: 200, headers: { "content-type": "application/json" }, body: '{"name":"A' },
    "not_answered",
  ],
] as const)
  test(`${name} in the place of the answer is no success: the server is away`, async (t) => {
    connection.answered();
    const url = await answering(t, answer);
    await assert.rejects(apiAt(url).call("POST /names", { json: { name: "A" } }), { code });
    assert.notEqual(connection.lostAt(), undefined);
    connection.answered();
  });

test("what a caller gave up is no failure of the server", async (t) => {
  const url = await answering(t, { status: 200, body: "{}" });
  await assert.rejects(apiAt(url).call("GET ", { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a moment is told by what has passed since, not by a day that may be another one", () => {
  const now = Date.parse("2026-03-10T12:00:00Z");
  const told = [
    "2026-03-10T11:59:40Z",
    "2026-03-10T11:30:00Z",
    "2026-03-09T12:00:00Z",
    "2026-03-08T20:00:00Z",
    "2026-02-01T12:00:00Z",
    "2024-07-10T12:00:00Z",
    "2024-03-10T12:00:00Z",
    "2026-03-12T00:00:00Z",
  ];
  assert.deepEqual(
    told.map((time) => ago(time, now)),
    [
      "just now",
      "30 minutes ago",
      "1 day ago",
      "1 day ago",
      "1 month ago",
      "1 year ago",
      "2 years ago",
      "in 1 day",
    ],
  );
});

/** A server that takes everything and answers when it is told to. */
function silent(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const answers: Array<(response: Response) => void> = [];
  t.mock.method(globalThis, "fetch", (_url: string, { signal }: RequestInit = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    signal?.addEventListener("abort", () => reject(signal.reason));
    answers.push(resolve);
    return promise;
  });
  return { answers, pass: (ms: number) => t.mock.timers.tick(ms) };
}

test("a write that is answered late is told as that, until it is answered", async (t) => {
  const { answers, pass } = silent(t);
  const written = apiAt("").call("POST /names", { json: { name: "Ada" } });
  pass(LATE_MS - 1);
  assert.equal(lateAnswers.areThere(), false);
  pass(1);
  assert.equal(lateAnswers.areThere(), true);
  answers[0]?.(new Response(null, { status: 204 }));
  await written;
  assert.equal(lateAnswers.areThere(), false);
});

test("a question that is answered late is told as that; one that is never answered is given up, and the server is away", async (t) => {
  t.after(() => connection.answered());
  const { answers, pass } = silent(t);
  const { signal } = new AbortController();
  for (const options of [{}, { signal }]) {
    const asked = apiAt("").call("GET ", options);
    pass(LATE_MS);
    assert.equal(lateAnswers.areThere(), true);
    answers.pop()?.(Response.json({ name: "Ada" }));
    await asked;
    assert.equal(lateAnswers.areThere(), false);
    const unheard = apiAt("").call("GET ", options);
    pass(MAX_ANSWER_MS);
    await assert.rejects(unheard, { code: "unreachable" });
    assert.equal(connection.isUnanswered(), true);
    connection.answered();
  }
  const controller = new AbortController();
  const calledOff = apiAt("").call("GET ", { signal: controller.signal });
  controller.abort();
  await assert.rejects(calledOff, { name: "AbortError" });
  assert.equal(connection.isUnanswered(), false, "whoever asked has called it off");
});

test("a write that is never answered is given up, and nobody says that it was not done", async (t) => {
  const { pass } = silent(t);
  const written = apiAt("").call("POST /names", { json: { name: "Ada" } });
  pass(MAX_ANSWER_MS);
  await assert.rejects(written, { code: "not_answered", message: /may have been done, or not/ });
  assert.equal(lateAnswers.areThere(), false);
  assert.equal(connection.isUnanswered(), true, "all that is shown is asked for again");
  connection.answered();
});

test("how a write ends is not told when whoever ordered it has left meanwhile", async (t) => {
  t.after(() => connection.answered());
  const { answers, pass } = silent(t);
  const told: string[] = [];
  const order = (name: string) =>
    apiAt("")
      .call("POST /names", { json: { name } })
      .then(
        () => told.push(`${name} is done`),
        () => told.push(`${name} failed`),
      );
  void order("Ada");
  void order("Bob");
  pass(LATE_MS);
  tellLeft();
  answers[0]?.(new Response(null, { status: 204 }));
  answers[1]?.(new Response("{}", { status: 409 }));
  const next = order("Cleo");
  answers[2]?.(new Response(null, { status: 204 }));
  await next;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(told, ["Cleo is done"]);
  assert.equal(lateAnswers.areThere(), false, "nor is waited for");
});

test("a write whose connection breaks may have been done, which is said; a question is asked again", async (t) => {
  t.after(() => connection.answered());
  const taken: string[] = [];
  const server = createServer((request) => {
    taken.push(`${request.method}`);
    request.socket.destroy();
  });
  t.after(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api = apiAt(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
  await assert.rejects(api.call("POST /names", { json: { name: "Ada" } }), {
    code: "not_answered",
    message: /may have been done, or not: look at what is there now/,
  });
  assert.deepEqual(taken, ["POST"]);
  assert.equal(connection.isUnanswered(), true, "all that is shown is asked for again");
  await assert.rejects(api.call("GET "), { code: "unreachable", message: /then try again/ });
});

test("a write for which a proxy answers that it lost the server may have been done; one that it never passed on was not", async (t) => {
  t.after(() => connection.answered());
  const write = async (status: number, body: string) =>
    apiAt(await answering(t, { status, body })).call("POST /names", { json: { name: "Ada" } });
  for (const status of [502, 504])
    await assert.rejects(write(status, "<h1>Gateway</h1>"), { code: "not_answered" }, `${status}`);
  await assert.rejects(write(503, "<h1>Unavailable</h1>"), { code: "http_503" });
  await assert.rejects(write(502, '{"error":"directory_failed"}'), { code: "directory_failed" });
});

test("a file has longer to arrive; a question that can be called off is no write", async (t) => {
  const { answers, pass } = silent(t);
  const api = apiAt("") as unknown as Api<{
    readonly "PUT /file": { readonly form: FormData; readonly reply: unknown };
    readonly "POST /preview": { readonly reply: unknown };
  }>;
  const sent = api.call("PUT /file", { form: new FormData() });
  const asked = api.call("POST /preview", { signal: new AbortController().signal });
  pass(MAX_UPLOAD_MS - 1);
  answers[0]?.(new Response(null, { status: 204 }));
  await sent;
  await assert.rejects(asked, { code: "unreachable" }, "nothing can have been done by it");
  connection.answered();
});

test("every refusal is told, also to who keeps no answers", async (t) => {
  const base = await answering(t, { status: 401, body: '{"error":"no_session"}' });
  const told: string[] = [];
  const api = createApi<Known>({ words, base, onRefusal: ({ code }) => told.push(code) });
  await assert.rejects(api.call("GET "), ApiError);
  assert.deepEqual(told, ["no_session"]);
});

test("a moment that comes within a minute is still to come", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(ago("2026-01-01T00:00:20Z", now), "in a moment");
  assert.equal(ago("2025-12-31T23:59:40Z", now), "just now");
});
