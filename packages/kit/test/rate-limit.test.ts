import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createRateLimit, type LimitStore } from "@frontdesk/kit/rate-limit";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import pg from "pg";

const stores: Record<LimitStore["kind"], (t: TestContext) => Promise<LimitStore>> = {
  memory: async () => ({ kind: "memory" }),
  sqlite: async (t) => {
    const database = new DatabaseSync(join(temporaryHome(t), "limits.db"));
    t.after(() => database.close());
    return { kind: "sqlite", database };
  },
  postgres: async (t) => {
    const pool = new pg.Pool({ connectionString: await postgresDatabase(t) });
    pool.on("error", () => {}); // The database goes before its connections do.
    t.after(() => pool.end());
    return { kind: "postgres", pool };
  },
};

for (const [kind, open] of Object.entries(stores)) {
  test(`${kind}: so many are let through, the next is told how long to wait, and time heals`, async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: new Date("2026-01-01T00:00:00Z") });
    const limit = await createRateLimit(await open(t), { name: "mail", most: 3, perSeconds: 60 });
    for (let i = 0; i < 3; i++) assert.equal(await limit.consume("anna"), undefined);
    t.mock.timers.tick(20_000);
    assert.equal(await limit.consume("anna"), 40);
    assert.equal(await limit.consume("bert"), undefined, "another key has its own count");
    if (kind === "memory") return; // Its counts fall by timer, which the mocked date does not move.
    t.mock.timers.tick(41_000);
    assert.equal(await limit.consume("anna"), undefined);
  });

  test(`${kind}: a hundred at once are counted exactly`, async (t) => {
    const limit = await createRateLimit(await open(t), { name: "burst", most: 30, perSeconds: 60 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => limit.consume("anna")));
    assert.equal(answers.filter((wait) => wait === undefined).length, 30);
  });
}

for (const kind of ["sqlite", "postgres"] as const) {
  test(`${kind}: two limiters on one store share their counts`, async (t) => {
    const store = await stores[kind](t);
    const options = { name: "shared", most: 1, perSeconds: 60 };
    const [one, other] = [await createRateLimit(store, options), await createRateLimit(store, options)];
    assert.equal(await one.consume("anna"), undefined);
    assert.equal(typeof (await other.consume("anna")), "number");
  });
}
