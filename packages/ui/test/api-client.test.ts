import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { ago } from "../src/ago.ts";
import { ApiError, createApi } from "../src/api-client.ts";

const api = createApi({
  words: { email_taken: "That address is taken.", rate_limited: "That was too often." },
});

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
    "an identifier without words",
    { status: 403, body: '{"error":"something_new"}' },
    "something_new",
    "You may not do that.",
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
    await assert.rejects(api.json("GET", await answering(t, answer)), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.code, error.message], [answer.status, code, sentence]);
      return true;
    });
  });
}

test("a server that does not answer is told as such", async () => {
  await assert.rejects(api.json("GET", "http://127.0.0.1:1/"), {
    name: "ApiError",
    code: "unreachable",
    message: "The server did not answer. Check your connection, then try again.",
  });
});

test("what a caller gave up is no failure of the server", async (t) => {
  const url = await answering(t, { status: 200, body: "{}" });
  await assert.rejects(api.json("GET", url, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a moment is told as people tell it", () => {
  const now = Date.parse("2026-03-10T12:00:00Z");
  const told = [
    "2026-03-10T11:59:40Z",
    "2026-03-10T11:30:00Z",
    "2026-03-09T12:00:00Z",
    "2024-03-10T12:00:00Z",
  ];
  assert.deepEqual(
    told.map((time) => ago(time, now)),
    ["just now", "30 minutes ago", "yesterday", "2 years ago"],
  );
});
