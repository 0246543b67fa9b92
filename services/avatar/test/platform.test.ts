import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { AvatarService } from "../src/avatar.ts";
import { anyHome, HOMES, hashOf, type Person } from "./avatar-under-test.ts";

const ROOT = "root@example.org";
const ADMINS = { AVATAR_ADMINS: `${ROOT}, nobody@example.org` };

const refused = async (reply: ReturnType<Person["post"]>, status: number, error: string) => {
  const { status: given, body } = await reply;
  assert.deepEqual([given, body], [status, { error }]);
};

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: admins come from the setting and by grant, and can be revoked`, async (t) => {
    const desk = await open(t, ADMINS);
    const root = await desk.person(ROOT);
    const anna = await desk.person("anna@example.org");
    await anna.post("/me/name", { first_name: "Anna" });
    await anna.connect("anna@work.example");
    const [rootId, annaId] = [(await root.get("/me")).body.user.id, (await anna.get("/me")).body.user.id];
    assert.equal((await root.get("/me")).body.is_admin, true);

    const granted = {
      id: annaId,
      email: "anna@example.org",
      name: "Anna",
      source: "grant",
      granted_at: "2026-05-06T07:08:09.000Z",
    };
    assert.deepEqual((await root.post("/platform/admins", { email: "anna@work.example" })).body, {
      ok: true,
      admin: granted,
    });
    desk.clock.advance(1_000);
    assert.deepEqual(
      (await root.post("/platform/admins", { email: "anna@example.org" })).body.admin,
      granted,
    );
    assert.deepEqual((await anna.get("/platform/admins")).body, {
      admins: [granted, { id: rootId, email: ROOT, name: "root", source: "setting", granted_at: null }],
    });

    await refused(anna.remove(`/platform/admins/${annaId}`), 400, "cannot_revoke_self");
    await refused(anna.remove(`/platform/admins/${rootId}`), 409, "admin_by_setting");
    const both = await root.post("/platform/admins", { email: ROOT });
    assert.equal(both.status, 200);
    await refused(anna.remove(`/platform/admins/${rootId}`), 409, "admin_by_setting");
    const { store } = desk.copies[0] as AvatarService;
    const kept = await store.read.selectFrom("admins").select("account_id").execute();
    assert.deepEqual(
      kept.map(({ account_id }) => account_id).sort(),
      [annaId, rootId].sort(),
      "a refusal changes nothing",
    );
    for (const none of ["nobody", "%00"])
      await refused(anna.remove(`/platform/admins/${none}`), 404, "admin_not_found");
    assert.deepEqual((await root.remove(`/platform/admins/${annaId}`)).body, { ok: true });
    await refused(anna.get("/platform/admins"), 403, "not_admin");
  });

  test(`${home}: only an account that has verified the address becomes an admin; none is made up`, async (t) => {
    const desk = await open(t, ADMINS);
    const root = await desk.person(ROOT);
    await root.post("/me/emails", { email: "pending@example.org" });
    for (const email of ["stranger@example.org", "pending@example.org"])
      await refused(root.post("/platform/admins", { email }), 404, "no_account");
    await refused(root.post("/platform/admins", { email: "no address" }), 400, "invalid_email");
    assert.equal((await root.get("/platform/metrics")).body.totals.accounts, 1);
  });

  test(`${home}: metrics are counts over all accounts and nothing else`, async (t) => {
    const desk = await open(t, ADMINS);
    const root = await desk.person(ROOT);
    assert.equal((await root.get("/platform/metrics")).body.totals.adoption_pct, 0);
    const people = await Promise.all(["a", "b"].map((name) => desk.person(`${name}@example.org`)));
    await root.connect("root@work.example");
    await people[0]?.connect("a@work.example");
    await people[0]?.post("/me/emails", { email: "pending@example.org" });
    await people[0]?.post("/me/avatar", { collection: "bottts" });
    await people[1]?.upload(Buffer.from("R0lGODdhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=", "base64"));
    assert.deepEqual((await root.get("/platform/metrics")).body, {
      totals: {
        accounts: 3,
        verified_emails: 5,
        accounts_with_avatar: 2,
        adoption_pct: 66.67,
        multi_email_accounts: 2,
      },
      by_kind: [
        { kind: "designed", accounts: 1 },
        { kind: "uploaded", accounts: 1 },
      ],
      by_style: [{ style: "bottts", accounts: 1 }],
      generated_at: "2026-05-06T07:08:09.000Z",
    });
  });
}

const COMMAND = fileURLToPath(new URL("../src/command.ts", import.meta.url));

type Run = (...words: string[]) => Promise<{ code: number; out: string; err: string }>;

const commandLine =
  (env: Record<string, string>): Run =>
  (...words) =>
    new Promise((resolve) => {
      const { PATH, NODE_COMPILE_CACHE, NODE_COMPILE_CACHE_PORTABLE } = process.env;
      const whole = { PATH, NODE_COMPILE_CACHE, NODE_COMPILE_CACHE_PORTABLE, AVATAR_ADMINS: ROOT, ...env };
      execFile(process.execPath, [COMMAND, ...words], { env: whole }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      );
    });

/** The command line beside a service that runs. */
async function withCommandLine(t: TestContext, open: (typeof HOMES)[string]) {
  const house = temporaryHome(t);
  const home = join(house, "avatar");
  mkdirSync(home);
  const desk = await open(t, {}, { home });
  const { AVATAR_DATABASE_URL, AVATAR_OBJECTS_URL } = desk.env;
  const where = AVATAR_DATABASE_URL && AVATAR_OBJECTS_URL ? { AVATAR_DATABASE_URL, AVATAR_OBJECTS_URL } : {};
  return { desk, run: commandLine({ FRONTDESK_HOME: house, ...where }) };
}

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: the command line grants, lists and revokes beside a running service`, async (t) => {
    const { desk, run } = await withCommandLine(t, open);
    const anna = await desk.person("anna@example.org");
    assert.deepEqual(await run("admin", "grant", "Anna@example.org"), {
      code: 0,
      out: "anna@example.org is an admin.\n",
      err: "",
    });
    assert.equal((await anna.get("/me")).body.is_admin, true);
    assert.match((await run("admin", "list")).out, /^anna@example\.org\tanna\tgrant\t\d{4}-/);
    assert.equal((await run("admin", "revoke", "anna@example.org")).code, 0);
    assert.equal((await anna.get("/me")).body.is_admin, false);
    assert.deepEqual(await run("admin", "revoke", "anna@example.org"), {
      code: 1,
      out: "",
      err: "There is no such admin.\n",
    });
    assert.deepEqual(await run("admin", "grant", "x@example.org"), {
      code: 1,
      out: "",
      err: "No account has verified that address.\n",
    });
  });

  test(`${home}: the command line has an address forgotten, and the account with the last one`, async (t) => {
    const { desk, run } = await withCommandLine(t, open);
    const anna = await desk.person("anna@example.org");
    await anna.connect("anna@work.example");
    await anna.post("/me/avatar", { collection: "bottts" });
    assert.equal((await run("purge", "anna@example.org")).out, "anna@example.org is forgotten.\n");
    const { user, emails } = (await anna.get("/me")).body;
    assert.deepEqual([user.email, emails.length], ["anna@work.example", 1]);
    assert.equal((await desk.metadata(hashOf("anna@example.org"))).has_avatar, false);
    assert.equal((await desk.metadata(hashOf("anna@work.example"))).has_avatar, true);

    assert.equal(
      (await run("purge", "anna@work.example")).out,
      "anna@work.example is forgotten, and its account.\n",
    );
    await refused(anna.get("/me"), 401, "no_session");
    const { has_avatar, version } = await desk.metadata(hashOf("anna@work.example"));
    assert.deepEqual([has_avatar, version], [false, 1]);
    assert.equal((await run("purge", "anna@work.example")).out, "Nothing is held about anna@work.example.\n");
  });
}

test("the command line says what it can do, and what it was not told", async (t) => {
  const run = commandLine({ FRONTDESK_HOME: temporaryHome(t) });
  const [incomplete, nonsense, nothing] = await Promise.all([run("admin", "grant"), run("nonsense"), run()]);
  assert.equal(incomplete.code, 1);
  assert.match(nonsense.err, /^"nonsense" is not a command of npx frontdesk avatar\.\nnpx frontdesk avatar/);
  assert.match(nothing.out, /admin grant <email>.*purge <email>/s);
});

test("platform pages are for admins only", async (t) => {
  const desk = await anyHome(t, ADMINS);
  const anna = await desk.person("anna@example.org");
  await refused(anna.get("/platform/admins"), 403, "not_admin");
  await refused(anna.post("/platform/admins", { email: "anna@example.org" }), 403, "not_admin");
  await refused(anna.post("/platform/admins", "nonsense"), 403, "not_admin");
  await refused(anna.remove("/platform/admins/x"), 403, "not_admin");
  await refused(anna.get("/platform/metrics"), 403, "not_admin");
  assert.equal((await anna.get("/me")).body.is_admin, false);
});
