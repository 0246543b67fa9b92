import assert from "node:assert/strict";
import { test } from "node:test";
import { APP_ROLE_TABLE } from "../src/http/app-role-table.ts";
import { APP, appUnderTest, ORIGIN } from "./app-under-test.ts";
import { ANNA, ENGINES } from "./desk-under-test.ts";

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
