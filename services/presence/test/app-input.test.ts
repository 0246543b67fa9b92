import assert from "node:assert/strict";
import { test } from "node:test";
import { addStatus } from "../src/domain/vocabulary.ts";
import { APP_ROLE_TABLE } from "../src/http/app-role-table.ts";
import { APP, appUnderTest, ORIGIN } from "./app-under-test.ts";
import { ANNA, anyEngine, ENGINES } from "./desk-under-test.ts";

const PARTS = [
  "%00",
  "%ff",
  "..%2f",
  "'",
  "01JGFJJZ00000000000000000Z",
  "x".repeat(300),
  "__proto__",
  "%F0%9F%91%A9",
];
const ODD = "\ud800 \u0000 \u202e";
const BODIES: readonly string[] = [
  "",
  "null",
  "[]",
  "{}",
  "5",
  '"text"',
  "{",
  '{"__proto__":{"role":"admin"}}',
  JSON.stringify({ text: ODD, name: ODD, email: ODD, secret: ODD, url: ODD }),
  JSON.stringify({ status: "focus", until: { at: "2026-06-30T23:59:60Z" }, note: "" }),
  JSON.stringify({ status: "focus", until: { minutes: 1e308 } }),
  JSON.stringify({ status: "focus", until: { day: "today", time: "99:99" } }),
  JSON.stringify({ items: [{ text: "x", projectId: "x", externalUrl: "javascript:alert(1)" }] }),
  JSON.stringify({
    status: "focus",
    repeats: "never",
    from: "+275760-09-13T00:00:00Z",
    to: "9999-12-31T23:59:60Z",
  }),
  JSON.stringify({ status: "focus", repeats: "weekly", weekday: 1.5, start: "09:00", end: "09:00" }),
  JSON.stringify({ emails: ["a@b", ODD, "x".repeat(300)], role: "owner" }),
  JSON.stringify({ timeZone: "../../etc/passwd", closingTime: "24:00", role: 7, group: {} }),
  JSON.stringify({ kind: "project", projectId: "x", name: "x", expiresAt: "soon" }),
  JSON.stringify({ integration: "UPPER", scopes: ["*"], expiresInDays: -1 }),
  JSON.stringify({ url: "http://[::1", events: ["nothing"] }),
  JSON.stringify({ since: "2026-13-45T00:00:00Z", members: Array(201).fill("x"), after: "x" }),
];
const QUERIES = [
  "",
  "?after=-1",
  "?cursor=%00",
  "?limit=0&limit=9",
  "?since=soon&outcome=x",
  "?project=%27&done=maybe",
];
/** What ends the session, or does not end by itself. */
const LEFT_OUT = /logout|\/stream$/;

for (const { engine, database } of ENGINES) {
  test(`${engine}: nothing that is sent to the session API is a fault of ours`, async (t) => {
    const app = await appUnderTest(t, database);
    const { cookie } = await app.signIn(ANNA);
    let asked = 0;
    for (const route of Object.keys(APP_ROLE_TABLE)) {
      if (LEFT_OUT.test(route)) continue;
      const [method = "", path = ""] = route.split(" ");
      const parts = /:(?!org\b)/.test(path) ? PARTS : [""];
      for (const [i, part] of parts.entries()) {
        const tries = method === "GET" ? QUERIES : BODIES;
        // Each body once for a route without parts; with parts, all of them are spread over the parts.
        for (const given of parts.length > 1
          ? tries.filter((_, j) => j % parts.length === i % tries.length)
          : tries) {
          const url = `${APP}${path.replace(":org", "acme").replace(/:\w+/g, part)}${method === "GET" ? given : ""}`;
          const reply = await app.app.inject({
            method: method as "GET",
            url,
            headers: { cookie, origin: ORIGIN, "content-type": "application/json", "if-match": '"x"' },
            ...(method === "GET" ? {} : { body: given }),
          });
          asked++;
          const what = `${method} ${url} ${given}`;
          assert.ok(reply.statusCode < 500, `${what}: ${reply.statusCode} ${reply.body}`);
          if (reply.statusCode >= 400)
            assert.match(String(reply.headers["content-type"]), /^application\/problem\+json/, what);
        }
      }
    }
    assert.ok(asked > 400, String(asked));
    assert.equal((await app.reader.memberList(app.orgId)).length, 2, "nobody came or went");
  });
}

test("names have one line and nothing that turns text around; notes have what people type", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  for (const name of ["a\nb", "a\tb", "\u001b[2J", "\u009b2J", "a\u2028b", "\u202eannA", "\u2066a"]) {
    assert.equal((await anna("PATCH", "me", { name })).status, 422, JSON.stringify(name));
    assert.equal((await anna("PATCH", "/orgs/acme", { name })).status, 422, JSON.stringify(name));
    assert.equal((await anna("POST", "projects", { name })).status, 422, JSON.stringify(name));
    assert.equal((await anna("POST", "share-links", { kind: "board", name })).status, 422);
  }
  for (const name of ["<img src=x onerror=alert(1)>", "\u{1f469}\u{1f3fd}\u200d\u{1f680}", "\u05d0\u200f!"])
    assert.equal((await anna("PATCH", "me", { name })).body.name, name);
  const note = "\u0007bell\u001b[2J";
  const { body } = await anna("PUT", "me/status", { status: "focus", note });
  assert.equal(body.member.status.note, note);
});

test("names, labels, emoji and TODOs have something to be seen, and nothing that steers what shows them", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const key = await app.token();
  const refused = async (asked: Promise<{ status: number; body: { detail: string } }>, what: string) => {
    const { status, body } = await asked;
    assert.equal(status, 422, what);
    return body.detail;
  };
  const entry = { label: "Lunch", emoji: "🥪", color: "#e8590c", kind: "away", defaultMinutes: null };
  for (const text of [" ", "\u200b", "\u3164", "\u2800", "\u200f", "\u00ad \ufe0f"]) {
    const what = JSON.stringify(text);
    await refused(anna("PATCH", "me", { name: text }), what);
    await refused(anna("PATCH", "/orgs/acme", { name: text }), what);
    await refused(anna("POST", "projects", { name: text }), what);
    await refused(anna("POST", "share-links", { kind: "board", name: text }), what);
    await refused(anna("POST", "statuses", { key: "lunch", ...entry, label: text }), what);
    await refused(anna("PATCH", "statuses/focus", { label: text }), what);
    await refused(anna("POST", "todos", { items: [{ text }] }), what);
    await refused(app.call(key, "POST", `members/${ANNA}/todos`, { text }), what);
    if (text.trim() !== "") await refused(anna("PATCH", "statuses/focus", { emoji: text }), what);
  }
  assert.match(
    await refused(anna("PATCH", "me", { name: "\u200b" }), "words"),
    /^A name needs a character that can be seen\.$/,
  );
  for (const emoji of ["\u202e", "\u0007", "a\nb"]) {
    await refused(anna("POST", "statuses", { key: "lunch", ...entry, emoji }), JSON.stringify(emoji));
    await refused(anna("PATCH", "statuses/focus", { emoji }), JSON.stringify(emoji));
  }
  assert.equal((await anna("POST", "statuses", { key: "lunch", ...entry, label: " Lunch " })).status, 201);
  const { statuses } = (await anna("GET", "board")).body;
  assert.equal(statuses.find((each: { key: string }) => each.key === "lunch")?.label, "Lunch");
  // The command line, which no schema stands before, goes the same way.
  for (const name of ["\u202eannA", "a\nb", "\u200b", "x".repeat(201)])
    await assert.rejects(app.join("dora@example.org", "member", name), { code: "invalid" });
  await assert.rejects(
    app.change((unit) => addStatus(unit, { key: "tea", label: "Tea", color: "#e8590c", emoji: "\u0007" })),
    { code: "invalid" },
  );
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: numbers and times that fit no database and no calendar are refused`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    const { body } = await anna("POST", "webhooks", { url: "https://hooks.example/", events: [] });
    const path = `webhooks/${body.webhook.id}/deliveries`;
    for (const place of ["[1.5]", "[1e308]", "[null]", '["1"]']) {
      const cursor = Buffer.from(place).toString("base64url");
      assert.equal((await anna("GET", `${path}?cursor=${cursor}`)).body.code, "bad_cursor", place);
      assert.equal((await anna("GET", `audit?by=others&cursor=${cursor}`)).body.code, "bad_cursor", place);
    }
    for (const place of ['[1.5,"x"]', '[1e30,"x"]'])
      for (const order of ["done", "changed"]) {
        const cursor = Buffer.from(place).toString("base64url");
        const { body: refused } = await anna("GET", `todos?order=${order}&cursor=${cursor}`);
        assert.equal(refused.code, "bad_cursor", `${order} ${place}`);
      }
    const plan = { repeats: "never", status: "focus", to: "2026-02-01T00:00:00Z" };
    const early = await anna("POST", "me/planned", { ...plan, from: "0000-01-01T00:00:00+14:00" });
    assert.equal(early.status, 422);
    const blank = await anna("POST", "me/planned", { ...plan, from: "2026-01-02T00:00:00Z", note: "   " });
    assert.deepEqual([blank.status, blank.body.note], [200, null]);
  });
}

test("a page of another origin on the same site opens no stream of a session", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  for (const site of ["same-site", "cross-site"]) {
    for (const path of ["stream", "strea%6d", "stream?after=0"]) {
      const { body } = await anna("GET", path, undefined, { "sec-fetch-site": site });
      assert.equal(body.code, "bad_origin", `${site} ${path}`);
    }
  }
});

test("a body with far too many items is refused in one place, and its items are not gone through", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const places = (reply: { body: { errors: object } }) => reply.body.errors;
  const expected = (limit: number) => [
    { pointer: "#/items", detail: `must not have more than ${limit} items`, in: "body" },
  ];
  assert.deepEqual(places(await anna("POST", "todos", { items: Array(10_000).fill(0) })), expected(100));
  const batch = await app.call(await app.token(), "POST", "members/status:batch", {
    items: Array(10_000).fill(0),
  });
  assert.deepEqual(places(batch), expected(500));
});
