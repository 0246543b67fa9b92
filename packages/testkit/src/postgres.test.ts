import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import pg from "pg";
import { startPostgres } from "./postgres.ts";

test("a started PostgreSQL answers, and leaves nothing running and nothing behind", async () => {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query("select version()");
  assert.ok(existsSync(server.folder));
  assert.match(rows[0].version, /^PostgreSQL 1\d/);
  await client.end();

  await server.stop();
  await assert.rejects(new pg.Client({ connectionString: server.url }).connect(), /ECONNREFUSED/);
  assert.equal(existsSync(server.folder), false);
});
