import assert from "node:assert/strict";
import { test } from "node:test";
import { issueToken } from "../src/domain/access.ts";
import { CLI } from "../src/domain/actor.ts";
import { createOrg } from "../src/domain/org.ts";
import { makeDefault } from "../src/domain/vocabulary.ts";
import * as requests from "../src/http/requests.ts";
import { RATE_POLICY } from "../src/presence.ts";
import { ANNA, BERT, deskUnderTest, ENGINES } from "./desk-under-test.ts";

const sqlite = (ENGINES[0] as (typeof ENGINES)[number]).database;

/** All patterns within a schema. */
function patternsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = (schema as { pattern?: unknown }).pattern;
  return [...(typeof own === "string" ? [own] : []), ...Object.values(schema).flatMap(patternsOf)];
}

test("no pattern for what callers send takes more than linear time", () => {
  const patterns = new Set(Object.values(requests).flatMap(patternsOf));
  assert.ok(patterns.size >= 3);
  // A pattern that backtracks would take hours for these.
  const long = 2_000_000;
  for (const pattern of patterns) {
    for (const piece of [" ", "a", "\0", "a ", "http://", "@", "0"]) {
      new RegExp(pattern, "u").test(piece.repeat(long / piece.length));
      new RegExp(pattern, "u").test(`${piece.repeat(long / piece.length)}\0`);
    }
  }
});

test("a text that is far too long, or white space alone, is refused", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const token = await desk.token();
  for (const text of [" ".repeat(60_000), "x".repeat(60_000), " ", "\n"]) {
    const { status } = await desk.call(token, "POST", `members/${ANNA}/todos`, { text });
    assert.equal(status, 422, JSON.stringify(text.slice(0, 3)));
  }
});

test("half of a surrogate pair is refused, so that two references never become one", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const token = await desk.token();
  const add = (fields: object) => desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x", ...fields });
  for (const half of ["\ud800", "\udc00"]) {
    assert.equal((await add({ externalRef: `a${half}` })).status, 422);
    assert.equal((await add({ externalSystem: half, externalRef: "1" })).status, 422);
    assert.equal((await add({ text: `a${half}` })).status, 422);
    const body = { externalRef: half };
    assert.equal((await desk.call(token, "PUT", `members/${ANNA}/external-ref`, body)).status, 422);
  }
  assert.equal((await add({ externalRef: "😀", text: "😀" })).status, 201);
});

test("an address in a TODO is one, in either case of its scheme", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const token = await desk.token();
  const add = (externalUrl: string) =>
    desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x", externalUrl });
  for (const bad of [
    "https://[::bad",
    "https://",
    "http://exa mple.org",
    "ftp://example.org",
    "https://a:b:c",
  ])
    assert.equal((await add(bad)).status, 422, bad);
  for (const good of ["HTTP://example.org/", "https://example.org/?q=1#there", "https://[::1]/"])
    assert.equal((await add(good)).status, 201, good);
  const { body } = await add("https://example.org/");
  const patch = { externalUrl: "https://[::bad" };
  assert.equal((await desk.call(token, "PATCH", `todos/${body.id}`, patch, { "if-match": "*" })).status, 422);
});

test("a status ends before the year 10000, or the request is refused", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const token = await desk.token();
  const set = (expiresAt: string) =>
    desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus", expiresAt });
  assert.equal((await set("9999-12-31T23:59:59-14:00")).status, 422);
  const { status, body } = await set("9999-12-31T23:59:59Z");
  assert.deepEqual([status, body.expiresAt], [200, "9999-12-31T23:59:59.000Z"]);
});

test("numbers and flags in a query are written as such", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const token = await desk.token();
  const status = async (path: string) => (await desk.call(token, "GET", path)).status;
  for (const bad of [
    "after=1.5",
    "after=true",
    "after=1e1",
    "after=",
    "limit=true",
    "limit=0x1",
    "limit=1&limit=2",
  ])
    assert.equal(await status(`events?${bad}`), 422, bad);
  for (const bad of ["done=1", "done=yes", "archived=null"])
    assert.equal(await status(`members/${ANNA}/todos?${bad}`), 422, bad);
  assert.equal(await status("events?after=0&limit=1"), 200);
  assert.equal(await status(`members/${ANNA}/todos?done=false&archived=true`), 200);
});

test("an empty body is no body, whatever its type", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const token = await desk.token();
  const { body } = await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "x" });
  const bare = async (method: "POST" | "DELETE", path: string, payload = "") => {
    const reply = await desk.app.inject({
      method,
      url: `/api/v1/external/orgs/acme/${path}`,
      payload,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(payload.length),
      },
    });
    return reply.statusCode;
  };
  assert.equal(await bare("POST", `todos/${body.id}/complete`), 200);
  assert.equal(await bare("DELETE", `members/${ANNA}/status`), 200);
  assert.equal(await bare("DELETE", `todos/${body.id}`), 204);
  assert.equal(await bare("POST", `members/${ANNA}/todos`, "text=x"), 415);
});

test("an integration may have any name, that of what every object has too", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  for (const name of ["constructor", "valueof"]) {
    const token = await desk.token(name);
    const member = async () => (await desk.call(token, "GET", `members/${ANNA}`)).body.externalRef;
    assert.equal(await member(), null);
    assert.equal((await desk.call(token, "GET", `members/${ANNA}/status`)).body.member.externalRef, null);
    await desk.call(token, "PUT", `members/${ANNA}/external-ref`, { externalRef: "A-1" });
    assert.equal(await member(), "A-1");
  }
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: an organisation whose admin is refused is not there`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const create = (id: string, email: string) =>
      createOrg(desk.desk, CLI, {
        id,
        slug: "other",
        name: "Other",
        now: desk.clock.now(),
        admin: { email, name: "O" },
      });
    await assert.rejects(create("1", "nonsense"), { code: "invalid" });
    assert.equal(await desk.reader.orgBySlug("other"), undefined);
    await create("2", "o@example.org");
    assert.equal((await desk.reader.orgBySlug("other"))?.sequence, 1);
  });

  test(`${engine}: setting or clearing what has become the default tells nobody, and the member follows the default`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    for (const email of [ANNA, BERT])
      await desk.call(token, "POST", `members/${email}/status`, { status: "focus" });
    await desk.change((unit) => makeDefault(unit, "focus"));
    const before = (await desk.events()).length;
    assert.equal(
      (await desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus" })).body.status,
      "focus",
    );
    await desk.call(token, "DELETE", `members/${BERT}/status`);
    assert.equal((await desk.events()).length, before);
    await desk.change((unit) => makeDefault(unit, "remote"));
    for (const email of [ANNA, BERT])
      assert.equal((await desk.call(token, "GET", `members/${email}/status`)).body.status, "remote");
  });

  test(`${engine}: a refused batch costs nothing, and says when the whole of it would be taken`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const items = Array.from({ length: 100 }, () => ({ email: ANNA, status: "focus" }));
    for (let i = 0; i < RATE_POLICY.max - 1; i++) {
      await desk.call(token, "GET", "statuses");
      if (i === 0) desk.clock.advance(10_000);
    }
    const batch = () => desk.call(token, "POST", "members/status:batch", { items });
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await batch();
      assert.deepEqual([status, headers["retry-after"]], [429, "50"]);
      assert.match(String(headers.ratelimit), /;r=1;/, "what was counted for it is given back");
    }
    desk.clock.advance(50_000);
    assert.equal((await batch()).status, 200);
  });

  test(`${engine}: events without a place to begin at are those that are kept; a refusal says where to go on`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    await desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus" });
    await desk.store.write(async (tx) => {
      await tx.deleteFrom("events").where("sequence", "<=", 2).execute();
      await tx.updateTable("orgs").set({ purged_through: 2 }).execute();
    });
    const kept = await desk.call(token, "GET", "events");
    assert.deepEqual([kept.status, kept.body.data[0].sequence], [200, 3]);
    const gone = await desk.call(token, "GET", "events?after=0");
    assert.deepEqual([gone.status, gone.body.code, gone.body.resumeAfter], [410, "events_gone", 2]);
  });
}

test("a token for an integration with a name of nobody's liking is refused", async (t) => {
  const desk = await deskUnderTest(t, sqlite);
  const wanted = { integration: "__proto__", name: "x", scopes: [], expiresAt: null };
  await assert.rejects(
    desk.change((unit) => issueToken(unit, wanted)),
    { code: "invalid" },
  );
});
