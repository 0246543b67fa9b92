import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { managerDesk } from "./manager-desk.ts";

const COMMAND = fileURLToPath(new URL("../src/command.ts", import.meta.url));

test("the command line works beside a running manager", async (t) => {
  const desk = await managerDesk(t);
  const run = (words: string[], input = "") =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      const child = spawn(process.execPath, [COMMAND, ...words], {
        env: { ...process.env, FRONTDESK_HOME: desk.home, LEASE_CONFIG: desk.configPath },
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk) => (out += chunk));
      child.stderr.on("data", (chunk) => (err += chunk));
      child.on("close", (code) => resolve({ code, out, err }));
      child.stdin.end(input);
    });

  await t.test("accounts: added, listed, given another password, removed", async () => {
    const add = await run(
      ["user", "add", "vera", "--role", "viewer", "--password-stdin"],
      "vera's password\n",
    );
    assert.deepEqual([add.code, add.out], [0, "vera can sign in.\n"], add.err);
    const vera = await desk.signedIn("vera", "vera's password");
    assert.equal((await vera("GET", "auth/me")).json.user.role, "viewer");
    const listed = JSON.parse((await run(["user", "list", "--json"])).out);
    assert.deepEqual(
      listed.map(({ username }: { username: string }) => username),
      ["admin", "vera"],
    );
    await run(["user", "password", "vera", "--password-stdin"], "another of vera's");
    assert.equal((await vera("GET", "auth/me")).status, 401);
    assert.equal((await run(["user", "remove", "vera"])).code, 0);
    const last = await run(["user", "remove", "admin"]);
    assert.deepEqual([last.code, last.err], [1, "This is the last administrator: make another one first.\n"]);
    const named = await run(
      ["user", "add", "token inventory", "--role", "admin", "--password-stdin"],
      "long enough, surely",
    );
    assert.deepEqual(
      [named.code, named.err.split(",")[0]],
      [1, "A user name has at most 64 letters and digits"],
    );
    const bad = await run(["user", "add", "x", "--role", "king", "--password-stdin"], "long enough, surely");
    assert.deepEqual([bad.code, bad.err], [1, "--role is one of viewer, operator, admin.\n"]);
  });

  await t.test("simulated clients get real leases", async () => {
    const told = await run(["simulate", "--clients", "50"]);
    assert.equal(told.out, "50 clients have an address, 0 were refused, 0 heard nothing.\n", told.err);
    const admin = await desk.signedIn();
    const { total, items } = (await admin("GET", "leases?state=active")).json;
    assert.equal(total, 50);
    assert.match(items[0].hostname, /-\d+$/);
  });
});
