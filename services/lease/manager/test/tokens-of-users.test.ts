import assert from "node:assert/strict";
import { test } from "node:test";
import { managerDesk } from "./manager-desk.ts";

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
    told.filter(({ action }) => action === "token_remove").map(({ details }) => details),
    ["some", "by a token", "all"],
  );
});
