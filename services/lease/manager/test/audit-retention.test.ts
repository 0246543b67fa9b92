import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createLog } from "@frontdesk/kit/log";
import { openStore } from "@frontdesk/store/open-store";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { createDesk } from "../src/adapters/desk.ts";
import { migrations } from "../src/adapters/migrations.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { keepAuditShort } from "../src/domain/audit-retention.ts";

const DAY_MS = 24 * 3_600_000;

test("a manager that is never started anew removes what is too old of the audit log, too", async (t) => {
  const url = pathToFileURL(`${temporaryHome(t)}/manager.db`);
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => now };
  const store = await openStore<Tables>({ url, migrations, clock });
  t.after(() => store.close());
  const desk = createDesk(store);
  const told = (at: number) =>
    desk.write(({ audit }) => audit.add({ at, actor: "ada", action: "login", subject: null, details: null }));
  const kept = async () => (await desk.read.audit.page(undefined, 10)).map(({ at }) => (now - at) / DAY_MS);
  await told(now);
  await told(now + 399 * DAY_MS);
  t.mock.timers.enable({ apis: ["setInterval"] });
  t.after(keepAuditShort(desk, clock, createLog({ service: "lease", level: "silent", settings: {} })));
  assert.deepEqual(await kept(), [-399, 0]);
  now += 401 * DAY_MS;
  t.mock.timers.tick(DAY_MS);
  await until("the older entry is gone", async () => (await kept()).join() === "2");
});
