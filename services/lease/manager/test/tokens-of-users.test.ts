import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openStore } from "@frontdesk/store/open-store";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createDesk } from "../src/adapters/desk.ts";
import { migrations } from "../src/adapters/migrations.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { managerDesk, PASSWORD } from "./manager-desk.ts";

test("tokens end with what the one who made them may do", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const password = "alice's own password";
  const user = { username: "alice", password, role: "admin" };
  assert.equal((await admin("POST", "users", { body: user })).status, 201);
  const alice = await desk.signedIn("alice", password);
  type Ask = typeof admin;
  const tokenOf = async (ask: Ask, name: string, role: string): Promise<string> =>
    (await ask("POST", "tokens", { body: { name, role } })).json.token;
  const statusWith = async (token: string) =>
    (await desk.call("GET", "/api/v1/leases", { headers: { authorization: `Bearer ${token}` } })).status;

  const [all, some, others] = [
    await tokenOf(alice, "all", "admin"),
    await tokenOf(alice, "some", "viewer"),
    await tokenOf(admin, "others", "admin"),
  ];
  const headers = { authorization: `Bearer ${all}` };
  const body = { name: "by a token", role: "admin" };
  const byToken = (await desk.call("POST", "/api/v1/tokens", { headers, body })).json.token;
  const statuses = () => Promise.all([all, byToken, some, others].map(statusWith));
  assert.deepEqual(await statuses(), [200, 200, 200, 200]);

  assert.equal((await admin("PATCH", "users/alice", { body: { role: "viewer" } })).status, 200);
  assert.deepEqual(await statuses(), [401, 401, 200, 200], "what she may still do, her token may too");
  assert.equal((await admin("DELETE", "users/alice")).status, 204);
  assert.deepEqual(await statuses(), [401, 401, 401, 200]);
  const told = (await admin("GET", "audit")).json.items as Array<{ action: string; details: string }>;
  assert.deepEqual(
    told
      .filter(({ action }) => action === "token_remove")
      .map(({ details }) => details)
      .sort(),
    ["all", "by a token", "some"],
  );
});

test("what was made with a token ends with it, and with the user at its root", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  await admin("POST", "users", { body: { username: "eve", password: PASSWORD, role: "admin" } });
  const eve = await desk.signedIn("eve");
  const body = { name: "backup", role: "admin" };
  const make = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await desk.call("POST", "/api/v1/tokens", { headers, body })).json;
  };
  const statuses = (...made: Array<{ token: string }>) =>
    Promise.all(
      made.map(async ({ token }) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await desk.call("GET", "/api/v1/config", { headers })).status;
      }),
    );

  for (const name of ["half \ud800", "turned \u202e", "two\nlines"])
    assert.equal(
      (await admin("POST", "tokens", { body: { ...body, name } })).status,
      400,
      JSON.stringify(name),
    );
  // All of one name: it is not by the name that they end.
  const others = (await admin("POST", "tokens", { body })).json;
  const madeByOthers = await make(others.token);
  const first = (await eve("POST", "tokens", { body })).json;
  const second = await make(first.token);
  const third = await make(second.token);
  const beside = await make(first.token);
  assert.equal((await eve("DELETE", `tokens/${second.id}`)).status, 204);
  assert.deepEqual(await statuses(second, third), [401, 401], "with a token ends what it made");
  assert.deepEqual(await statuses(first, beside, others, madeByOthers), [200, 200, 200, 200]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const ending = (await admin("POST", "tokens", { body: { ...body, expires_at: until } })).json;
  assert.equal((await make(ending.token)).expires_at, until, "it does not outlive the one that made it");
  const less = (
    await desk.call("POST", "/api/v1/tokens", {
      headers: { authorization: `Bearer ${first.token}` },
      body: { name: "less", role: "viewer" },
    })
  ).json;
  assert.equal((await admin("PATCH", "users/eve", { body: { role: "viewer" } })).status, 200);
  assert.deepEqual(await statuses(first, beside, less), [401, 401, 401]);
  assert.equal((await admin("DELETE", "users/eve")).status, 204);
  assert.deepEqual(await statuses(others, madeByOthers), [200, 200]);
});

test("a token from before has the user at its root where that is certain, and else ends", async (t) => {
  const url = pathToFileURL(`${temporaryHome(t)}/manager.db`);
  const clock = { now: () => 100 };
  const { "005-token-roots": _, ...steps } = migrations.steps;
  const before = await openStore<Tables>({ url, migrations: { ...migrations, steps }, clock });
  const users = [
    { id: "u-admin", username: "admin", role: "admin", created_at: 1 },
    { id: "u-eve", username: "eve", role: "operator", created_at: 50 },
  ] as const;
  const tokens = [
    ["of-admin", "ci", "admin", "admin", 10],
    ["made", "probe", "admin", "token ci", 11, 900],
    ["made-deeper", "probe of the probe", "viewer", "token probe", 12],
    ["of-an-eve-before", "old", "viewer", "eve", 13],
    ["maker-gone", "left", "admin", "token x", 14],
    ["twin", "twin", "admin", "admin", 15],
    ["maker-is-one-of-two", "either", "admin", "token twin", 17],
    ["of-eve", "own", "viewer", "eve", 60],
    ["too-much", "more", "admin", "eve", 61],
  ] as const;
  await before.write(async (tx) => {
    for (const user of users)
      await tx
        .insertInto("lease_users")
        .values({ ...user, password_hash: "", last_sign_in_at: null })
        .execute();
    const told = (subject: string, at: number) =>
      tx
        .insertInto("lease_audit")
        .values({ at, actor: "", action: "token_add", subject, details: null })
        .execute();
    // A token of this name was made by somebody else, and revoked.
    await told("twin", 16);
    for (const [id, name, role, created_by, created_at, expires_at = null] of tokens) {
      const row = { id, name, role, hash: id, created_by, created_at, expires_at, last_used_at: null };
      // The columns that come with the step are not there yet.
      await tx
        .insertInto("lease_tokens")
        .values(row as Tables["lease_tokens"])
        .execute();
      await told(name, created_at);
    }
  });
  await before.close();

  const store = await openStore<Tables>({ url, migrations, clock });
  t.after(() => store.close());
  const { read } = createDesk(store);
  const kept = (await read.tokens.all()).map((token) => [
    token.id,
    token.rootUserId,
    token.madeWith,
    token.expiresAt,
  ]);
  assert.deepEqual(kept.toReversed(), [
    ["of-admin", "u-admin", null, null],
    ["made", "u-admin", "of-admin", 900],
    ["made-deeper", "u-admin", "made", 900],
    ["twin", "u-admin", null, null],
    ["of-eve", "u-eve", null, null],
  ]);
  const ended = (await read.audit.page(undefined, 10)).filter(({ action }) => action === "token_remove");
  assert.deepEqual(ended.map(({ subject }) => subject).toReversed(), [
    "of-an-eve-before",
    "maker-gone",
    "maker-is-one-of-two",
    "too-much",
  ]);
});
