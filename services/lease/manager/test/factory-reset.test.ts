import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { LabClients, macOf } from "../../engine/test/lab-clients.ts";
import { createFactoryReset } from "../src/domain/factory-reset.ts";
import { managerDesk, PASSWORD } from "./manager-desk.ts";

test("a password for the user admin that is too short stops the start, and is named", async (t) => {
  await assert.rejects(
    managerDesk(t, { LEASE_ADMIN_PASSWORD: "short" }),
    /^Error: LEASE_ADMIN_PASSWORD must/,
  );
});

test("factory reset: only by the typed words, then nothing is left but a new beginning", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const newDevices = async (ask: typeof admin) => (await ask("GET", "dashboard")).json.new_devices.count;
  for (const n of [1, 2, 3]) assert.ok(await clients.join(`02:00:00:00:00:0${n}`));
  await untilEqual(() => newDevices(admin), 3);
  const body = { username: "vera", password: "vera's own password", role: "viewer" };
  assert.equal((await admin("POST", "users", { body })).status, 201);
  const { token } = (await admin("POST", "tokens", { body: { name: "old", role: "admin" } })).json;
  const reset = (confirmation: string) => admin("POST", "system/factory-reset", { body: { confirmation } });

  const untyped = await reset("yes");
  assert.deepEqual([untyped.status, untyped.json.code], [409, "confirmation_needed"]);
  assert.deepEqual(untyped.json.errors, [{ pointer: "#/confirmation", detail: "factory reset" }]);
  assert.equal((await admin("GET", "leases")).json.total, 3);

  const before = readFileSync(desk.configPath, "utf8");
  const done = await reset("factory reset");
  assert.equal(done.status, 200, done.text);
  assert.deepEqual(done.json, { username: "admin", password: null }, "LEASE_ADMIN_PASSWORD sets it");
  assert.equal((await admin("GET", "auth/me")).status, 401, "sessions have ended");
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await desk.call("GET", "/api/v1/leases", { headers })).status, 401);
  const again = await desk.signedIn("admin", PASSWORD);
  assert.equal((await again("GET", "leases")).json.total, 0);
  assert.equal((await again("GET", "lease-events")).json.items.length, 0);
  assert.deepEqual(
    (await again("GET", "users")).json.items.map(({ username }: { username: string }) => username),
    ["admin"],
  );
  const told = (await again("GET", "audit")).json.items.map(
    ({ actor, action }: { actor: string; action: string }) => `${actor} ${action}`,
  );
  assert.ok(told.includes("admin factory_reset"));
  assert.equal(readFileSync(desk.configPath, "utf8"), before, "the owner's file stays");
  assert.ok(existsSync(join(desk.home, "lease/tls/ca.crt")), "browsers trust it still");
  assert.equal(await newDevices(again), 0);
  let nextDevice = 1_000;
  // Each grant until one is heard: the line to the engine may still be on its way.
  await until("what happens is heard of again", async () => {
    assert.ok(await clients.join(macOf(nextDevice++)), "served again");
    return (await newDevices(again)) > 0;
  });
});

test("a step that fails leaves users as they are, and the engine runs again", async () => {
  const steps: string[] = [];
  const reset = createFactoryReset({
    keeper: {
      stop: async () => {
        steps.push("stop");
        return { state: "stopped", pid: null, since: 0, restarts: 0, problem: null };
      },
      start: async () => {
        steps.push("start");
        return { state: "running", pid: 1, since: 0, restarts: 0, problem: null };
      },
    },
    removeEngineState: () => {
      throw new Error("the disk is away");
    },
    desk: { read: {} as never, write: async () => assert.fail("nothing is cleared") },
    clock: { now: () => 0 },
    firstAdmin: async () => assert.fail("no admin is made"),
    forget: async () => assert.fail("nothing is forgotten"),
  });
  await assert.rejects(reset("ada", "factory reset"), /the disk is away/);
  assert.deepEqual(steps, ["stop", "start"]);
});
