import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createLog } from "@frontdesk/kit/log";
import { memoryLimitStore } from "@frontdesk/store/limit-store";
import { openStore } from "@frontdesk/store/open-store";
import { createHourlyLimits } from "@frontdesk/store/timed-limits";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createDesk } from "../src/adapters/desk.ts";
import { migrations } from "../src/adapters/migrations.ts";
import type { Tables } from "../src/adapters/tables.ts";
import type { Desk } from "../src/domain/rows.ts";
import { createSignIn, MAX_ATTEMPTS, MAX_SESSIONS } from "../src/domain/sign-in.ts";

const HERE = "192.0.2.1";
const ELSEWHERE = "198.51.100.7";

/** A desk with the user admin, whose password is `right`. */
async function deskOfAdmin(t: TestContext, isLetGo?: Promise<void>, fault: { error?: Error } = {}) {
  const clock = { now: () => 0 };
  const log = createLog({ service: "lease", level: "silent", settings: {} });
  const limits = await memoryLimitStore(clock, log);
  t.after(() => limits.close());
  const admin = { id: "1", username: "admin", role: "admin", passwordHash: "right" } as const;
  return createSignIn({
    desk: {
      read: {
        users: {
          named: async () => {
            if (fault.error) throw fault.error;
            return admin;
          },
        },
      },
    } as unknown as Desk,
    clock,
    passwords: {
      hash: async (password) => password,
      verify: async (hash, password) => {
        await isLetGo;
        return hash === password;
      },
    },
    attempts: createHourlyLimits(limits, "lease", MAX_ATTEMPTS),
    newSecret: () => "secret",
  });
}

test("whoever guesses from one address keeps nobody out who comes from another", async (t) => {
  const { check } = await deskOfAdmin(t);
  const guesses = MAX_ATTEMPTS.sign_in_account_anywhere + 1;
  for (let i = 0; i < guesses; i++) await assert.rejects(check("admin", "a guess", HERE));
  await assert.rejects(check("admin", "right", HERE), { code: "too_many_attempts" });
  assert.equal((await check("admin", "right", ELSEWHERE)).username, "admin");
});

test("right passwords are not counted, however many come at once", async (t) => {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  const { check } = await deskOfAdmin(t, isLetGo);
  const more = 5;
  for (let round = 0; round < 4; round++) {
    let refused = 0;
    const all = Array.from({ length: MAX_ATTEMPTS.sign_in_account + more }, () =>
      check("admin", "right", HERE).catch(({ code }) => {
        assert.equal(code, "too_many_attempts");
        // Those that were let in have not been looked at yet.
        if (++refused === more) letGo();
      }),
    );
    await Promise.all(all);
    assert.equal((await check("admin", "right", HERE)).username, "admin");
  }
});

test("a password that could not be looked at is not counted", async (t) => {
  const fault: { error?: Error } = { error: new Error("the database is away") };
  const { check } = await deskOfAdmin(t, undefined, fault);
  for (let i = 0; i <= MAX_ATTEMPTS.sign_in_account; i++)
    await assert.rejects(check("admin", "right", HERE), /away/);
  delete fault.error;
  assert.equal((await check("admin", "right", HERE)).username, "admin");
});

test("who has a session or a token is known also where nothing can be written", async () => {
  const user = { id: "1", username: "admin", role: "admin", passwordHash: "right" } as const;
  const token = {
    id: "2",
    name: "watch",
    role: "viewer",
    rootUserId: "1",
    expiresAt: null,
    lastUsedAt: null,
  };
  let writes = 0;
  const { promise: isTried, resolve: tried } = Promise.withResolvers<unknown>();
  const signIn = createSignIn({
    desk: {
      read: {
        users: { find: async () => user },
        sessions: { find: async () => ({ id: "3", userId: "1", createdAt: 0, seenAt: 0 }) },
        tokens: { byHash: async () => token },
      },
      write: () => Promise.reject(new Error(`the disk is full ${++writes}`)),
    } as unknown as Desk,
    clock: { now: () => 3_600_000 },
    passwords: { hash: async (password) => password, verify: async () => false },
    attempts: { consume: async () => undefined, giveBack: async () => {} },
    newSecret: () => "secret",
    onUnmarked: tried,
  });
  assert.equal((await signIn.ofSession("cookie"))?.actor, "admin");
  assert.equal((await signIn.ofToken("token"))?.actor, "token watch");
  assert.match(String(await isTried), /full 1/);
});

test("a session begun while the clock was far ahead ends when it is right again; none that was ahead keeps anybody out", async (t) => {
  let time = 0;
  let secrets = 0;
  const clock = { now: () => time };
  const url = pathToFileURL(`${temporaryHome(t)}/manager.db`);
  const store = await openStore<Tables>({ url, migrations, clock });
  t.after(() => store.close());
  const desk = createDesk(store);
  const admin = { id: "1", username: "admin", role: "admin", passwordHash: "right" } as const;
  await desk.write(({ users }) => users.put({ ...admin, createdAt: 0, lastSignInAt: null }));
  const signIn = createSignIn({
    desk,
    clock,
    passwords: { hash: async (password) => password, verify: async (hash, password) => hash === password },
    attempts: { consume: async () => undefined, giveBack: async () => {} },
    newSecret: () => `secret ${++secrets}`,
  });
  const enter = async () => (await signIn.signIn("admin", "right", HERE)).secret;
  for (const [hours, actor] of [
    [1, "admin"],
    [365 * 24, undefined],
  ] as const) {
    time = hours * 3_600_000;
    for (let i = 1; i < MAX_SESSIONS; i++) await enter();
    const ahead = await enter();
    assert.equal((await signIn.ofSession(ahead))?.actor, "admin");
    time = 0;
    assert.equal((await signIn.ofSession(ahead))?.actor, actor, `${hours} hours ahead`);
    assert.equal((await signIn.ofSession(await enter()))?.actor, "admin");
  }
});
