import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { avatarUnderTest, hashOf } from "./avatar-under-test.ts";
import { checkedFetch, openApiCheck, type SeenReply } from "./openapi-check.ts";

const HASH = hashOf("anna@example.org");
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

interface Planted {
  readonly method?: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

const seen = ({ method = "GET", path, status, headers = JSON_TYPE, body }: Planted): SeenReply => ({
  method,
  path,
  status,
  header: (name) => headers[name.toLowerCase()],
  body: Buffer.from(typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body)),
});

const EMAIL = { email: "anna@example.org", hash: HASH, verified: true, primary: true };
const METADATA = { hash: HASH, has_avatar: false, kind: null, version: 0, updated_at: null };
const PICTURE = { "content-type": "image/png", etag: '"x"', "cache-control": "public, max-age=300" };

/** Replies that the service could give by mistake, and what is said of each. */
const MISTAKES: Array<[what: string, on: "api" | "media", reply: Planted, said: RegExp]> = [
  [
    "a status of its own",
    "api",
    { path: "/me/emails", status: 418, body: { error: "x" } },
    /not in the Open/,
  ],
  ["a fault", "api", { path: "/me", status: 500, body: { error: "internal" } }, /500 is not in the OpenAPI/],
  ["a route of its own", "api", { path: "/me/secrets", status: 200, body: {} }, /not in the OpenAPI/],
  [
    "a field too many",
    "api",
    { path: "/me/emails", status: 200, body: { emails: [{ ...EMAIL, account: "7" }] } },
    /must NOT have additional properties/,
  ],
  ["a field too few", "api", { path: "/me/emails", status: 200, body: {} }, /required property 'emails'/],
  [
    "a field of another type",
    "media",
    { path: `/${HASH}.json`, status: 200, body: { ...METADATA, version: "1" } },
    /version must be integer/,
  ],
  [
    "a time that is none",
    "media",
    { path: `/avatar/${HASH}.json`, status: 200, body: { ...METADATA, updated_at: "yesterday" } },
    /must match format "date-time"/,
  ],
  [
    "a type of its own",
    "api",
    { path: "/me", status: 200, headers: { "content-type": "text/html" }, body: "<p>" },
    /came as text\/html/,
  ],
  [
    "an error in another form",
    "api",
    { path: "/nowhere", status: 404, body: { message: "no" } },
    /required property 'error'/,
  ],
  [
    "a limit without its end",
    "api",
    { method: "POST", path: "/me/name", status: 429, body: { error: "rate_limited" } },
    /lacks the header Retry-After/,
  ],
  [
    "a limit that ends in no time",
    "api",
    {
      method: "POST",
      path: "/me/name",
      status: 429,
      headers: { ...JSON_TYPE, "retry-after": "0" },
      body: { error: "rate_limited" },
    },
    /Retry-After is not what the document says: data must be >= 1/,
  ],
  [
    "a session without a cookie",
    "api",
    { method: "POST", path: "/auth/verify", status: 200, body: { ok: true } },
    /lacks the header Set-Cookie/,
  ],
  [
    "a cookie where images are read",
    "media",
    { path: `/${HASH}.png?s=80`, status: 200, headers: { ...PICTURE, "set-cookie": "a=b" }, body: "x" },
    /has a header set-cookie, of which the document says nothing/,
  ],
  [
    "an image without its tag",
    "media",
    { path: `/${HASH}`, status: 200, headers: { ...PICTURE, etag: "" }, body: "x" },
    /ETag is not what the document says/,
  ],
  ["an image of nothing", "media", { path: `/${HASH}`, status: 200, headers: PICTURE }, /should have a body/],
  [
    "a redirect to nowhere",
    "media",
    { path: `/${HASH}?d=https://x.example`, status: 302, headers: { "cache-control": "max-age=1" } },
    /lacks the header Location/,
  ],
  [
    "bytes behind a 304",
    "media",
    { path: `/${HASH}`, status: 304, headers: PICTURE, body: "x" },
    /should have no body/,
  ],
];

test("a reply that the document does not foretell is found out, whatever is wrong with it", async (t) => {
  const { copies } = await avatarUnderTest(t);
  const documentOf = async (on: "api" | "media") => (await copies[0]?.[on].inject("/openapi.json"))?.json();
  const checks = {
    api: openApiCheck(await documentOf("api")),
    media: openApiCheck(await documentOf("media")),
  };
  for (const [what, on, reply, said] of MISTAKES) assert.throws(() => checks[on](seen(reply)), said, what);
  checks.api(seen({ path: "/me/emails", status: 200, body: { emails: [EMAIL] } }));
  checks.media(seen({ path: `/${HASH}.json`, status: 200, body: METADATA }));
  checks.media(seen({ path: `/avatar/${HASH}?s=80`, status: 200, headers: PICTURE, body: "x" }));
  checks.api(seen({ path: "/", status: 200, headers: { "content-type": "text/html" }, body: "<!doctype" }));
});

test("so it is with what is fetched from a server that runs", async (t) => {
  const { copies } = await avatarUnderTest(t);
  const document = (await copies[0]?.media.inject("/openapi.json"))?.body ?? "";
  const url = await listening(t, (request, response) => {
    if (request.url === "/openapi.json") return void response.end(document);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(request.url?.startsWith("/a") ? METADATA : { ...METADATA, owner: "anna" }));
  });
  assert.deepEqual(await (await checkedFetch(`${url}/a${HASH.slice(1)}.json`)).json(), METADATA);
  await assert.rejects(checkedFetch(`${url}/b${HASH.slice(1)}.json`), /must NOT have additional properties/);
});

async function listening(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  t.after(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
