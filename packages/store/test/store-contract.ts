import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Migration, Migrations } from "@frontdesk/store/migrate";
import { openStore } from "@frontdesk/store/open-store";
import { parametersOf, prepared } from "@frontdesk/store/prepared-query";
import type { Store } from "@frontdesk/store/store";
import { fakeClock } from "@frontdesk/testkit/clock";
import { sql } from "kysely";
import { type SampleTables, sampleMigrations } from "./sample-tables.ts";

/** What every engine keeps. `freshDatabase` answers with the URL of an empty one. */
export function storeContract(engine: string, freshDatabase: (t: TestContext) => Promise<URL>): void {
  const open = async (t: TestContext, url?: URL, migrations: Migrations = sampleMigrations) => {
    const store = await openStore<SampleTables>({
      url: url ?? (await freshDatabase(t)),
      migrations,
      clock: fakeClock(),
    });
    t.after(() => store.close());
    return store;
  };
  const insert = (store: Store<SampleTables>, id: number, text = "note") =>
    store.write((tx) => tx.insertInto("notes").values({ id, text }).execute());
  const ids = async (store: Store<SampleTables>) =>
    (await store.read.selectFrom("notes").select("id").orderBy("id").execute()).map((row) => row.id);

  test(`${engine}: a write is visible to readers as soon as it is acknowledged`, async (t) => {
    const store = await open(t);
    await insert(store, 1);
    assert.deepEqual(await ids(store), [1]);
  });

  test(`${engine}: that nothing can be written is told as such, and seen by the check`, async (t) => {
    const store = await open(t);
    const readOnly = engine === "sqlite" ? sql`pragma query_only = on` : sql`set transaction read only`;
    const refused = store.write(async (tx) => {
      await readOnly.execute(tx);
      await tx.insertInto("notes").values({ id: 1, text: "never" }).execute();
    });
    await assert.rejects(refused, {
      code: "unavailable",
      message: "The database cannot be written: it is read-only. The log of the service says more.",
    });
    // SQLite's is of the connection, PostgreSQL's of the transaction alone.
    if (engine === "sqlite") await assert.rejects(store.checkWrite(), { code: "unavailable" });
    else await store.checkWrite();
    assert.deepEqual(await ids(store), []);
  });

  test(`${engine}: readers never see a write before it is committed`, async (t) => {
    const store = await open(t);
    let seenInside: number[] = [];
    await store.write(async (tx) => {
      await tx.insertInto("notes").values({ id: 1, text: "early" }).execute();
      seenInside = await ids(store);
    });
    assert.deepEqual(seenInside, []);
  });

  test(`${engine}: of many concurrent writers, those that fail take back only their own changes`, async (t) => {
    const store = await open(t);
    await insert(store, 5);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, id) =>
        store.write(async (tx) => {
          await tx
            .insertInto("notes")
            .values({ id: id + 100, text: "first" })
            .execute();
          if (id % 5 === 0) throw new Error(`writer ${id} changed its mind`);
          // Number 5 is taken: the database refuses this one.
          await tx
            .insertInto("notes")
            .values({ id: id === 6 ? 5 : id + 200, text: "second" })
            .execute();
        }),
      ),
    );
    const failed = results.flatMap((result, id) => (result.status === "rejected" ? [id] : []));
    assert.deepEqual(failed, [0, 5, 6, 10, 15]);
    const succeeded = Array.from({ length: 20 }, (_, id) => id).filter((id) => !failed.includes(id));
    assert.deepEqual(await ids(store), [
      5,
      ...succeeded.map((id) => id + 100),
      ...succeeded.map((id) => id + 200),
    ]);
  });

  test(`${engine}: a hundred concurrent increments lose none`, async (t) => {
    const store = await open(t);
    const increment = () =>
      store.write((tx) =>
        tx.updateTable("counter").set({ value: sql<number>`value + 1` }).where("id", "=", 1).execute(),
      );
    const before = store.counts.writes;
    await Promise.all(Array.from({ length: 100 }, increment));
    const { value } = await store.read.selectFrom("counter").select("value").executeTakeFirstOrThrow();
    assert.equal(value, 100);
    assert.equal(store.counts.writes - before, 100);
  });

  test(`${engine}: a write returns what its function returned`, async (t) => {
    const store = await open(t);
    assert.equal(await store.write(async () => "value"), "value");
  });

  test(`${engine}: a prepared read sees what is committed, each time anew`, async (t) => {
    const url = await freshDatabase(t);
    const store = await open(t, url);
    const find = store.prepare(store.read.selectFrom("notes").select("text").where("id", "=", 0).compile());
    assert.deepEqual(await find(7), []);
    await insert(store, 7, "seven");
    await insert(store, 8, "eight");
    assert.deepEqual([(await find(7))[0]?.text, (await find(8))[0]?.text], ["seven", "eight"]);

    const another = await open(t, url);
    await insert(another, 9, "nine");
    // What another process has written is seen too, if not at the same instant.
    while ((await find(9)).length === 0) await new Promise((turn) => setImmediate(turn));
  });

  test(`${engine}: a prepared read sees what a foreign key took along`, async (t) => {
    const store = await open(t);
    const { read } = store;
    const find = store.prepare(read.selectFrom("tags").select("tag").where("note_id", "=", 0).compile());
    const tagsOf = async (id: number) => (await find(id)).map(({ tag }) => tag);
    await insert(store, 1);
    await store.write((tx) => tx.insertInto("tags").values({ note_id: 1, tag: "red" }).execute());
    assert.deepEqual(await tagsOf(1), ["red"]);
    await store.write((tx) => tx.updateTable("counter").set({ value: 5 }).execute());
    assert.deepEqual(await tagsOf(1), ["red"]);
    await store.write((tx) => tx.deleteFrom("notes").where("id", "=", 1).execute());
    assert.deepEqual(await tagsOf(1), []);
  });

  test(`${engine}: a query that was composed before runs on readers and in transactions`, async (t) => {
    const store = await open(t);
    const query = store.read.selectFrom("notes").select("text").where("id", "=", 1).compile();
    const texts = async (db: typeof store.read) => (await store.run(db, query)).map(({ text }) => text);
    await store.write(async (tx) => {
      await tx.insertInto("notes").values({ id: 1, text: "early" }).execute();
      assert.deepEqual(await texts(tx), ["early"]);
      assert.deepEqual(await texts(store.read), []);
    });
    assert.deepEqual(await texts(store.read), ["early"]);
  });

  test(`${engine}: a prepared query takes typed parameters by name, on readers and in transactions`, async (t) => {
    const store = await open(t);
    const add = prepared<{ id: number; text: string }>()(store, (param) =>
      store.read.insertInto("notes").values(parametersOf(param, ["id", "text"])),
    );
    const between = prepared<{ low: number; high: number; most: number }>()(store, (param) =>
      store.read
        .selectFrom("notes")
        .select("id")
        .where("text", "=", "note")
        .where("id", "<=", param("high"))
        .where("id", ">=", param("low"))
        .orderBy("id")
        .limit(param("most")),
    );
    await store.write(async (tx) => {
      for (const id of [1, 2, 3, 4]) await add(tx, { text: "note", id });
      await add(tx, { id: 5, text: "\u0001low" });
    });
    const found = async (params: Parameters<typeof between>[1]) =>
      (await between(store.read, params)).map(({ id }) => id);
    assert.deepEqual(await found({ low: 2, high: 9, most: 2 }), [2, 3]);
    assert.deepEqual(await found({ most: 9, high: 3, low: 0 }), [1, 2, 3]);
  });

  test(`${engine}: what is put off to the end of a commit is in it, or nobody's change is`, async (t) => {
    const store = await open(t);
    const write = (id: number, last: () => unknown) =>
      store.write(async (tx, batch) => {
        await tx.insertInto("notes").values({ id, text: "note" }).execute();
        batch.beforeCommit(async () => {
          await last();
          await tx
            .insertInto("notes")
            .values({ id: id + 100, text: "last" })
            .execute();
        });
      });
    await Promise.all([write(1, () => {}), write(2, () => {})]);
    assert.deepEqual(await ids(store), [1, 2, 101, 102]);
    const fail = () => {
      throw new Error("no room");
    };
    await assert.rejects(write(3, fail), /no room/);
    assert.deepEqual(await ids(store), [1, 2, 101, 102]);
    await insert(store, 4);
    assert.deepEqual(await ids(store), [1, 2, 4, 101, 102]);
  });

  test(`${engine}: whole numbers beyond 32 bits come back as numbers`, async (t) => {
    const store = await open(t);
    await insert(store, 1_790_000_000_000);
    assert.deepEqual(await ids(store), [1_790_000_000_000]);
  });

  test(`${engine}: processes that start at once on an empty database migrate it once, and all of them serve`, async (t) => {
    const url = await freshDatabase(t);
    const copies = [1, 2, 3].map((copy) => startWriter(url, copy * 1_000_000));
    await Promise.all(copies.map(({ child }) => once(child.stdout, "data")));
    for (const { child } of copies) child.kill("SIGKILL");
    await Promise.all(copies.map(({ child }) => once(child, "close")));
    const store = await open(t, url);
    const rows = await store.read.selectFrom("counter").selectAll().execute();
    assert.deepEqual(
      rows.map((row) => [row.id, row.value]),
      [[1, 0]],
    );
  });

  test(`${engine}: a migration that fails leaves the database as it was`, async (t) => {
    const url = await freshDatabase(t);
    const broken = withStep("003-broken", async (tx) => {
      await tx.schema.createTable("half").addColumn("id", "integer").execute();
      throw new Error("out of luck");
    });
    await assert.rejects(open(t, url, broken), /out of luck/);
    const store = await open(t, url);
    await assert.rejects(sql`select * from half`.execute(store.read));
  });

  test(`${engine}: a database of a newer version is refused with a sentence`, async (t) => {
    const url = await freshDatabase(t);
    await open(
      t,
      url,
      withStep("999-from-the-future", async () => {}),
    );
    await assert.rejects(open(t, url), /newer version of Frontdesk \(it has "999-from-the-future"\)/);
  });

  test(`${engine}: two services keep their tables in one database, and neither takes the other's for a newer version`, async (t) => {
    const url = await freshDatabase(t);
    await open(t, url);
    const others: Migrations = {
      service: "other",
      steps: {
        "001-others": async (tx) => {
          await tx.schema.createTable("others").addColumn("id", "integer").execute();
        },
      },
    };
    await open(t, url, others);
    const store = await open(t, url);
    await open(t, url, others);
    assert.deepEqual((await sql`select * from others`.execute(store.read)).rows, []);
    await insert(store, 1);
  });

  test(`${engine}: a database from before steps were named per service goes on where it was, and only for its own`, async (t) => {
    const url = await freshDatabase(t);
    const names = Object.keys(sampleMigrations.steps);
    const before = await open(t, url);
    await before.write(async (tx) => {
      await tx.schema.dropTable("frontdesk_migrations").execute();
      await sql`create table schema_migrations (name text primary key, applied_at bigint not null)`.execute(
        tx,
      );
      for (const name of names) await sql`insert into schema_migrations values (${name}, 7)`.execute(tx);
    });
    await insert(before, 1);
    await open(t, url, { service: "other", steps: { "001-others": async () => {} } });
    const store = await open(t, url);
    assert.deepEqual(await ids(store), [1]);
    const { rows } = await sql<{ service: string; name: string }>`
      select service, name from frontdesk_migrations order by service, name`.execute(store.read);
    assert.deepEqual(
      rows.map(({ service, name }) => [service, name]),
      [["other", "001-others"], ...names.map((name) => ["sample", name])],
    );
  });

  test(`${engine}: a process killed in mid-write loses nothing it had acknowledged`, async (t) => {
    const url = await freshDatabase(t);
    await open(t, url);
    const acknowledged: number[] = [];
    for (let round = 0; round < 5; round++) {
      const wanted = 50 + Math.floor(Math.random() * 300);
      const writer = startWriter(url, round * 1_000_000);
      writer.child.stdout.on("data", () => {
        if (writer.acknowledged.length >= wanted) writer.child.kill("SIGKILL");
      });
      await once(writer.child, "close");
      acknowledged.push(...writer.acknowledged);
    }
    const kept = new Set(await ids(await open(t, url)));
    assert.ok(acknowledged.length > 250);
    assert.deepEqual(
      acknowledged.filter((id) => !kept.has(id)),
      [],
    );
  });
}

function withStep(name: string, step: Migration): Migrations {
  return { ...sampleMigrations, steps: { ...sampleMigrations.steps, [name]: step } };
}

/** A process that writes numbered notes as fast as it can, and the numbers it was told are safe. */
function startWriter(url: URL, firstId: number) {
  const program = fileURLToPath(new URL("./writer-process.ts", import.meta.url));
  const child = spawn(process.execPath, [program, url.href, String(firstId)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: number[] = [];
  let rest = "";
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    acknowledged.push(...lines.map(Number));
  });
  return { child, acknowledged };
}
