import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { openStore } from "@frontdesk/store/open-store";
import { fakeClock } from "@frontdesk/testkit/clock";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { Kysely } from "kysely";
import { Secret, TOTP } from "otpauth";
import { codeRows } from "../src/code-rows.ts";
import { parseEmailAddress } from "../src/email-address.ts";
import { signinMigrations } from "../src/migrations.ts";
import { createOneTimeCodes } from "../src/one-time-codes.ts";
import { createSecondFactor } from "../src/second-factor.ts";
import { secondFactorRows, type TotpRow } from "../src/second-factor-rows.ts";
import { signinTables } from "../src/service-tables.ts";
import { sessionKeys } from "../src/session-keys.ts";
import { sessionRows } from "../src/session-rows.ts";
import { createSessions, MAX_SESSIONS, SESSION_LIFETIME_MS } from "../src/sessions.ts";
import { missingFactor } from "../src/sign-in.ts";
import type { SigninTables } from "../src/tables.ts";

const KEYS = ["one key that has thirty-two characters", "another that has thirty-two characters"];
const keysOf = (...listed: string[]) => sessionKeys({ listed, setting: "X_SESSION_KEYS", file: "" });

const DATABASES: Record<string, (t: TestContext) => Promise<URL>> = {
  SQLite: async (t) => pathToFileURL(join(temporaryHome(t), "any.db")),
  PostgreSQL: async (t) => new URL(await postgresDatabase(t)),
};

/** A service of some other name, with nothing but sign-in in its database. */
async function open(t: TestContext, url: Promise<URL>, service = "desk", steps = signinMigrations(service)) {
  const clock = fakeClock();
  const opened = await openStore<never>({ url: await url, migrations: { service, steps }, clock });
  t.after(() => opened.close());
  const own = (db: Kysely<never>) => signinTables(service, db);
  const store = {
    read: own(opened.read),
    write: <T>(work: (tx: Kysely<SigninTables>) => Promise<T>) => opened.write((tx) => work(own(tx))),
  };
  return { clock, store, opened };
}

test("two services in one PostgreSQL database keep their codes apart", async (t) => {
  const url = DATABASES.PostgreSQL?.(t) as Promise<URL>;
  const [hotel, desk] = [await open(t, url, "hotel"), await open(t, url, "desk")];
  const codes = createOneTimeCodes({ keys: keysOf(KEYS[0] as string), clock: hotel.clock });
  const code = await hotel.store.write((tx) => codes.issue(codeRows(tx), "sign in", "a@b.c"));
  const check = ({ store }: typeof desk) =>
    store.write((tx) => codes.check(codeRows(tx), "sign in", "a@b.c", code));
  assert.deepEqual([await check(desk), await check(hotel)], ["wrong", "right"]);
});

for (const [name, database] of Object.entries(DATABASES)) {
  test(`${name}: what was kept before tables were named for their service is still there`, async (t) => {
    const url = database(t);
    const { "signin-003-tables-of-the-service": _, ...before } = signinMigrations("desk");
    const { opened } = await open(t, url, "desk", before);
    await opened.write((tx) =>
      codeRows(tx as unknown as Kysely<SigninTables>).put({
        purpose: "sign in",
        address: "a@b.c",
        code_hash: "00",
        tries: 0,
        expires_at: 1,
      }),
    );
    await opened.close();
    const { store } = await open(t, url, "desk");
    const kept = await store.read.selectFrom("signin_codes").select("address").execute();
    assert.deepEqual(
      kept.map(({ address }) => address),
      ["a@b.c"],
    );
  });

  test(`${name}: a code is kept keyed, checked by any key of the list, and spent`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const random = () => 42;
    const old = createOneTimeCodes({ keys: keysOf(KEYS[1] as string), clock, random });
    assert.equal(await store.write((tx) => old.issue(codeRows(tx), "open the door", "a@b.c")), "000042");
    const row = await store.read.selectFrom("signin_codes").selectAll().executeTakeFirstOrThrow();
    assert.match(row.code_hash, /^[0-9a-f]{64}$/);

    const codes = createOneTimeCodes({ keys: keysOf(...KEYS), clock });
    const check = (purpose: string, code: string) =>
      store.write((tx) => codes.check(codeRows(tx), purpose, "a@b.c", code));
    assert.equal(await check("close the door", "000042"), "wrong");
    assert.equal(await check("open the door", "42"), "wrong");
    assert.equal(await check("open the door", "000042"), "right");
    await store.write((tx) => codes.spend(codeRows(tx), "open the door", "a@b.c"));
    assert.equal(await check("open the door", "000042"), "wrong");
    const stranger = createOneTimeCodes({
      keys: keysOf("a third key that has thirty-two characters"),
      clock,
    });
    await store.write((tx) => old.issue(codeRows(tx), "open the door", "a@b.c"));
    assert.equal(
      await store.write((tx) => stranger.check(codeRows(tx), "open the door", "a@b.c", "000042")),
      "wrong",
    );
  });

  test(`${name}: a session of any service is found by its own cookie and by no other`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const cookie = { name: "presence_session", domain: "example.org", secure: true };
    const sessions = createSessions({ keys: keysOf(...KEYS), clock, cookie });
    const [header = "", ...others] = await store.write((tx) =>
      sessions.begin(sessionRows(tx), "somebody", "x".repeat(999)),
    );
    assert.deepEqual(others, ["presence_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax"]);
    assert.match(
      header,
      /^presence_session=Fe26\.2\*.*; Max-Age=2592000; Domain=example\.org; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const value = header.split(";")[0] as string;
    const find = (given: string | undefined) => sessions.find(sessionRows(store.read), given);
    const found = await find(`a=b; ${value}`);
    assert.deepEqual([found?.subject, found?.user_agent.length], ["somebody", 256]);
    assert.equal(await find(value.replace("presence", "avatar")), undefined);
    assert.equal(await find(undefined), undefined);
    assert.deepEqual(
      sessions.forget().map((each) => /Domain=example\.org/.test(each)),
      [true, false],
      "for the parent domain, and for the host alone",
    );
    const older = "presence_session=Fe26.2*stale*of*the*host";
    assert.equal(
      (await find(`${older}; ${value}`))?.subject,
      "somebody",
      "every cookie of the name is tried",
    );
    assert.equal((await find(`${value}; ${older}`))?.subject, "somebody");
  });

  test(`${name}: an account has so many sessions, and the oldest ends for the next`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const cookie = { name: "session", domain: undefined, secure: false };
    const sessions = createSessions({ keys: keysOf(...KEYS), clock, cookie });
    const begin = (subject: string) =>
      store.write(async (tx) => {
        clock.advance(1_000);
        const [header = ""] = await sessions.begin(sessionRows(tx), subject, "x");
        return header.split(";")[0];
      });
    const isGood = async (value: string | undefined) =>
      (await sessions.find(sessionRows(store.read), value)) !== undefined;
    const colleague = await begin("somebody else");
    const [oldest, second] = [await begin("somebody"), await begin("somebody")];
    for (let i = 2; i < MAX_SESSIONS; i++) await begin("somebody");
    assert.ok(await isGood(oldest));
    const newest = await begin("somebody");
    assert.ok(!(await isGood(oldest)));
    for (const each of [second, newest, colleague]) assert.ok(await isGood(each));
    assert.equal((await sessionRows(store.read).ofSubject("somebody")).length, MAX_SESSIONS);
  });

  test(`${name}: a session ends with its row or with its seal, whichever ends first`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const cookie = { name: "session", domain: undefined, secure: false };
    const sessions = createSessions({ keys: keysOf(...KEYS), clock, cookie });
    const begin = async () => {
      const header = await store.write((tx) => sessions.begin(sessionRows(tx), "somebody", "x"));
      return header[0]?.split(";")[0];
    };
    const isGood = async (value: string | undefined) =>
      (await sessions.find(sessionRows(store.read), value)) !== undefined;
    const setEnd = (expires_at: number) =>
      store.write((tx) => tx.updateTable("signin_sessions").set({ expires_at }).execute());
    const short = await begin();
    await setEnd(clock.now() + 1);
    assert.ok(await isGood(short));
    await setEnd(clock.now());
    assert.ok(!(await isGood(short)), "the row has ended, the seal has not");
    const long = await begin();
    // Give or take a minute: the library measures the seal's age by a clock of its own, which a busy machine holds up.
    clock.advance(SESSION_LIFETIME_MS - 60_000);
    await setEnd(clock.now() + SESSION_LIFETIME_MS);
    assert.ok(await isGood(long));
    clock.advance(120_000);
    assert.ok(!(await isGood(long)), "the seal has ended, the row has not");
  });

  test(`${name}: a clock that is ahead for a moment ends no session, and what was made meanwhile does not outlive it`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const cookie = { name: "session", domain: undefined, secure: false };
    const sessions = createSessions({ keys: keysOf(...KEYS), clock, cookie });
    const codes = createOneTimeCodes({ keys: keysOf(...KEYS), clock });
    const begin = async () => {
      const header = await store.write((tx) => sessions.begin(sessionRows(tx), "somebody", "x"));
      return header[0]?.split(";")[0];
    };
    const isGood = async (value: string | undefined) =>
      (await sessions.find(sessionRows(store.read), value)) !== undefined;
    const issue = (address: string) => store.write((tx) => codes.issue(codeRows(tx), "sign in", address));
    const check = (address: string, code: string) =>
      store.write((tx) => codes.check(codeRows(tx), "sign in", address, code));
    const [session, code] = [await begin(), await issue("a@b.c")];
    const ahead = SESSION_LIFETIME_MS + 3_600_000;
    clock.advance(ahead);
    const [early, earlyCode] = [await begin(), await issue("d@e.f")];
    clock.advance(-ahead);
    assert.ok(await isGood(session));
    assert.ok(!(await isGood(early)));
    assert.equal(await check("d@e.f", earlyCode), "wrong");
    // A code lasts for minutes: one that was out is asked for again.
    assert.equal(await check("a@b.c", code), "wrong");
    clock.advance(2 * SESSION_LIFETIME_MS + 1);
    await begin();
    const kept = await store.read.selectFrom("signin_sessions").select("id").execute();
    assert.equal(kept.length, 2, "what ended long ago is deleted");
  });

  test(`${name}: a phone may be one step of time off and no more, and codes on paper are their owner's`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const factor = createSecondFactor({ keys: keysOf(...KEYS), clock, issuer: "x" });
    const rows = <T>(work: (rows: ReturnType<typeof secondFactorRows>) => Promise<T>) =>
      store.write((tx) => work(secondFactorRows(tx)));
    const enrol = async (subject: string) => {
      const begun = await rows((factors) => factor.begin(factors, subject, "a@b.c"));
      const totp = new TOTP({ secret: Secret.fromBase32(begun?.secret as string) });
      const codeAt = (steps: number) => totp.generate({ timestamp: clock.now() + steps * 30_000 });
      const paper = await rows((factors) => factor.confirm(factors, subject, codeAt(0)));
      return {
        codeAt,
        paper: paper ?? [],
        check: (code: string) => rows((f) => factor.check(f, subject, code)),
      };
    };
    const [anna, ben] = [await enrol("anna"), await enrol("ben")];
    clock.advance(600_000);
    const near = [-1, 0, 1].map(anna.codeAt);
    for (const steps of [-3, -2, 2, 3]) {
      const code = anna.codeAt(steps);
      // One in a million is the same by chance.
      if (!near.includes(code)) assert.equal(await anna.check(code), "wrong", `${steps} steps`);
    }
    for (const steps of [-1, 0, 1])
      assert.equal(await anna.check(anna.codeAt(steps)), "passed", `${steps} steps`);
    assert.equal(await anna.check(anna.codeAt(0)), "wrong", "an earlier step than the last one taken");
    assert.equal(await ben.check(anna.paper[0] as string), "wrong", "anna's paper is no good for ben");
    assert.equal(await anna.check(anna.paper[0] as string), "passed");
    await rows((factors) => factor.remove(factors, "anna"));
    assert.equal(await rows((factors) => factors.countRecoveryCodes("anna")), 0);
    assert.equal(await rows((factors) => factors.countRecoveryCodes("ben")), 10);
  });

  test(`${name}: a factor that was confirmed stays on, though somebody began another one meanwhile`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const factor = createSecondFactor({ keys: keysOf(...KEYS), clock, issuer: "x" });
    const begun = await store.write((tx) => factor.begin(secondFactorRows(tx), "anna", "a@b.c"));
    const code = new TOTP({ secret: Secret.fromBase32(begun?.secret as string) }).generate({
      timestamp: clock.now(),
    });
    const looked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const again = store.write((tx) => {
      const rows = secondFactorRows(tx);
      const put = async (row: TotpRow) => {
        looked.resolve();
        await goOn.promise;
        await rows.put(row);
      };
      return factor.begin({ ...rows, put }, "anna", "a@b.c");
    });
    await looked.promise;
    const confirming = store.write((tx) => factor.confirm(secondFactorRows(tx), "anna", code));
    // As long as a confirmation takes that waits for nobody.
    await Promise.race([confirming, delay(300)]);
    goOn.resolve();
    await again;
    const codes = await confirming;
    const { enabled } = await store.write((tx) => factor.status(secondFactorRows(tx), "anna"));
    assert.equal(enabled, codes !== undefined);
  });

  test(`${name}: whoever signs in without the factor while it is put in force is signed out by that`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const factor = createSecondFactor({ keys: keysOf(...KEYS), clock, issuer: "x" });
    const cookie = { name: "desk_session", domain: undefined, secure: true };
    const sessions = createSessions({ keys: keysOf(...KEYS), clock, cookie });
    const limits = { consume: async () => undefined, giveBack: async () => {} };
    const begun = await store.write((tx) => factor.begin(secondFactorRows(tx), "anna", "a@b.c"));
    const code = new TOTP({ secret: Secret.fromBase32(begun?.secret as string) }).generate({
      timestamp: clock.now(),
    });
    const judged = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const signingIn = store.write(async (tx) => {
      const factors = secondFactorRows(tx);
      assert.equal(await missingFactor({ factor, limits }, { factors }, "anna", undefined), undefined);
      judged.resolve();
      await goOn.promise;
      await sessions.begin(sessionRows(tx), "anna", "browser");
    });
    await judged.promise;
    const confirming = store.write(async (tx) => {
      assert.ok(await factor.confirm(secondFactorRows(tx), "anna", code));
      await sessionRows(tx).removeOthers("anna", "the one that confirms");
    });
    // As long as a confirmation takes that waits for nobody.
    await Promise.race([confirming, delay(300)]);
    goOn.resolve();
    await Promise.all([signingIn, confirming]);
    assert.deepEqual(await sessionRows(store.read).ofSubject("anna"), []);
  });

  test(`${name}: a secret that an old key sealed moves on to the newest when it is used`, async (t) => {
    const { clock, store } = await open(t, database(t));
    const rows = <T>(work: (rows: ReturnType<typeof secondFactorRows>) => Promise<T>) =>
      store.write((tx) => work(secondFactorRows(tx)));
    const [newest, oldest] = KEYS as [string, string];
    const before = createSecondFactor({ keys: keysOf(oldest), clock, issuer: "x" });
    const begun = await rows((factors) => before.begin(factors, "somebody", "a@b.c"));
    const totp = new TOTP({ secret: Secret.fromBase32(begun?.secret as string) });
    const code = () => totp.generate({ timestamp: clock.now() });
    assert.equal((await rows((factors) => before.confirm(factors, "somebody", code())))?.length, 10);

    clock.advance(30_000);
    const rotated = createSecondFactor({ keys: keysOf(newest, oldest), clock, issuer: "x" });
    assert.equal(await rows((factors) => rotated.check(factors, "somebody", code())), "passed");
    assert.equal(
      await rows((factors) => rotated.check(factors, "somebody", code())),
      "wrong",
      "no code is taken twice",
    );
    clock.advance(30_000);
    const dropped = createSecondFactor({ keys: keysOf(newest), clock, issuer: "x" });
    assert.equal(await rows((factors) => dropped.check(factors, "somebody", code())), "passed");
  });
}

test("a mailbox has one name: what IDNA maps to another domain is no address", () => {
  for (const address of ["anna@example.org", "anna@münchen.de", "jürgen@straße.example", "用户@例え.jp"])
    assert.equal(parseEmailAddress(address), address);
  for (const address of [
    "anna@ｅxample.org",
    "anna@ﬁ.example",
    "anna@ªb.example",
    "anna@mu\u0308nchen.de",
    "anna@xn--mnchen-3ya.de",
    "ju\u0308rgen@example.org",
    "anna@10.0",
    "anna@0x7f.1",
  ])
    assert.throws(() => parseEmailAddress(address), { code: "invalid_email" }, address);
});

test("a key that is there is read without writing anything, for which the disk may have no room", (t) => {
  const file = join(temporaryHome(t), "session-key");
  const made = sessionKeys({ listed: [], setting: "X_SESSION_KEYS", file });
  // Where a new key would be written first.
  mkdirSync(`${file}.${process.pid}`);
  assert.deepEqual(sessionKeys({ listed: [], setting: "X_SESSION_KEYS", file }), made);
});

test("a key that cannot be made is told in a sentence, and nothing of it is left", (t) => {
  const folder = temporaryHome(t);
  const file = join(folder, "session-key");
  // Where it is written first there is no room.
  symlinkSync("/dev/full", `${file}.${process.pid}`);
  assert.throws(
    () => sessionKeys({ listed: [], setting: "X_SESSION_KEYS", file }),
    /^StartProblem: The key .*session-key cannot be made \(ENOSPC/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test("a key file that was cut off is named", (t) => {
  const file = join(temporaryHome(t), "session-key");
  writeFileSync(file, "");
  assert.throws(() => sessionKeys({ listed: [], setting: "X_SESSION_KEYS", file }), {
    message: new RegExp(`^The key in ${file} has been cut off: bring the file back`),
  });
});

test("a key is made once, for the owner's eyes only; a short one is refused by the setting's name", (t) => {
  const file = join(temporaryHome(t), "session-key");
  const [made] = sessionKeys({ listed: [], setting: "X_SESSION_KEYS", file });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, "utf8").trim(), made.secret);
  assert.deepEqual(sessionKeys({ listed: [], setting: "X_SESSION_KEYS", file }), [made]);
  assert.throws(
    () => keysOf("short"),
    /^StartProblem: Every key in X_SESSION_KEYS must have at least 32 characters/,
  );
});
