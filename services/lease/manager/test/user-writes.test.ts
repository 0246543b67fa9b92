import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { countingIds } from "@frontdesk/kit/ids";
import { openStore } from "@frontdesk/store/open-store";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { createDesk } from "../src/adapters/desk.ts";
import { createFirstPassword } from "../src/adapters/first-password.ts";
import { migrations } from "../src/adapters/migrations.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { createAudited } from "../src/domain/audited.ts";
import type { RemoteAuthor } from "../src/domain/author.ts";
import { createFactoryReset } from "../src/domain/factory-reset.ts";
import { createFirstAdmin } from "../src/domain/first-admin.ts";
import type { Role } from "../src/domain/role.ts";
import { createSignIn, SESSION_LIFE_MS } from "../src/domain/sign-in.ts";
import { createUsers } from "../src/domain/users.ts";

const LOCAL = { actor: "command line", isLocal: true } as const;
const SLOW = "this takes a while to hash";

/** Users in a database of their own; hashing the password SLOW does not end before it is let go. */
async function office(t: TestContext, adminPassword = "admin's new password") {
  let time = 1_000;
  const clock = { now: () => time };
  const pass = (milliseconds: number) => {
    time += milliseconds;
  };
  const home = temporaryHome(t);
  const store = await openStore<Tables>({
    url: pathToFileURL(`${home}/manager.db`),
    migrations,
    clock,
  });
  t.after(() => store.close());
  const desk = createDesk(store);
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  let held = 0;
  const passwords = {
    hash: async (password: string) => {
      if (password === SLOW) {
        held++;
        await isLetGo;
      }
      return `hash of ${password}`;
    },
    verify: async (hash: string, password: string) => hash === `hash of ${password}`,
  };
  let secrets = 0;
  const newSecret = () => `secret ${secrets++}`;
  const users = createUsers({ desk, clock, ids: countingIds(), passwords, newSecret });
  const attempts = { consume: async () => undefined, giveBack: async () => {} };
  const firstPassword = createFirstPassword(home);
  const makePassword = () => adminPassword;
  const firstAdmin = createFirstAdmin({
    desk,
    users,
    passwords,
    firstPassword,
    given: undefined,
    makePassword,
  });
  const onSignedIn = firstAdmin.hasSignedIn;
  const signIn = createSignIn({ desk, clock, passwords, attempts, newSecret, onSignedIn });

  /** A sign-in that is on disk, and does not go on before it is let go. */
  const signInHeld = (username: string, password: string) => {
    const committed = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const write: typeof desk.write = async (work) => {
      const result = await desk.write(work);
      committed.resolve();
      await answered.promise;
      return result;
    };
    const held = createSignIn({
      desk: { read: desk.read, write },
      clock,
      passwords,
      attempts,
      newSecret,
      onSignedIn,
    });
    const isSignedIn = held.signIn(username, password, "192.0.2.1");
    return { isSignedIn, isCommitted: committed.promise, letGo: answered.resolve };
  };

  const joins = async (username: string, role: Role): Promise<RemoteAuthor> => {
    await users.add(LOCAL, username, `${username}'s password`, role);
    const { secret } = await signIn.signIn(username, `${username}'s password`, "192.0.2.1");
    return { ...((await signIn.ofSession(secret)) ?? assert.fail()), needed: "admin" };
  };
  const known = async () =>
    (await users.list()).map(({ username, role, passwordHash }) => [username, role, passwordHash]);
  const ownPassword = async (author: RemoteAuthor, password: string) =>
    users.changePassword(
      { ...author, needed: "viewer" },
      await signIn.check(author.actor, `${author.actor}'s password`, "192.0.2.1"),
      password,
    );
  const { reset } = createFactoryReset({
    ...createAudited(desk, clock),
    keeper: {
      stop: async () => ({ state: "stopped", pid: null, since: 0, restarts: 0, problem: null }),
      start: async () => ({ state: "running", pid: 1, since: 0, restarts: 0, problem: null }),
    },
    removeEngineState: () => {},
    desk,
    clock,
    log: { warn: () => {} },
    newAdmin: firstAdmin.prepare,
    rollBackTrial: async () => {},
    forget: async () => {},
    mark: { path: "", actor: () => undefined, set: () => {}, remove: () => {} },
  });
  const isHeld = (many = 1) => until("the passwords are being hashed", () => held === many);
  return {
    users,
    signIn,
    pass,
    signInHeld,
    joins,
    known,
    ownPassword,
    isHeld,
    letGo,
    reset,
    firstAdmin,
    firstPassword,
  };
}

type Office = Awaited<ReturnType<typeof office>>;

const ENDS: Record<string, (office: Office, eve: RemoteAuthor) => Promise<unknown>> = {
  demoted: ({ users }) => users.change(LOCAL, "eve", { role: "operator" }),
  removed: ({ users }) => users.remove(LOCAL, "eve"),
  "removed and added again": async ({ users }) => {
    await users.remove(LOCAL, "eve");
    await users.add(LOCAL, "eve", "eve's password", "admin");
  },
  "given another password": ({ users }) => users.change(LOCAL, "eve", { password: "another password" }),
  "signed out": ({ signIn }, { sessionId = "" }) => signIn.signOut(sessionId),
};

const WRITES: Record<string, (office: Office, eve: RemoteAuthor) => Promise<unknown>> = {
  "adds a user": ({ users }, eve) => users.add(eve, "twin", SLOW, "admin"),
  "changes her own role and password": ({ users }, eve) =>
    users.change(eve, "eve", { role: "admin", password: SLOW }),
  "changes another's password": ({ users }, eve) => users.change(eve, "admin", { password: SLOW }),
};

for (const [end, act] of Object.entries(ENDS)) {
  for (const [write, begin] of Object.entries(WRITES)) {
    test(`an administrator who is ${end} while she ${write} changes nothing any more`, async (t) => {
      const desk = await office(t);
      await desk.joins("admin", "admin");
      const eve = await desk.joins("eve", "admin");
      const refused = assert.rejects(begin(desk, eve), { code: /^(unauthorized|forbidden)$/ });
      await desk.isHeld();
      await act(desk, eve);
      const before = await desk.known();
      desk.letGo();
      await refused;
      assert.deepEqual(await desk.known(), before);
    });
  }

  test(`an administrator who is ${end} while her factory reset is under way resets nothing`, async (t) => {
    const desk = await office(t, SLOW);
    await desk.joins("admin", "admin");
    const eve = await desk.joins("eve", "admin");
    const refused = assert.rejects(desk.reset(eve, "factory reset"), { code: /^(unauthorized|forbidden)$/ });
    await desk.isHeld();
    await act(desk, eve);
    const before = await desk.known();
    desk.letGo();
    await refused;
    assert.deepEqual(await desk.known(), before);
  });

  test(`an administrator who is ${end} cannot act on what let her in before`, async (t) => {
    const desk = await office(t);
    const { users, joins, known } = desk;
    await joins("admin", "admin");
    await joins("vera", "viewer");
    const eve = await joins("eve", "admin");
    const { token } = await users.addToken(await joins("bob", "admin"), "bob's", "viewer", null);
    await act(desk, eve);
    const before = await known();
    const isRefused = { code: /^(unauthorized|forbidden)$/ };
    await assert.rejects(users.remove(eve, "vera"), isRefused);
    await assert.rejects(users.removeToken(eve, token.id), isRefused);
    await assert.rejects(users.addToken(eve, "eve's", "viewer", null), isRefused);
    assert.deepEqual(await known(), before);
    assert.equal((await users.tokens()).length, 1);
  });
}

for (const [what, milliseconds] of [
  ["a token", 5_000],
  ["a session", SESSION_LIFE_MS + 1],
] as const) {
  test(`${what} whose time runs out while it adds a user adds nobody`, async (t) => {
    const { pass, users, signIn, joins, known, isHeld, letGo } = await office(t);
    const admin = await joins("admin", "admin");
    const { secret } = await users.addToken(admin, "program", "admin", 6_000);
    const program = { ...((await signIn.ofToken(secret)) ?? assert.fail()), needed: "admin" } as const;
    const author = what === "a token" ? program : admin;
    const refused = assert.rejects(users.add(author, "twin", SLOW, "admin"), { code: "unauthorized" });
    await isHeld();
    pass(milliseconds);
    letGo();
    await refused;
    assert.equal((await known()).length, 1);
  });
}

test("a token that is revoked while it adds a user adds nobody", async (t) => {
  const { users, signIn, joins, known, isHeld, letGo } = await office(t);
  const admin = await joins("admin", "admin");
  const { token, secret } = await users.addToken(admin, "program", "admin", null);
  const program = { ...((await signIn.ofToken(secret)) ?? assert.fail()), needed: "admin" } as const;
  const refused = assert.rejects(users.add(program, "twin", SLOW, "admin"), { code: "unauthorized" });
  await isHeld();
  await users.removeToken(admin, token.id);
  letGo();
  await refused;
  assert.equal((await known()).length, 1);
});

test("a password that an administrator has given stays, whatever its owner was changing it to meanwhile", async (t) => {
  const { users, joins, known, ownPassword, isHeld, letGo } = await office(t);
  const bob = await joins("bob", "viewer");
  const refused = assert.rejects(ownPassword(bob, SLOW), { code: "unauthorized" });
  await isHeld();
  await users.change(LOCAL, "bob", { password: "given by an administrator" });
  letGo();
  await refused;
  assert.deepEqual(await known(), [["bob", "viewer", "hash of given by an administrator"]]);
});

test("of two changes of one's own password from one session, the second needs the new one", async (t) => {
  const { joins, known, ownPassword, isHeld, letGo } = await office(t);
  const bob = await joins("bob", "viewer");
  const refused = assert.rejects(ownPassword(bob, SLOW), { code: "sign_in_failed" });
  await isHeld();
  await ownPassword(bob, "bob's second password");
  letGo();
  await refused;
  assert.deepEqual(await known(), [["bob", "viewer", "hash of bob's second password"]]);
});

test("after a factory reset there is the new admin only, whatever was under way", async (t) => {
  const { users, joins, known, ownPassword, isHeld, letGo, reset } = await office(t);
  const admin = await joins("admin", "admin");
  const refused = Promise.all(
    [
      users.add(admin, "twin", SLOW, "admin"),
      users.change(admin, "admin", { password: SLOW }),
      ownPassword(admin, SLOW),
    ].map((write) => assert.rejects(write, { code: "unauthorized" })),
  );
  await isHeld(3);
  assert.equal(await reset(admin, "factory reset"), "admin's new password");
  letGo();
  await refused;
  assert.deepEqual(await known(), [["admin", "admin", "hash of admin's new password"]]);
});

test("the password that was made for admin is told by every start until admin has signed in with it", async (t) => {
  const { signIn, joins, reset, firstAdmin, firstPassword } = await office(t);
  assert.equal(await firstAdmin.make(), "admin's new password");
  assert.equal(await firstAdmin.make(), "admin's new password", "the start before may have failed");
  await joins("bob", "viewer");
  assert.equal(await firstAdmin.make(), "admin's new password");
  await signIn.signIn("admin", "admin's new password", "192.0.2.1");
  assert.equal(firstPassword.read(), undefined);
  assert.equal(await firstAdmin.make(), undefined);

  assert.equal(await reset(LOCAL, "factory reset"), "admin's new password");
  assert.equal(await firstAdmin.make(), "admin's new password", "the answer to the reset may have been lost");
});

test("the password that a factory reset makes stays kept, though admin has just signed in with the one before", async (t) => {
  const { signInHeld, reset, firstAdmin, firstPassword } = await office(t);
  await firstAdmin.make();
  const { isSignedIn, isCommitted, letGo } = signInHeld("admin", "admin's new password");
  await isCommitted;
  assert.equal(await reset(LOCAL, "factory reset"), "admin's new password");
  letGo();
  await isSignedIn;
  assert.equal(firstPassword.read(), "admin's new password");
});

test("a first password that was changed before anybody used it is not told any more", async (t) => {
  const { users, firstAdmin, firstPassword } = await office(t);
  await firstAdmin.make();
  await users.change(LOCAL, "admin", { password: "given by an administrator" });
  assert.equal(await firstAdmin.make(), undefined);
  assert.equal(firstPassword.read(), undefined);
});
