import assert from "node:assert/strict";
import { test } from "node:test";
import { ldapServer } from "@frontdesk/testkit/ldap";
import { until } from "@frontdesk/testkit/until";
import { sql } from "kysely";
import { Client } from "ldapts";
import { Secret, TOTP } from "otpauth";
import sharp from "sharp";
import { storeLedger } from "../src/adapters/store-rows.ts";
import type { AvatarService } from "../src/avatar.ts";
import { createNames } from "../src/domain/names.ts";
import { type AvatarUnderTest, anyHome, HOMES, hashOf, type Person } from "./avatar-under-test.ts";
import { everyRow } from "./what-is-kept.ts";

const EMAIL = "anna@example.org";
const WORK = "anna@work.example";

const refused = async (reply: ReturnType<Person["post"]>, status: number, error: string) => {
  const { status: given, body } = await reply;
  assert.deepEqual([given, body], [status, { error }]);
};

/** A phone with an authenticator. */
function authenticator(desk: AvatarUnderTest, secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return () => totp.generate({ timestamp: desk.clock.now() });
}

async function withSecondFactor(desk: AvatarUnderTest, person: Person) {
  const { secret, uri } = (await person.post("/me/mfa/totp")).body;
  const code = authenticator(desk, secret);
  const confirmed = await person.post("/me/mfa/totp/confirm", { totp: code() });
  assert.equal(confirmed.status, 200);
  return { code, uri, recoveryCodes: confirmed.body.recovery_codes as string[] };
}

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: a name is said once`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    for (const body of [
      {},
      { first_name: "" },
      { first_name: " \u0000 " },
      { first_name: null },
      { last_name: "Nowak" },
    ])
      await refused(anna.post("/me/name", body), 400, "missing_first_name");
    for (const body of [
      { first_name: "x".repeat(65) },
      { first_name: 7 },
      { first_name: "A", last_name: "x".repeat(65) },
      { first_name: "A", more: 1 },
    ])
      await refused(anna.post("/me/name", body), 400, "invalid_request");
    const { body } = await anna.post("/me/name", { first_name: " Anna\n Maria ", last_name: "Nowak" });
    assert.deepEqual(body, { ok: true, first_name: "Anna Maria", last_name: "Nowak" });
    const { user } = (await anna.get("/me")).body;
    assert.deepEqual(
      [user.first_name, user.last_name, user.name],
      ["Anna Maria", "Nowak", "Anna Maria Nowak"],
    );
    await refused(anna.post("/me/name", { first_name: "Other" }), 409, "name_already_set");
  });

  test(`${home}: of two names at once, one reaches the directory`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const [{ store }] = desk.copies as readonly [AvatarService];
    const told: string[] = [];
    const [bothAsked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let outcome = async () => {};
    const names = createNames({
      ledger: storeLedger(store),
      directory: {
        writeName: async (_email, { firstName }) => {
          told.push(firstName);
          bothAsked.resolve();
          await mayAnswer.promise;
          await outcome();
        },
      },
      clock: desk.clock,
      onDirectoryError: () => {},
    });
    const { id } = (await anna.get("/me")).body.user;
    const set = (firstName: string) => names.set(id, { firstName, lastName: null });
    outcome = async () => {
      throw new Error("the directory is full");
    };
    const failing = set("First");
    await bothAsked.promise;
    await assert.rejects(set("Second"), { code: "name_already_set" });
    mayAnswer.resolve();
    await assert.rejects(failing, { code: "directory_failed" });
    outcome = async () => {};
    await set("Third");
    assert.deepEqual(told, ["First", "Third"], "who was refused told the directory nothing");
    assert.equal((await anna.get("/me")).body.user.first_name, "Third");
  });

  test(`${home}: a name whose telling died can be told again after a minute`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const [{ store }] = desk.copies as readonly [AvatarService];
    await store.write((tx) =>
      tx
        .updateTable("accounts")
        .set({ naming_until: desk.clock.now() + 60_000 })
        .execute(),
    );
    await refused(anna.post("/me/name", { first_name: "Anna" }), 409, "name_already_set");
    desk.clock.advance(60_000);
    assert.equal((await anna.post("/me/name", { first_name: "Anna" })).status, 200);
  });

  test(`${home}: deleting an account leaves the codes of people whose addresses it merely claimed`, async (t) => {
    const desk = await open(t);
    const [anna, bert] = [await desk.person(EMAIL), desk.stranger("bert@example.org")];
    await bert.post("/auth/code", { email: bert.email });
    const code = desk.codeFor(bert.email);
    await anna.post("/me/emails", { email: bert.email });
    assert.equal((await anna.remove("/me", { confirm: EMAIL })).status, 200);
    assert.equal((await bert.post("/auth/verify", { email: bert.email, code })).status, 200);
  });

  test(`${home}: the export tells when addresses were claimed, when sessions end, and since when one is an admin`, async (t) => {
    const desk = await open(t, { AVATAR_ADMINS: "root@example.org" });
    const [root, anna] = [await desk.person("root@example.org"), await desk.person(EMAIL)];
    assert.equal((await anna.get("/me/export")).body.admin.granted_at, null);
    await root.post("/platform/admins", { email: EMAIL });
    await anna.post("/me/emails", { email: "pending@example.org" });
    const { emails, sessions, admin } = (await anna.get("/me/export")).body;
    const now = "2026-05-06T07:08:09.000Z";
    assert.equal(admin.granted_at, now);
    assert.deepEqual(
      emails.map((each: Record<string, unknown>) => [each.claimed_at, each.verified_at]),
      [
        [now, now],
        [now, null],
      ],
    );
    assert.equal(sessions[0].expires_at, "2026-06-05T07:08:09.000Z");
  });

  test(`${home}: mails that were written as files go with the account`, async (t) => {
    const desk = await open(t);
    const [anna, bert] = [await desk.person(EMAIL), await desk.person("bert@example.org")];
    assert.equal(desk.mails().length, 2);
    await anna.remove("/me", { confirm: EMAIL });
    assert.deepEqual(
      desk.mails().map((mail) => /^To: (.*)$/m.exec(mail)?.[1]),
      [bert.email],
    );
  });

  test(`${home}: a name can be changed later`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const change = (body: object) => anna.call("PATCH", "/me/name", { body });
    assert.equal((await change({ first_name: "Ana", last_name: "N" })).status, 200);
    assert.deepEqual((await change({ first_name: "Anna" })).body, {
      ok: true,
      first_name: "Anna",
      last_name: null,
    });
    assert.equal((await anna.get("/me")).body.user.name, "Anna");
    await refused(change({ first_name: " " }), 400, "missing_first_name");
  });

  test(`${home}: a name is not changed over one that was not seen`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const version = async () => (await anna.get("/me")).body.user.name_version;
    const change = (first_name: string, seen: string) =>
      anna.call("PATCH", "/me/name", { body: { first_name }, headers: { "if-match": `"${seen}"` } });
    const first = await version();
    assert.equal((await change("Ana", first)).status, 200);
    await refused(change("Anne", first), 412, "name_changed");
    assert.equal((await anna.get("/me")).body.user.name, "Ana");
    assert.equal((await change("Anne", await version())).status, 200);
  });

  test(`${home}: with the second factor on, signing in and claiming want it too`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    assert.deepEqual((await anna.get("/me/mfa")).body, { enabled: false, recovery_codes_left: 0 });
    const { code, uri } = await withSecondFactor(desk, anna);
    assert.match(
      uri,
      /^otpauth:\/\/totp\/api\.example:anna%40example\.org\?issuer=api\.example&secret=[A-Z2-7]{32}/,
    );
    assert.deepEqual((await anna.get("/me/mfa")).body, { enabled: true, recovery_codes_left: 10 });

    const again = desk.stranger(EMAIL);
    await again.post("/auth/code", { email: EMAIL });
    const mailed = desk.codeFor(EMAIL);
    await refused(again.post("/auth/verify", { email: EMAIL, code: mailed }), 401, "mfa_required");
    // The code that was confirmed with has been seen: none is taken twice.
    await refused(
      again.post("/auth/verify", { email: EMAIL, code: mailed, totp: code() }),
      401,
      "invalid_totp",
    );
    const wrong = code() === "000000" ? "111111" : "000000";
    await refused(
      again.post("/auth/verify", { email: EMAIL, code: mailed, totp: wrong }),
      401,
      "invalid_totp",
    );
    desk.clock.advance(30_000);
    assert.equal(
      (await again.post("/auth/verify", { email: EMAIL, code: mailed, totp: code() })).status,
      200,
    );

    await again.post("/me/emails", { email: WORK });
    const claim = { email: WORK, code: desk.codeFor(WORK) };
    await refused(again.post("/me/emails/verify", claim), 401, "mfa_required");
    desk.clock.advance(30_000);
    assert.equal((await again.post("/me/emails/verify", { ...claim, totp: code() })).status, 200);
  });

  test(`${home}: a recovery code stands in for the phone, once`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const { recoveryCodes } = await withSecondFactor(desk, anna);
    assert.equal(new Set(recoveryCodes).size, 10);
    const [first = "", second = ""] = recoveryCodes;
    assert.equal((await desk.stranger(EMAIL).signIn({ totp: ` ${first.toUpperCase()} ` })).status, 200);
    assert.equal((await anna.get("/me/mfa")).body.recovery_codes_left, 9);
    await refused(desk.stranger(EMAIL).signIn({ totp: first }), 401, "invalid_totp");
    await refused(anna.remove("/me/mfa/totp", { totp: first }), 401, "invalid_totp");
    assert.equal((await anna.remove("/me/mfa/totp", { totp: second })).status, 200);
    assert.equal((await desk.stranger(EMAIL).signIn()).status, 200);
  });

  test(`${home}: five wrong second factors use the mailed code up`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const { code } = await withSecondFactor(desk, anna);
    const thief = desk.stranger(EMAIL);
    await thief.post("/auth/code", { email: EMAIL });
    const body = { email: EMAIL, code: desk.codeFor(EMAIL) };
    desk.clock.advance(60_000);
    const wrong = code() === "000000" ? "111111" : "000000";
    for (let i = 0; i < 5; i++)
      await refused(thief.post("/auth/verify", { ...body, totp: wrong }), 401, "invalid_totp");
    await refused(thief.post("/auth/verify", { ...body, totp: code() }), 401, "invalid_code");
  });

  test(`${home}: the second factor is begun, confirmed and turned off in that order`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    await refused(anna.post("/me/mfa/totp/confirm", { totp: "123456" }), 409, "mfa_not_begun");
    await refused(anna.remove("/me/mfa/totp", { totp: "123456" }), 409, "mfa_not_on");
    const first = (await anna.post("/me/mfa/totp")).body.secret;
    const second = (await anna.post("/me/mfa/totp")).body.secret;
    assert.notEqual(first, second);
    await refused(
      anna.post("/me/mfa/totp/confirm", { totp: authenticator(desk, first)() }),
      401,
      "invalid_totp",
    );
    // Begun is not on.
    assert.equal((await desk.stranger(EMAIL).signIn()).status, 200);
    const code = authenticator(desk, second);
    assert.equal((await anna.post("/me/mfa/totp/confirm", { totp: code() })).status, 200);
    await refused(anna.post("/me/mfa/totp"), 409, "mfa_already_on");
    await refused(anna.post("/me/mfa/totp/confirm", { totp: code() }), 409, "mfa_already_on");
    desk.clock.advance(30_000);
    assert.equal((await anna.remove("/me/mfa/totp", { totp: code() })).status, 200);
  });

  test(`${home}: the export holds all there is, and none of the secrets`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    await anna.post("/me/name", { first_name: "Anna" });
    await anna.post("/me/emails", { email: WORK });
    await anna.post("/me/avatar", { collection: "bottts", seed: "x" });
    const { recoveryCodes } = await withSecondFactor(desk, anna);
    const { headers, body, bytes } = await anna.get("/me/export");
    assert.match(String(headers["content-disposition"]), /^attachment; filename=".*\.json"$/);
    assert.deepEqual(body.account.first_name, "Anna");
    assert.deepEqual(
      body.emails.map((each: { email: string }) => each.email),
      [EMAIL, WORK],
    );
    assert.deepEqual(
      [body.avatar.collection, body.avatar.config.seed, body.avatar.version],
      ["bottts", "x", 1],
    );
    assert.deepEqual([body.mfa.enabled, body.sessions.length], [true, 1]);
    for (const secret of [...recoveryCodes, desk.codeFor(WORK)]) assert.ok(!bytes.includes(secret));
  });

  test(`${home}: a deleted account leaves no trace but the versions of its hashes`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person(EMAIL);
    const generated = await Promise.all([EMAIL, WORK].map((email) => desk.image(hashOf(email))));
    await anna.connect(WORK);
    await anna.upload(
      await sharp({ create: { width: 9, height: 9, channels: 3, background: "red" } })
        .png()
        .toBuffer(),
    );
    await withSecondFactor(desk, anna);
    const other = desk.stranger(EMAIL);
    other.cookie = anna.cookie;
    await anna.post("/me/emails", { email: "pending@example.org" });
    const { id } = (await anna.get("/me")).body.user;
    const traces = async () =>
      (await everyRow(desk)).filter((row) =>
        [id, EMAIL, WORK, "pending@"].some((trace) => row.includes(trace)),
      );
    assert.ok((await traces()).length > 5, "it is looked where things are kept");
    for (const confirm of ["", "anna", WORK])
      await refused(anna.remove("/me", { confirm }), 400, "not_confirmed");
    assert.equal((await desk.metadata(hashOf(EMAIL))).has_avatar, true);

    assert.deepEqual((await anna.remove("/me", { confirm: EMAIL })).body, { ok: true });
    assert.equal(anna.cookie, "avatar_session=");
    await refused(other.get("/me"), 401, "no_session");
    assert.deepEqual(await traces(), []);
    for (const [i, email] of [EMAIL, WORK].entries()) {
      assert.deepEqual(await desk.image(hashOf(email)), generated[i]);
      assert.deepEqual(await desk.metadata(hashOf(email)), {
        hash: hashOf(email),
        has_avatar: false,
        kind: null,
        version: 1,
        updated_at: null,
      });
    }
    // A new beginning: no second factor, no name, and a version that goes on.
    assert.equal((await other.signIn()).status, 200);
    assert.deepEqual((await other.get("/me/emails")).body.emails.length, 1);
    assert.equal((await other.post("/me/avatar", {})).body.version, 2);
  });

  test(`${home}: a name is written to the LDAP directory first, and kept only if the directory took it`, async (t) => {
    const server = await ldapServer(t, [
      { uid: "anna", mail: EMAIL },
      { uid: "twin1", mail: "twin@example.org" },
      { uid: "twin2", mail: "twin@example.org" },
    ]);
    if (!server) return;
    const entry = async (uid: string) => {
      const client = new Client({ url: `ldap://${server.url.host}` });
      const { searchEntries } = await client.search(server.base, { scope: "sub", filter: `(uid=${uid})` });
      await client.unbind();
      return searchEntries[0];
    };
    const desk = await open(t, { AVATAR_DIRECTORY_URL: server.url.href });
    const anna = await desk.person(EMAIL);
    assert.equal((await anna.post("/me/name", { first_name: "Anna", last_name: "Nowak" })).status, 200);
    const { givenName, sn, displayName } = (await entry("anna")) ?? ({} as Record<string, unknown>);
    assert.deepEqual([givenName, sn, displayName], ["Anna", "Nowak", "Anna Nowak"]);

    // Not in the directory; in it twice; an address that would be a pattern if it were not escaped.
    for (const email of ["nobody@example.org", "twin@example.org", "*@example.org"]) {
      const person = await desk.person(email);
      await refused(person.post("/me/name", { first_name: "X" }), 502, "directory_failed");
      assert.equal((await person.get("/me")).body.user.first_name, null);
    }
    assert.equal((await entry("twin1"))?.givenName, undefined);

    const ben = await desk.person("ben@example.org");
    await server.stop();
    await refused(ben.post("/me/name", { first_name: "Ben" }), 502, "directory_failed");
    assert.equal((await ben.get("/me")).body.user.first_name, null);
    assert.ok(!desk.logLines.join("").includes(decodeURIComponent(server.url.password)));
  });
}

for (const table of ["avatar_signin_totp", "avatar_signin_sessions"])
  test(`a second factor that is begun while its account is erased goes with it (${table} busy)`, async (t) => {
    const desk = await (HOMES["two copies on PostgreSQL and S3"] as typeof anyHome)(t);
    const anna = await desk.person(EMAIL);
    const { id } = (await anna.get("/me")).body.user;
    const { store } = desk.copies[0] as AvatarService;
    const waiting = async () => {
      const locks = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await locks.execute(store.read)).rows.length;
    };
    const [isHeld, isLetGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Somebody else's transaction, in which the beginning has to stop half-way.
    const holding = store.write(async (tx) => {
      await (table === "avatar_signin_totp"
        ? sql`insert into avatar_signin_totp (subject, secret, last_step) values (${id}, '', 0)`.execute(tx)
        : sql`update avatar_signin_sessions set subject = subject`.execute(tx));
      isHeld.resolve();
      await isLetGo.promise;
      throw new Error("nothing of it is kept");
    });
    holding.catch(() => {});
    await isHeld.promise;
    const beginning = anna.post("/me/mfa/totp");
    await until("the beginning waits", async () => (await waiting()) === 1);
    let isErased = false;
    const erasing = anna.remove("/me", { confirm: EMAIL }).finally(() => {
      isErased = true;
    });
    await until("the account is erased, or that waits too", async () => isErased || (await waiting()) === 2);
    isLetGo.resolve();
    await beginning;
    assert.equal((await erasing).status, 200);
    assert.deepEqual(
      (await everyRow(desk)).filter((row) => row.includes(id)),
      [],
    );
  });

test("what joins letters in a name is kept; other invisible characters are not", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person(EMAIL);
  const first_name = "\u200cعلی\u200cرضا\u200d";
  const last_name = "क्\u200dष \u200b\u202eab\u200c\u200c\ud800cd\udfff";
  const { body } = await anna.post("/me/name", { first_name, last_name });
  assert.deepEqual([body.first_name, body.last_name], ["علی\u200cرضا", "क्\u200dष ab cd"]);
});

test("a given name is enough", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person(EMAIL);
  const { body } = await anna.post("/me/name", { first_name: "Suharto", last_name: null });
  assert.deepEqual(body, { ok: true, first_name: "Suharto", last_name: null });
  assert.equal((await anna.get("/me")).body.user.name, "Suharto");
});

test("a directory that does not let us in changes nothing", async (t) => {
  const server = await ldapServer(t, [{ uid: "anna", mail: EMAIL }]);
  if (!server) return;
  const url = new URL(server.url);
  url.password = "wrong";
  const desk = await anyHome(t, { AVATAR_DIRECTORY_URL: url.href });
  const anna = await desk.person(EMAIL);
  await refused(anna.post("/me/name", { first_name: "Anna" }), 502, "directory_failed");
  assert.equal((await anna.get("/me")).body.user.first_name, null);
});
