import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setImmediate as othersTurn } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import type { DomainError } from "@frontdesk/kit/domain-error";
import { createLog } from "@frontdesk/kit/log";
import { createGroupCommit } from "@frontdesk/store/group-commit";
import { openLimitStore } from "@frontdesk/store/limit-store";
import { openStore } from "@frontdesk/store/open-store";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { sql } from "kysely";
import pg from "pg";
import { type SampleTables, sampleMigrations } from "./sample-tables.ts";
import { silentLine } from "./silent-line.ts";
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

test("sqlite: a full disk fails those who are writing with 503, and the next can write when there is room", async (t) => {
  const store = await openStore<SampleTables>({
    url: await sqliteFile(t),
    migrations: sampleMigrations,
    clock: systemClock,
  });
  t.after(() => store.close());
  const setRoom = (pages: number) =>
    store.write(async (tx) => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(tx);
      await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + pages)}`.execute(tx);
    });
  const insert = (id: number, size: number) =>
    store.write((tx) =>
      tx
        .insertInto("notes")
        .values({ id, text: "x".repeat(size) })
        .execute(),
    );
  await setRoom(2);
  const [large] = await Promise.allSettled([insert(1, 1_000_000), insert(2, 10)]);
  assert.ok(large.status === "rejected");
  assert.equal(large.reason.code, "unavailable");
  assert.match(large.reason.message, /cannot be written: its disk is full/);
  await insert(4, 10);
  await assert.rejects(
    store.checkWrite(),
    { code: "unavailable" },
    "little still fits, and a request does not",
  );
  await setRoom(1_000);
  await store.checkWrite();
  await insert(3, 1_000_000);
  await store.checkWrite();
});

test("a transaction that cannot even be rolled back fails its writers, and the next ones are served", async () => {
  let broken = true;
  const breaks = () => {
    if (broken) throw new Error("disk I/O error");
  };
  const nothing = () => {};
  const steps = { begin: nothing, savepoint: nothing, release: nothing, rollbackToSavepoint: nothing };
  const group = createGroupCommit({ ...steps, commit: breaks, rollback: breaks }, { commits: 0, writes: 0 });
  await assert.rejects(
    group.write(async () => 1),
    /disk I\/O error/,
  );
  await group.idle();
  broken = false;
  assert.equal(await group.write(async () => 2), 2);
});

test("postgres: a server that is not there is told in one sentence, without the password", async () => {
  const url = new URL("postgres://someone:secret@127.0.0.1:1/desk");
  await assert.rejects(
    openStore({ url, migrations: sampleMigrations, clock: systemClock }),
    (error: Error) => {
      assert.match(
        error.message,
        /^The database desk at 127\.0\.0\.1:1 did not let us in \(.*ECONNREFUSED.*\): start it/,
      );
      assert.ok(!error.message.includes("secret"));
      return true;
    },
  );
});

test("sqlite: another process's lock holds up writers alone, and they go on when it is gone", async (t) => {
  const url = await sqliteFile(t);
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  t.after(() => store.close());
  const other = new DatabaseSync(fileURLToPath(url));
  t.after(() => other.close());
  other.exec("begin immediate");
  const before = store.counts.commits;
  let written = false;
  const writing = Promise.all(
    [1, 2].map((id) => store.write((tx) => tx.insertInto("notes").values({ id, text: "x" }).execute())),
  ).then(() => (written = true));
  for (let turn = 0; turn < 5; turn++) {
    // Readers and timers run meanwhile: a lock that was waited for in SQLite would hold up both.
    await new Promise((next) => setTimeout(next, 2));
    assert.deepEqual(await store.read.selectFrom("notes").select("id").execute(), []);
  }
  assert.equal(written, false);
  other.exec("commit");
  await writing;
  assert.equal(store.counts.commits - before, 1, "no commit was empty");
});

test("sqlite: writers that waited too long for a lock are told that the database is away", async (t) => {
  const url = await sqliteFile(t);
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  t.after(() => store.close());
  const other = new DatabaseSync(fileURLToPath(url));
  t.after(() => other.close());
  other.exec("begin immediate");
  const real = performance.now.bind(performance);
  const hasty = t.mock.method(performance, "now", () => 50 * real());
  const insert = (id: number) =>
    store.write((tx) => tx.insertInto("notes").values({ id, text: "x" }).execute());
  await assert.rejects(insert(1), { name: "DatabaseAway", code: "unavailable", retryAfterSeconds: 2 });
  hasty.mock.restore();
  other.exec("commit");
  await insert(2);
});

test("sqlite: a damaged file is told in one sentence", async (t) => {
  const url = await sqliteFile(t);
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  await store.write((tx) =>
    tx
      .insertInto("notes")
      .values({ id: 1, text: "x".repeat(10_000) })
      .execute(),
  );
  await store.close();
  const path = fileURLToPath(url);
  const whole = readFileSync(path);
  for (const damaged of [Buffer.from("no database at all".repeat(100)), Buffer.alloc(whole.length, 7)]) {
    writeFileSync(path, damaged);
    await assert.rejects(
      openStore({ url, migrations: sampleMigrations, clock: systemClock }),
      /^StartProblem: The database .* is damaged \(.*\): restore a backup of it\.$/,
    );
  }
  whole.fill(0xff, 100, 2_000);
  writeFileSync(path, whole);
  await assert.rejects(
    openStore({ url, migrations: sampleMigrations, clock: systemClock }),
    /^StartProblem: The database .* is damaged/,
  );
});

test("sqlite: a new database is for its owner alone, whoever may enter its folder", async (t) => {
  const folder = temporaryHome(t);
  const url = pathToFileURL(join(folder, "store.db"));
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  t.after(() => store.close());
  const log = createLog({ service: "test", level: "silent", settings: {} });
  const limits = await openLimitStore(url, folder, { clock: systemClock, monotonic: systemClock, log });
  t.after(() => limits.close());
  const names = readdirSync(folder).sort();
  assert.deepEqual(
    names.filter((name) => !/-(wal|shm)$/.test(name)),
    ["limits.db", "store.db"],
  );
  for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
});

test("sqlite: a backup is whole, for its owner alone, and overwrites nothing", async (t) => {
  const url = await sqliteFile(t);
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  t.after(() => store.close());
  await store.write((tx) => tx.insertInto("notes").values({ id: 1, text: "kept" }).execute());
  const to = join(temporaryHome(t), "backup.db");
  const copying = store.backup(to);
  assert.equal(statSync(`${to}.partial`).mode & 0o777, 0o600);
  await copying;
  await store.write((tx) => tx.insertInto("notes").values({ id: 2, text: "later" }).execute());
  assert.equal(statSync(to).mode & 0o777, 0o600);
  const copy = await openStore<SampleTables>({
    url: pathToFileURL(to),
    migrations: sampleMigrations,
    clock: systemClock,
  });
  t.after(() => copy.close());
  const texts = (await copy.read.selectFrom("notes").select("text").execute()).map(({ text }) => text);
  assert.deepEqual(texts, ["kept"]);
  await assert.rejects(store.backup(to), /is there already/);
});

test("sqlite: a backup comes to its end however often others write meanwhile", async (t) => {
  const url = await sqliteFile(t);
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  t.after(() => store.close());
  const text = "x".repeat(8_000_000);
  await store.write((tx) => tx.insertInto("notes").values({ id: 1, text }).execute());
  const other = new DatabaseSync(fileURLToPath(url));
  t.after(() => other.close());
  const to = join(temporaryHome(t), "backup.db");
  let isDone = false;
  const copying = store.backup(to).finally(() => {
    isDone = true;
  });
  // Each is on disk before the next: many more than there are in the time that a copy of this size takes.
  for (let id = 2; id < 5_000 && !isDone; id++) {
    other.exec(`insert into notes (id, text) values (${id}, 'meanwhile')`);
    await othersTurn();
  }
  assert.ok(isDone, "begun anew again and again");
  await copying;
  const copy = new DatabaseSync(to);
  t.after(() => copy.close());
  assert.deepEqual({ ...copy.prepare("pragma integrity_check").get() }, { integrity_check: "ok" });
});

test("sqlite: a backup that cannot be written is told in a sentence, and nothing of it is left", async (t) => {
  const url = await sqliteFile(t);
  const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
  t.after(() => store.close());
  const folder = temporaryHome(t);
  for (const to of [join(folder, "missing/backup.db"), `${folder}/`])
    await assert.rejects(store.backup(to), /^StartProblem: .*(could not be copied to|is there already).*: /);
  assert.deepEqual(readdirSync(folder), []);
  const full = join(folder, "full.db");
  await assert.rejects(
    (async () => {
      const copying = store.backup(full);
      // Where the copy should come to lie, something else is put while it is made.
      mkdirSync(join(full, "in the way"), { recursive: true });
      await copying;
    })(),
    /^StartProblem: The database could not be copied to .*full\.db \(.*\): name a file /,
  );
  assert.deepEqual(readdirSync(folder), ["full.db"]);
});

test("postgres: another program's schema_migrations does not keep ours from starting", async (t) => {
  const owner = new URL(await postgresDatabase(t));
  const admin = new pg.Client({ connectionString: owner.href });
  await admin.connect();
  const role = `someone_${randomBytes(4).toString("hex")}`;
  await admin.query(`create role ${role} login; grant create, usage on schema public to ${role}`);
  const url = new URL(owner);
  url.username = role;
  const start = async () => {
    const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
    await store.close();
  };
  try {
    await admin.query(`create schema auth; grant usage on schema auth to ${role}`);
    await admin.query("create table auth.schema_migrations (version text)");
    await start();
    await admin.query("create table public.schema_migrations (version text)");
    await start();
  } finally {
    await admin.query(`drop owned by ${role}; drop role ${role}`);
    await admin.end();
  }
});

test("postgres: a server that falls silent is told as away, and its connection is not used again", async (t) => {
  const line = await silentLine(t, new URL(await postgresDatabase(t)));
  // Before the pool sets timers that could not be cleared any more.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const store = await openStore<SampleTables>({
    url: line.url,
    migrations: sampleMigrations,
    clock: systemClock,
  });
  t.after(() => store.close());
  await store.ping();
  line.silence();
  const asked = Promise.allSettled([
    store.ping(),
    store.write((tx) => tx.insertInto("notes").values({ id: 1, text: "x" }).execute()),
  ]);
  const ticking = setInterval(() => t.mock.timers.tick(1_000), 5);
  t.after(() => clearInterval(ticking));
  for (const outcome of await asked) {
    assert.equal(outcome.status, "rejected");
    assert.equal((outcome.reason as DomainError).code, "unavailable");
  }
  line.speak();
  clearInterval(ticking);
  t.mock.timers.reset();
  await store.ping();
});

test("postgres: a copy that vanishes in the middle of a transaction holds up the others for seconds, not for hours", async (t) => {
  const url = new URL(await postgresDatabase(t));
  const open = async (at: URL) => {
    const store = await openStore<SampleTables>({
      url: at,
      migrations: sampleMigrations,
      clock: systemClock,
    });
    t.after(() => store.close());
    return store;
  };
  const other = await open(url);
  const limit = await sql<{ idle_in_transaction_session_timeout: string }>`
    show idle_in_transaction_session_timeout`.execute(other.read);
  assert.deepEqual(limit.rows, [{ idle_in_transaction_session_timeout: "20s" }]);

  await other.write((tx) => tx.insertInto("notes").values({ id: 1, text: "before" }).execute());
  const sooner = new URL(url);
  sooner.searchParams.set("idle_in_transaction_session_timeout", "200");
  const vanishing = await open(sooner);
  const [isHeld, isBack] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const rename = (store: typeof other, text: string, then = Promise.resolve()) =>
    store.write(async (tx) => {
      await tx.updateTable("notes").set({ text }).where("id", "=", 1).execute();
      isHeld.resolve();
      await then;
      await tx.selectFrom("notes").selectAll().execute();
    });
  const half = rename(vanishing, "half", isBack.promise);
  half.catch(() => {});
  await isHeld.promise;
  await rename(other, "whole");
  isBack.resolve();
  await assert.rejects(half, { code: "unavailable" });
  assert.deepEqual(await other.read.selectFrom("notes").select("text").execute(), [{ text: "whole" }]);
});

test("postgres: a connection to a server that takes no changes any more is not used again", async (t) => {
  const store = await openStore<SampleTables>({
    url: new URL(await postgresDatabase(t)),
    migrations: sampleMigrations,
    clock: systemClock,
  });
  t.after(() => store.close());
  const insert = (id: number, before = "") =>
    store.write(async (tx) => {
      if (before) await sql.raw(before).execute(tx);
      await tx.insertInto("notes").values({ id, text: "x" }).execute();
    });
  // As the server that a failover has left behind, for as long as one is connected to it.
  await assert.rejects(insert(1, "set session characteristics as transaction read only; commit; begin"), {
    message: "The database cannot be written: it is read-only. The log of the service says more.",
  });
  await insert(2);
});

test("postgres: a copy goes on where a newer one has added to a table", async (t) => {
  const url = new URL(await postgresDatabase(t));
  const open = async () => {
    const store = await openStore<SampleTables>({ url, migrations: sampleMigrations, clock: systemClock });
    t.after(() => store.close());
    return store;
  };
  const older = await open();
  const byId = older.read.selectFrom("notes").selectAll().where("id", "=", 1);
  const ways: Record<string, () => unknown> = {
    "a prepared read": () => older.prepare(byId.compile())(1),
    "a prepared query": () => older.run(older.read, byId.compile()),
    "one within a transaction": () => older.write(async (tx) => older.run(tx, byId.compile())),
  };
  await older.write((tx) => tx.insertInto("notes").values({ id: 1, text: "x" }).execute());
  const newer = await open();
  let columns = 0;
  for (const [way, ask] of Object.entries(ways)) {
    await ask();
    await sql`alter table notes add column ${sql.ref(`more_${++columns}`)} text`.execute(newer.read);
    const rows = (await ask()) as object[];
    assert.equal(rows.length, 1, way);
    assert.equal(Object.keys(rows[0] as object).length, 2 + columns, way);
  }
});

test("sqlite: a file that is no database is told in one sentence", async (t) => {
  const url = pathToFileURL(temporaryHome(t));
  await assert.rejects(
    openStore({ url, migrations: sampleMigrations, clock: systemClock }),
    /^StartProblem: The database .* cannot be opened/,
  );
});
