import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { LabClients, macOf } from "../../engine/test/lab-clients.ts";
import { quitKeeper } from "../src/adapters/keeper-client.ts";
import { createResetMark } from "../src/adapters/reset-mark.ts";
import { createAudited } from "../src/domain/audited.ts";
import { createFactoryReset } from "../src/domain/factory-reset.ts";
import type { AuditEntry, Desk, Rows } from "../src/domain/rows.ts";
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
  const rollout = async (ask: typeof admin) => (await ask("GET", "rollout")).json.rollout;
  await admin("POST", "rollout", { body: { wave: 1, pause_seconds: 3600 } });
  assert.equal((await rollout(admin)).state, "running");
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
  const leases = await again("GET", "leases");
  assert.equal(leases.json.total, 0, leases.text);
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
  assert.equal(await rollout(again), null);
  assert.equal(await newDevices(again), 0);
  assert.ok(await clients.join(macOf(1_000)), "served again");
  await untilEqual(() => newDevices(again), 1);
  const { running } = (await again("GET", "config/full")).json;
  await untilEqual(async () => {
    const { items } = (await again("GET", "config/history")).json;
    return items.map(({ version }: { version: string }) => version).join();
  }, running);
});

test("a factory reset takes back a configuration that nobody has confirmed", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const { text, headers } = await admin("GET", "config");
  const body = text.replace("10.77.1.250", "10.77.1.99");
  const tried = { body, headers: { "if-match": String(headers.etag) } };
  assert.equal((await admin("PUT", "config?confirm_within=3600", tried)).status, 200);
  assert.equal(readFileSync(desk.configPath, "utf8"), body);
  const reset = { body: { confirmation: "factory reset" } };
  assert.equal((await admin("POST", "system/factory-reset", reset)).status, 200);
  assert.equal(readFileSync(desk.configPath, "utf8"), text);
  const again = await desk.signedIn("admin", PASSWORD);
  assert.equal((await again("GET", "config")).text, text);
});

const ADA = { actor: "ada", isLocal: true } as const;
const STEPS = [
  "tell",
  "mark",
  "stop",
  "admin",
  "roll back",
  "remove",
  "forget",
  "clear",
  "unmark",
  "start",
] as const;
type Step = (typeof STEPS)[number];

/** What is on disk, and the processes that reset it; each does nothing more from the step on at which it is killed. */
function house() {
  const disk = { mark: undefined as string | undefined, files: ["leases", "log"], rows: ["ada"] };
  const audit: string[] = [];
  const manager = (end?: { readonly at: Step; readonly by: "kill" | "failure" }) => {
    const steps: Step[] = [];
    let isDead = false;
    const reach = (step: Step) => {
      if (isDead) throw new Error("killed");
      steps.push(step);
      if (step !== end?.at) return;
      isDead = end.by === "kill";
      throw new Error(`cannot ${step}`);
    };
    const state = { pid: null, since: 0, restarts: 0, problem: null };
    const rows = {
      clear: async () => {
        reach("clear");
        disk.rows.splice(0);
        audit.splice(0);
      },
      audit: {
        add: async ({ actor, action }: AuditEntry) => {
          if (!steps.includes("clear") && action === "factory_reset") reach("tell");
          audit.push(`${actor} ${action}`);
        },
      },
    } as unknown as Rows;
    const desk: Desk = { read: rows, write: (work) => work(rows) };
    const clock = { now: () => 0 };
    const factoryReset = createFactoryReset({
      ...createAudited(desk, clock),
      keeper: {
        stop: async () => {
          reach("stop");
          return { state: "stopped", ...state };
        },
        start: async () => {
          reach("start");
          return { state: "running", ...state };
        },
      },
      removeEngineState: () => {
        disk.files.shift();
        reach("remove");
        disk.files = [];
      },
      desk,
      clock,
      log: { warn: () => {} },
      newAdmin: async () => {
        reach("admin");
        return { put: async () => void disk.rows.push("admin"), password: "its password" };
      },
      rollBackTrial: async () => reach("roll back"),
      forget: async () => reach("forget"),
      mark: {
        path: "the mark",
        actor: () => disk.mark,
        set: (actor) => {
          reach("mark");
          disk.mark = actor;
        },
        remove: () => {
          reach("unmark");
          disk.mark = undefined;
        },
      },
    });
    return { ...factoryReset, steps };
  };
  return { disk, audit, manager };
}

test("a factory reset that cannot be told to the audit log removes nothing", async () => {
  const { disk, manager } = house();
  const { reset, steps } = manager({ at: "tell", by: "failure" });
  await assert.rejects(reset(ADA, "factory reset"), /cannot tell/);
  assert.deepEqual(steps, ["tell"]);
  assert.deepEqual(disk.files, ["leases", "log"]);
});

for (const at of ["admin", "roll back", "remove", "forget", "clear"] as const) {
  test(`a factory reset that fails to ${at} leaves users as they are, and the engine runs again; no later start goes on with it`, async () => {
    const { disk, audit, manager } = house();
    const { reset, steps } = manager({ at, by: "failure" });
    await assert.rejects(reset(ADA, "factory reset"), new RegExp(`cannot ${at}`));
    assert.deepEqual([steps.at(-2), steps.at(-1)], ["unmark", "start"]);
    assert.deepEqual([disk.mark, disk.rows], [undefined, ["ada"]]);
    assert.deepEqual(audit, ["ada factory_reset", "ada factory_reset_failed"], "leases may be gone");
  });
}

test("the new password is told also where the engine does not start again", async () => {
  const { reset } = house().manager({ at: "start", by: "failure" });
  assert.equal(await reset(ADA, "factory reset"), "its password");
});

for (const at of ["admin", "roll back", "remove", "forget", "clear", "unmark"] as const) {
  test(`a factory reset that is killed when it shall ${at} is done at the next start, before the engine runs`, async () => {
    const { disk, audit, manager } = house();
    await assert.rejects(manager({ at, by: "kill" }).reset(ADA, "factory reset"));
    const { resume, steps } = manager();
    assert.equal(await resume(), "its password");
    assert.equal(steps.includes("start"), false);
    assert.deepEqual(disk, { mark: undefined, files: [], rows: ["admin"] });
    assert.equal(audit.at(-1), "ada factory_reset");
    assert.equal(await manager().resume(), undefined, "once");
  });
}

test("a factory reset that was cut off with its manager is finished by the next one", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const body = { username: "vera", password: "vera's own password", role: "viewer" };
  assert.equal((await admin("POST", "users", { body })).status, 201);
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  assert.ok(await clients.join(macOf(1)));
  await desk.kill();
  createResetMark(join(desk.home, "lease")).set("ada");
  await desk.start();
  const again = await desk.signedIn("admin", PASSWORD);
  assert.equal((await again("GET", "users")).json.items.length, 1);
  assert.equal((await again("GET", "leases")).json.total, 0);
  const told = (await again("GET", "audit")).json.items.map(
    ({ actor, action }: { actor: string; action: string }) => `${actor} ${action}`,
  );
  assert.ok(told.includes("ada factory_reset"));
  assert.ok(await clients.join(macOf(2)), "served again");
  assert.equal(createResetMark(join(desk.home, "lease")).actor(), undefined);
});

test("a factory reset that cannot be finished says why, and how to go on", async (t) => {
  const desk = await managerDesk(t);
  await desk.kill();
  await quitKeeper(join(desk.home, "lease/keeper.sock"));
  const folder = join(desk.home, "lease/engine");
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "not a folder");
  const mark = createResetMark(join(desk.home, "lease"));
  mark.set("ada");
  await assert.rejects(desk.start(), (error: Error) => {
    assert.match(error.message, /^A factory reset that was cut off cannot be finished: ENOTDIR/);
    assert.ok(error.message.includes(mark.path));
    return true;
  });
  assert.equal(mark.actor(), "ada", "not forgotten");
});
