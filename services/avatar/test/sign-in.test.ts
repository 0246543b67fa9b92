import assert from "node:assert/strict";
import { test } from "node:test";
import { startSmtp } from "@frontdesk/testkit/smtp";
import { sql } from "kysely";
import type { AvatarService } from "../src/avatar.ts";
import {
  API_URL,
  type AvatarUnderTest,
  anyHome,
  avatarUnderTest,
  HOMES,
  type Person,
} from "./avatar-under-test.ts";
import { databaseBytes } from "./what-is-kept.ts";

const KEYS = ["first key of thirty-two characters", "second key of thirty-two characters"] as const;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const EMAIL = "anna@example.org";
const refused = async (reply: ReturnType<Person["post"]>, status: number, error: string) => {
  const { status: given, body } = await reply;
  assert.deepEqual([given, body], [status, { error }]);
};
/** A code that is not the one that was mailed. */
const wrongCode = (desk: AvatarUnderTest) => (desk.codeFor(EMAIL) === "123456" ? "654321" : "123456");

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: a code is good once`, async (t) => {
    const desk = await open(t);
    const anna = desk.stranger(EMAIL);
    await anna.post("/auth/code", { email: EMAIL });
    const code = desk.codeFor(EMAIL);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => desk.stranger(EMAIL).post("/auth/verify", { email: EMAIL, code })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    await refused(anna.post("/auth/verify", { email: EMAIL, code }), 401, "invalid_code");
  });

  test(`${home}: a code is good for ten minutes`, async (t) => {
    const desk = await open(t);
    const anna = desk.stranger(EMAIL);
    await anna.post("/auth/code", { email: EMAIL });
    desk.clock.advance(10 * MINUTE);
    await refused(
      anna.post("/auth/verify", { email: EMAIL, code: desk.codeFor(EMAIL) }),
      401,
      "invalid_code",
    );
    await anna.post("/auth/code", { email: EMAIL });
    desk.clock.advance(10 * MINUTE - 1);
    assert.equal((await anna.post("/auth/verify", { email: EMAIL, code: desk.codeFor(EMAIL) })).status, 200);
  });

  test(`${home}: after five wrong guesses the right code is no good any more, not even when they come at once`, async (t) => {
    const desk = await open(t);
    const anna = desk.stranger(EMAIL);
    await anna.post("/auth/code", { email: EMAIL });
    const guesses = Array.from({ length: 5 }, () =>
      anna.post("/auth/verify", { email: EMAIL, code: wrongCode(desk) }),
    );
    for (const guess of guesses) await refused(guess, 401, "invalid_code");
    await refused(
      anna.post("/auth/verify", { email: EMAIL, code: desk.codeFor(EMAIL) }),
      401,
      "invalid_code",
    );
  });

  test(`${home}: four wrong guesses leave one, and a code for one address is none for another`, async (t) => {
    const desk = await open(t);
    const anna = desk.stranger(EMAIL);
    await anna.post("/auth/code", { email: EMAIL });
    for (let i = 0; i < 4; i++) await anna.post("/auth/verify", { email: EMAIL, code: wrongCode(desk) });
    const code = desk.codeFor(EMAIL);
    await refused(anna.post("/auth/verify", { email: "ben@example.org", code }), 401, "invalid_code");
    assert.equal((await anna.post("/auth/verify", { email: EMAIL, code })).status, 200);
  });

  test(`${home}: signing in again, with any verified address in any spelling, is the same account`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const { id } = (await anna.get("/me")).body.user;
    await anna.connect("anna@work.example");
    const again = desk.stranger("anna@work.example");
    await again.post("/auth/code", { email: "ANNA@Work.example" });
    const code = desk.codeFor("anna@work.example");
    await again.post("/auth/verify", { email: " Anna@work.EXAMPLE", code });
    assert.equal((await again.get("/me")).body.user.id, id);
  });

  test(`${home}: signing out ends the session for good; signing out everywhere ends them all`, async (t) => {
    const desk = await open(t);
    const [phone, laptop, tablet] = [
      await desk.person(EMAIL),
      await desk.person(EMAIL),
      await desk.person(EMAIL),
    ];
    const { cookie } = phone;
    assert.equal((await phone.post("/auth/logout")).status, 200);
    assert.equal(phone.cookie, "avatar_session=");
    phone.cookie = cookie;
    await refused(phone.get("/me"), 401, "no_session");
    assert.equal((await laptop.get("/me")).status, 200);
    const ben = await desk.person("ben@example.org");
    assert.equal((await laptop.post("/auth/logout-everywhere")).status, 200);
    await refused(tablet.get("/me"), 401, "no_session");
    assert.equal((await ben.get("/me")).status, 200, "nobody else is signed out");
  });

  test(`${home}: sessions are listed, the own one marked, and any of them can be ended`, async (t) => {
    const desk = await open(t);
    const phone = desk.stranger(EMAIL);
    await phone.post("/auth/code", { email: EMAIL });
    await phone.call("POST", "/auth/verify", {
      body: { email: EMAIL, code: desk.codeFor(EMAIL) },
      headers: { "user-agent": "A phone" },
    });
    desk.clock.advance(MINUTE);
    const laptop = await desk.person(EMAIL);
    const ben = await desk.person("ben@example.org");
    desk.clock.advance(6 * MINUTE);
    const { sessions } = (await laptop.get("/me/sessions")).body;
    assert.deepEqual(
      sessions.map((each: Record<string, unknown>) => [each.user_agent, each.current, each.created_at]),
      [
        ["lightMyRequest", true, "2026-05-06T07:09:09.000Z"],
        ["A phone", false, "2026-05-06T07:08:09.000Z"],
      ],
    );
    assert.equal(sessions[0].last_seen_at, "2026-05-06T07:15:09.000Z");
    const { id } = sessions[1];
    await refused(ben.remove(`/me/sessions/${id}`), 404, "session_not_found");
    for (const none of ["%00", "a%00b", "%F0%9F%98%80"])
      await refused(ben.remove(`/me/sessions/${none}`), 404, "session_not_found");
    assert.equal((await laptop.remove(`/me/sessions/${id}`)).status, 200);
    await refused(phone.get("/me"), 401, "no_session");
    await refused(laptop.remove(`/me/sessions/${id}`), 404, "session_not_found");
  });

  test(`${home}: a session ends after thirty days`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    desk.clock.advance(30 * DAY - MINUTE);
    assert.equal((await anna.get("/me")).status, 200);
    desk.clock.advance(MINUTE);
    await refused(anna.get("/me"), 401, "no_session");
  });

  test(`${home}: keys rotate: what an older key sealed is good until the key is dropped`, async (t) => {
    const desk = await open(t, { AVATAR_SESSION_KEYS: KEYS[0] });
    const anna = await desk.person(EMAIL);
    const ben = desk.stranger("ben@example.org");
    await ben.post("/auth/code", { email: ben.email });

    const rotated = await desk.restarted({ AVATAR_SESSION_KEYS: `${KEYS[1]},${KEYS[0]}` });
    const later = rotated.stranger(EMAIL);
    later.cookie = anna.cookie;
    assert.equal((await later.get("/me")).status, 200);
    const code = rotated.codeFor(ben.email);
    assert.equal(
      (await rotated.stranger(ben.email).post("/auth/verify", { email: ben.email, code })).status,
      200,
    );
    const fresh = await rotated.person(EMAIL);

    const dropped = await rotated.restarted({ AVATAR_SESSION_KEYS: KEYS[1] });
    const old = dropped.stranger(EMAIL);
    old.cookie = anna.cookie;
    await refused(old.get("/me"), 401, "no_session");
    old.cookie = fresh.cookie;
    assert.equal((await old.get("/me")).status, 200);
  });

  test(`${home}: codes, cookies and secrets stand in no log line, and not in the clear in the database`, async (t) => {
    const desk = await open(t);
    const anna = desk.stranger(EMAIL);
    await anna.post("/auth/code", { email: EMAIL });
    const code = desk.codeFor(EMAIL);
    const kept = await databaseBytes(desk);
    assert.ok(kept.includes(EMAIL));
    assert.ok(!kept.includes(code), "the code is not in the clear");
    await anna.post("/auth/verify", { email: EMAIL, code });
    const { secret } = (await anna.post("/me/mfa/totp")).body;
    for (const hidden of [secret, anna.cookie?.split("=")[1] ?? "none"]) {
      assert.ok(!(await databaseBytes(desk)).includes(hidden));
      assert.ok(!desk.logLines.join("").includes(hidden));
    }
    assert.ok(!desk.logLines.join("").includes(code));
    assert.match(desk.logLines.join(""), /"file":".*outbox.*\.eml".*mail written to the outbox/);
  });
}

test("a database that takes no more is told by 503 and by /healthz; reads go on", async (t) => {
  const desk = await avatarUnderTest(t);
  const anna = await desk.person(EMAIL);
  desk.clock.advance(6 * MINUTE);
  const { store } = desk.copies[0] as AvatarService;
  await store.write((tx) => sql`pragma query_only = on`.execute(tx));
  assert.equal((await anna.get("/me")).status, 200);
  await refused(anna.post("/me/name", { first_name: "Anna" }), 503, "unavailable");
  assert.match(desk.logLines.join(""), /the last use of a session could not be saved/);
  const { api, media } = desk.copies[0] as AvatarService;
  for (const app of [api, media]) {
    const reply = await app.inject("/healthz");
    assert.equal(reply.statusCode, 503);
    assert.match(reply.json().reason, /cannot be written/);
  }
});

test("a cookie that is tampered with, cut, foreign, enormous or empty is no session", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person(EMAIL);
  const value = (anna.cookie as string).split("=").slice(1).join("=");
  // The last two bits of the last letter carry nothing: "B" would be read as "A".
  const flipped = value.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
  const fields = value.split("*");
  const moved = [...fields.slice(0, 4), (fields[4] as string).slice(1), ...fields.slice(5)].join("*");
  const other = await (await anyHome(t)).person(EMAIL);
  for (const sealed of [flipped, moved, value.slice(0, -5), "", "x", "Fe26.2*1*2", "a".repeat(8_000)]) {
    anna.cookie = `avatar_session=${sealed}`;
    await refused(anna.get("/me"), 401, "no_session");
  }
  anna.cookie = other.cookie;
  await refused(anna.get("/me"), 401, "no_session");
  anna.cookie = `other=1; avatar_session=${value}; more=2`;
  assert.equal((await anna.get("/me")).status, 200);
});

test("the cookie is for the parent domain, out of reach of scripts, and only over https where there is https", async (t) => {
  const attributes = async (env: Record<string, string>) => {
    const desk = await anyHome(t, env);
    const { headers } = await desk.stranger(EMAIL).signIn();
    return String([headers["set-cookie"]].flat()[0]).split("; ").slice(1).sort();
  };
  const always = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"];
  assert.deepEqual(await attributes({}), always);
  assert.deepEqual(
    await attributes({ AVATAR_COOKIE_DOMAIN: "example.org", AVATAR_API_URL: "https://api.example" }),
    ["Domain=example.org", ...always, "Secure"],
  );
});

test("writes from pages of others are refused, whatever cookie they carry", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person(EMAIL);
  const writes: Array<[string, string]> = [
    ["POST", "/me/avatar"],
    ["DELETE", "/me/avatar"],
    ["POST", "/me/emails"],
    ["DELETE", "/me"],
    ["POST", "/auth/logout"],
    ["POST", "/auth/verify"],
  ];
  const foreign = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://api.example.evil.example" },
    { origin: "http://api.example:81" },
    { origin: "not a url" },
    { origin: undefined, "sec-fetch-site": "cross-site" },
    { origin: undefined, "sec-fetch-site": "same-site" },
  ];
  const secure = await anyHome(t, { AVATAR_API_URL: "https://api.example" });
  const overTheWire = { origin: "http://api.example", host: "api.example" };
  await refused(
    (await secure.person(EMAIL)).call("DELETE", "/me/avatar", { headers: overTheWire }),
    403,
    "bad_origin",
  );
  for (const headers of foreign) {
    for (const [method, path] of writes)
      await refused(anna.call(method, path, { body: {}, headers }), 403, "bad_origin");
  }
  for (const headers of [
    { origin: API_URL },
    { origin: undefined },
    { origin: "http://127.0.0.1:9", host: "127.0.0.1:9" },
  ])
    assert.equal((await anna.call("DELETE", "/me/avatar", { headers })).status, 200);
  assert.equal((await anna.call("GET", "/me", { headers: { origin: "https://evil.example" } })).status, 200);
});

test("everything but signing in and what is public wants a session, before it looks at the request", async (t) => {
  const desk = await anyHome(t);
  const document = JSON.parse((await desk.copies[0]?.api.inject("/openapi.json"))?.body ?? "");
  const opened = ["/auth/code", "/auth/session", "/auth/verify", "/config", "/styles", "/healthz"];
  const stranger = desk.stranger(EMAIL);
  let asked = 0;
  for (const [path, operations] of Object.entries(document.paths)) {
    if (opened.includes(path)) continue;
    for (const method of Object.keys(operations as object)) {
      asked += 1;
      const url = path.replace(/\{.*?\}/g, "x");
      await refused(stranger.call(method.toUpperCase(), url, {}), 401, "no_session");
    }
  }
  assert.ok(asked > 20);
});

test("asking for a code answers alike for known and unknown addresses", async (t) => {
  const desk = await anyHome(t);
  await desk.person(EMAIL);
  const [known, unknown] = await Promise.all(
    [EMAIL, "nobody@example.org"].map((email) => desk.stranger(email).post("/auth/code", { email })),
  );
  assert.deepEqual([known?.status, known?.body], [unknown?.status, unknown?.body]);
});

test("codes go out by SMTP where there is a mail server, and a server that refuses is told of", async (t) => {
  const server = await startSmtp(t, { user: "desk", password: "s3cret" });
  const desk = await anyHome(t, {
    AVATAR_MAIL_URL: server.url.href,
    AVATAR_MAIL_FROM: "Front desk <desk@example.org>",
  });
  const anna = desk.stranger(EMAIL);
  assert.equal((await anna.post("/auth/code", { email: EMAIL })).status, 200);
  const [mail] = server.mails;
  assert.deepEqual([mail?.from, mail?.to], ["desk@example.org", [EMAIL]]);
  assert.match(mail?.raw ?? "", /^From: Front desk <desk@example.org>\r$/m);
  assert.match(mail?.raw ?? "", /^Auto-Submitted: auto-generated\r$/m);
  const code = /^ {4}(\d{6})\r?$/m.exec(mail?.raw ?? "")?.[1];
  assert.equal((await anna.post("/auth/verify", { email: EMAIL, code })).status, 200);
  assert.deepEqual(desk.mails(), []);

  server.refuse = "the mailbox is full";
  await refused(anna.post("/auth/code", { email: "ben@example.org" }), 502, "mail_failed");
  server.refuse = undefined;
  assert.equal((await anna.post("/auth/code", { email: "ben@example.org" })).status, 200);
});
