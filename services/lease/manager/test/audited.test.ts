import assert from "node:assert/strict";
import { test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import { until } from "@frontdesk/testkit/until";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { createAudited } from "../src/domain/audited.ts";
import type { AuditEntry, Rows } from "../src/domain/rows.ts";
import { managerDesk } from "./manager-desk.ts";

const ADA = { actor: "ada", isLocal: true } as const;

test("an act is told before it is done, and one that comes to nothing is told as that", async () => {
  const told: string[] = [];
  const rows = {
    audit: {
      add: async ({ actor, action, subject, details }: AuditEntry) =>
        void told.push([actor, action, subject, details].join(" ")),
    },
  } as unknown as Rows;
  const { audited } = createAudited({ read: rows, write: (work) => work(rows) }, { now: () => 0 });
  const act = { author: ADA, action: "lease_release", subject: "10.0.0.1" };
  assert.equal(await audited(act, async () => told.join()), "ada lease_release 10.0.0.1 ");
  const refused = new DomainError("lease_not_found");
  await assert.rejects(
    audited(act, () => Promise.reject(refused)),
    refused,
  );
  assert.equal(told.at(-1), "ada lease_release_failed 10.0.0.1 lease_not_found");
});

test("an act that cannot be told is not done", async () => {
  const away = new Error("the database is away");
  const { audited } = createAudited(
    { read: {} as Rows, write: () => Promise.reject(away) },
    { now: () => 0 },
  );
  await assert.rejects(
    audited({ author: ADA, action: "lease_release" }, () => assert.fail("it is done")),
    away,
  );
});

test("an act that is to be alone waits for those under way; others are refused until it is done", async () => {
  const rows = { audit: { add: async () => {} } } as unknown as Rows;
  const desk = { read: rows, write: <T>(work: (all: Rows) => Promise<T>) => work(rows) };
  const { audited, alone } = createAudited(desk, { now: () => 0 });
  const done: string[] = [];
  const acts = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [first, second, own] = acts.map(
    ({ promise }, n) =>
      () =>
        promise.then(() => void done.push(`${n}`)),
  );
  const release = { author: ADA, action: "lease_release" };
  const reset = { author: ADA, action: "factory_reset" };
  const underWay = [audited(release, first ?? assert.fail()), audited(release, second ?? assert.fail())];
  const isReset = alone(reset, own ?? assert.fail());
  const isRefused = { code: "engine_busy" };
  await assert.rejects(
    audited(release, async () => assert.fail()),
    isRefused,
  );
  await assert.rejects(
    alone(reset, async () => assert.fail()),
    isRefused,
  );
  acts[2]?.resolve();
  acts[0]?.reject(new Error("refused"));
  await assert.rejects(underWay[0] ?? assert.fail());
  assert.equal(done.length, 0);
  acts[1]?.resolve();
  await isReset;
  assert.deepEqual(done, ["1", "2"]);
  await audited(release, async () => void done.push("after"));
  assert.deepEqual(done, ["1", "2", "after"]);
});

test("what the engine is asked to do is in the audit log before it has answered", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  assert.ok(await clients.join("02:00:00:00:00:01"));
  const { ip } = (await admin("GET", "leases")).json.items[0];
  const { version } = (await admin("GET", "config/full")).json;
  const { pid } = (await admin("GET", "engine/status")).json.process;
  process.kill(pid, "SIGSTOP");
  const asked = {
    lease_change: admin("PATCH", `leases/${ip}`, { body: { note: "front" } }),
    lease_force_renew: admin("POST", `leases/${ip}/force-renew`),
    rollout_start: admin("POST", "rollout", { body: {} }),
    config_confirm: admin("POST", "config/confirm", { body: { version } }),
    config_take_back: admin("POST", "config/take-back"),
    lease_release: admin("DELETE", `leases/${ip}`),
  };
  try {
    await until("all of it is told", async () => {
      const { items } = (await admin("GET", "audit")).json;
      const told = new Set(items.map(({ action }: { action: string }) => action));
      return Object.keys(asked).every((action) => told.has(action));
    });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await Promise.all(Object.values(asked));
});
