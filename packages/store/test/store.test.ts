import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { openStore } from "@frontdesk/store/open-store";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { sql } from "kysely";
import { type SampleTables, sampleMigrations } from "./sample-tables.ts";
import { storeContract } from "./store-contract.ts";

const sqliteFile = async (t: TestContext) => pathToFileURL(join(temporaryHome(t), "store.db"));

storeContract("sqlite", sqliteFile);
storeContract("postgres", async (t) => new URL(await postgresDatabase(t)));

test("sqlite: concurrent writers share a durable commit", async (t) => {
  const store = await openStore<SampleTables>({
    url: await sqliteFile(t),
    migrations: sampleMigrations,
    clock: systemClock,
  });
  t.after(() => store.close());
  const before = store.counts.commits;
  await Promise.all(
    Array.from({ length: 64 }, (_, id) =>
      store.write((tx) => tx.insertInto("notes").values({ id, text: "together" }).execute()),
    ),
  );
  // One on an idle machine; a batch also ends when it has taken its time.
  const commits = store.counts.commits - before;
  assert.ok(commits <= 16, `${commits} commits for 64 writers`);
  await store.write(async (tx) => {
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
    assert.equal(rows[0]?.synchronous, 2, "synchronous=FULL");
  });
});

test("postgres: a server that is not there is told in one sentence, without the password", async () => {
  const url = new URL("postgres://someone:secret@127.0.0.1:1/desk");
  await assert.rejects(openStore({ url, migrations: {}, clock: systemClock }), (error: Error) => {
    assert.match(
      error.message,
      /^The database desk at 127\.0\.0\.1:1 did not let us in \(.*ECONNREFUSED.*\): start it/,
    );
    assert.ok(!error.message.includes("secret"));
    return true;
  });
});

test("sqlite: a file that is no database is told in one sentence", async (t) => {
  const url = pathToFileURL(temporaryHome(t));
  await assert.rejects(
    openStore({ url, migrations: {}, clock: systemClock }),
    /^StartProblem: The database .* cannot be opened/,
  );
});
