import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Log } from "@frontdesk/kit/log";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { JOURNAL_VERSIONS } from "../src/adapters/journal-versions.ts";
import { openJournal } from "../src/adapters/sqlite-journal.ts";
import { openRegistry } from "../src/adapters/sqlite-registry.ts";
import type { Job } from "../src/domain/job.ts";
import type { JournalEvent } from "../src/domain/journal.ts";

const job = (id: string): Job => ({
  id,
  origin: "https://a.example",
  printer: "dock",
  alias: "dock",
  state: "Queued",
  started: false,
  verification: "none",
  language: "zpl",
  copies: 1,
  rfid: false,
  count: { asked: 1, printed: 0 },
  reasons: [],
  error: undefined,
  odometer: undefined,
  createdAt: 0,
  updatedAt: 0,
});
const data = Buffer.from("^XA^XZ");
const JOURNAL = new URL("../src/adapters/sqlite-journal.ts", import.meta.url).href;

test("what is written in one turn shares a commit, and is there after opening again", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock());
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => journal.commit([{ kind: "accepted", job: job(`j${n}`), data }])),
  );
  assert.equal(journal.commits, 1);
  await journal.commit([{ kind: "changed", job: "j5", change: { state: "Done" } }]);
  await journal.close();
  const again = openJournal(path, fakeClock());
  assert.equal(again.unfinished().length, 99);
  assert.ok(again.hasData("j5"), "to print it again");
  await again.commit([{ kind: "changed", job: "j7", change: { state: "Done" } }]);
  assert.equal(again.hasData("j7"), true);
  assert.equal(again.unfinished()[0]?.id, "j0");
  assert.equal(again.job("j5")?.state, "Done");
  assert.equal(again.lastEnded("dock")?.id, "j7");
  assert.equal(again.lastEnded("another"), undefined);
  assert.deepEqual(Buffer.from(again.data("j6")), data);
  await again.close();
});

test("nothing of a job is forgotten when the journal is opened again, whether it has ended or not", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock());
  const whole = {
    ...job("whole"),
    generation: 2,
    reasons: ["paper-out"],
    error: { code: "SPOOLER", message: "The spooler gave it up." },
    odometer: 7,
    device: "tcp 10.0.0.20:9100",
    spoolerJob: "dock-1",
    createdAt: 5,
  };
  for (const id of ["ended", "waiting"])
    await journal.commit([{ kind: "accepted", job: { ...whole, id }, data }]);
  const tag = { index: 0, printed: true, encoded: true, voided: false, epc: "AA" };
  const count = { asked: 1, printed: 1, tags: [tag] };
  await journal.commit([
    { kind: "changed", job: "ended", change: { state: "Failed", started: true, count } },
  ]);
  const written = ["ended", "waiting"].map((id) => journal.job(id));
  await journal.close();
  const again = openJournal(path, fakeClock());
  t.after(() => again.close());
  assert.deepEqual(
    ["ended", "waiting"].map((id) => again.job(id)),
    written,
  );
  assert.deepEqual(
    again.eventsSince(1, 10, whole.origin).map(({ seq, job }) => [seq, job]),
    [
      [2, written[1]],
      [3, written[0]],
    ],
  );
});

test("of jobs that have ended so many bytes are kept, the newest, and of those that have not, all", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const limits = { reprintBytes: 10 * data.length };
  let journal = openJournal(path, fakeClock(), { limits });
  const ids = Array.from({ length: 40 }, (_, n) => `j${n}`);
  await journal.commit(ids.map((id) => ({ kind: "accepted", job: job(id), data })));
  const end = (id: string) => journal.commit([{ kind: "changed", job: id, change: { state: "Done" } }]);
  for (const id of ids.slice(0, 25)) await end(id);
  const kept = () => ids.filter((id) => journal.hasData(id));
  assert.ok(kept().length - 15 <= 10 && kept().length - 15 >= 7, `${kept()}`);
  assert.deepEqual(kept().slice(-20), ids.slice(-20));
  await journal.close();
  journal = openJournal(path, fakeClock(), { limits: { reprintBytes: 0 } });
  for (const id of ids.slice(25)) await end(id);
  assert.ok(!journal.hasData("j39"));
  await journal.close();
});

test("jobs that are forgotten take their data out of the count: the newest that are kept can be printed again", async (t) => {
  const limits = { finishedJobs: 10, reprintBytes: 60 * data.length };
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock(), { limits });
  const ids = Array.from({ length: 1_100 }, (_, n) => `j${n}`);
  for (const id of ids)
    await journal.commit([
      { kind: "accepted", job: job(id), data },
      { kind: "changed", job: id, change: { state: "Done" } },
    ]);
  assert.equal(journal.job("j0"), undefined, "the oldest are forgotten");
  const newest = ids.slice(-50);
  assert.deepEqual(
    newest.filter((id) => journal.hasData(id)),
    newest,
  );
  await journal.close();
});

test("a call that cannot be written fails alone; those beside it are written", async (t) => {
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock());
  const outcomes = await Promise.allSettled([
    journal.commit([{ kind: "accepted", job: job("a"), key: "same", data }]),
    journal.commit([{ kind: "accepted", job: job("b"), key: "same", data }]),
    journal.commit([{ kind: "accepted", job: job("c"), data }]),
    journal.commit([{ kind: "changed", job: "nobody", change: { state: "Done" } }]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "rejected"],
  );
  assert.deepEqual(
    journal.unfinished().map(({ id }) => id),
    ["a", "c"],
  );
  assert.equal(journal.lastSeq, journal.eventsSince(0, 10, "https://a.example").at(-1)?.seq);
  await journal.close();
});

test("events are numbered without reuse, and only so many jobs are kept", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock(), { limits: { finishedJobs: 10, tags: 10 } });
  for (let n = 0; n < 600; n++) {
    await journal.commit([
      { kind: "accepted", job: job(`j${n}`), data },
      { kind: "changed", job: `j${n}`, change: { state: "Done" } },
    ]);
  }
  assert.equal(journal.lastSeq, 1200);
  assert.ok(journal.firstSeq > 800);
  assert.equal(journal.job("j3"), undefined, "old jobs are forgotten");
  await journal.close();
  const again = openJournal(path, fakeClock());
  await again.commit([{ kind: "accepted", job: job("next"), data }]);
  assert.equal(again.lastSeq, 1201);
  await again.close();
});

test("tags are written once each, however often their job is told, and old jobs go where there are too many", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock(), { limits: { finishedJobs: 1_000, tags: 300 } });
  const tag = (index: number) => ({ index, printed: true, encoded: true, voided: false, epc: `${index}` });
  for (const id of ["old", "new"]) {
    await journal.commit([{ kind: "accepted", job: job(id), data }]);
    for (let printed = 1; printed <= 250; printed++) {
      const tags = Array.from({ length: printed }, (_, n) => tag(n));
      await journal.commit([{ kind: "changed", job: id, change: { count: { asked: 250, printed, tags } } }]);
    }
    await journal.commit([{ kind: "changed", job: id, change: { state: "Done" } }]);
  }
  assert.equal(journal.job("new")?.count.tags?.length, 250);
  await journal.close();
  const file = new DatabaseSync(path);
  const { n, bytes } = file
    .prepare("select count(*) as n, sum(length(body)) as bytes from job_tags")
    .get() as {
    n: number;
    bytes: number;
  };
  file.close();
  assert.equal(n, 250, "the tags of the older job are gone with it");
  assert.ok(bytes < 250 * 100);
  const again = openJournal(path, fakeClock());
  assert.equal(again.job("new")?.count.tags?.at(-1)?.epc, "249");
  assert.equal(again.job("old"), undefined);
  await again.close();
});

test("a page of events ends where its tags are many, and none is left out; lists count tags", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock());
  t.after(() => journal.close());
  const tag = { printed: true, encoded: true, voided: false, epc: "30" };
  const tags = Array.from({ length: 2_000 }, (_, n) => ({
    ...tag,
    index: n,
    printed: n > 0,
    voided: n === 0,
  }));
  const count = { asked: 1_999, printed: 1_999, tags };
  for (const id of ["j1", "j2", "j3"]) {
    await journal.commit([{ kind: "accepted", job: job(id), data }]);
    await journal.commit([{ kind: "changed", job: id, change: { state: "Done", count } }]);
  }
  const pages: Array<Array<string | undefined>> = [];
  for (let seq = 0; ; ) {
    const page = journal.eventsSince(seq, 50, "https://a.example");
    if (page.length === 0) break;
    pages.push(page.map((event) => event.job?.id));
    assert.ok(page.every((event) => event.job?.count.tags?.length === 2_000));
    seq = page.at(-1)?.seq ?? 0;
  }
  assert.deepEqual(pages, [["j1"], ["j2"], ["j3"]]);
  const counted = { asked: 1_999, printed: 1_999, voided: 1 };
  assert.deepEqual(journal.recent(1)[0]?.count, counted);
  assert.deepEqual(journal.search({ limit: 1 }).jobs[0]?.count, counted);
});

test("what can be written again after a full disk is told so", async (t) => {
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock(), { maxPages: 40 });
  const big = Buffer.alloc(1024 * 1024);
  await journal.assertWritable();
  await assert.rejects(journal.commit([{ kind: "accepted", job: job("big"), data: big }]), /full/);
  await journal.commit([{ kind: "accepted", job: job("small"), data }]);
  await journal.assertWritable();
  assert.deepEqual(
    journal.unfinished().map(({ id }) => id),
    ["small"],
  );
  await journal.close();
});

test("a journal of the first version is taken over: what waited still waits, in order, and numbers go on", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const old = new DatabaseSync(path);
  old.exec(JOURNAL_VERSIONS[0] as string);
  old.exec("pragma user_version = 1");
  const addJob = old.prepare("insert into jobs (id, origin, key, final, body) values (?, ?, ?, ?, ?)");
  const addEvent = old.prepare("insert into events (event, origin, printer, body) values (?, ?, ?, ?)");
  for (const [id, final] of [
    ["z", 1],
    ["y", 0],
    ["x", 0],
  ] as const) {
    const { count, odometer: _none, ...kept } = job(id);
    const state = final ? "Done" : "Queued";
    const tags = id === "z" ? [{ index: 0, printed: true, encoded: true, voided: false, epc: "AA" }] : [];
    const tally = { ...count, ...(tags.length > 0 ? { tags } : {}) };
    const body = JSON.stringify({ ...kept, state, tally, baseline: 7 });
    addJob.run(id, kept.origin, `key-${id}`, final, body);
    if (!final) old.prepare("insert into payloads (job, data) values (?, ?)").run(id, Buffer.from(id));
    addEvent.run("job.update", kept.origin, kept.printer, body);
  }
  const status = { printer: "dock", online: true, state: "ready", reasons: [], labelsRemaining: 0 };
  addEvent.run("printer.status", null, "dock", JSON.stringify(status));
  old.close();

  const journal = openJournal(path, fakeClock());
  assert.deepEqual(
    journal.unfinished().map(({ id }) => [id, Buffer.from(journal.data(id)).toString()]),
    [
      ["y", "y"],
      ["x", "x"],
    ],
  );
  assert.equal(journal.job("z")?.state, "Done");
  assert.deepEqual([journal.job("z")?.count.tags?.[0]?.epc, journal.job("z")?.odometer], ["AA", 7]);
  assert.deepEqual(journal.job("x")?.count, { asked: 1, printed: 0 });
  assert.equal(journal.jobByKey("https://a.example", "key-x")?.id, "x");
  assert.deepEqual(
    journal.eventsSince(0, 10, "https://a.example").map(({ seq, event, job }) => [seq, event, job?.id]),
    [
      [1, "job.update", "z"],
      [2, "job.update", "y"],
      [3, "job.update", "x"],
      [4, "printer.status", undefined],
    ],
  );
  await journal.commit([{ kind: "changed", job: "y", change: { state: "Done" } }]);
  assert.equal(journal.lastSeq, 5);
  assert.throws(() => journal.data("z"), /gone/);
  await journal.close();
});

test("a journal has one owner: another bridge on the same folder is told so", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock());
  await journal.commit([{ kind: "accepted", job: job("a"), data }]);
  const script = `import { openJournal } from ${JSON.stringify(JOURNAL)}; openJournal(${JSON.stringify(path)}, { now: () => 0 });`;
  const other = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(other.status, 1);
  assert.match(other.stderr, /is in use: another process runs on the same folder/);
  await journal.commit([{ kind: "changed", job: "a", change: { state: "Done" } }]);
  await journal.close();
});

test("what was written when the disk failed is not told as accepted to whoever asks again", async (t) => {
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock());
  t.after(() => journal.close());
  const failing = t.mock.method(fs, "fdatasync", (_file: number, done: (error: Error) => void) =>
    setImmediate(done, new Error("EIO")),
  );
  syncBuiltinESMExports();
  const keyed = job("a");
  await assert.rejects(journal.commit([{ kind: "accepted", job: keyed, key: "once", data }]), /may print/);
  failing.mock.restore();
  syncBuiltinESMExports();
  assert.throws(() => journal.jobByKey(keyed.origin, "once"), /EIO/);
});

test("what a run that was killed had written and not synced is on the disk before the next one tells it", async (t) => {
  const folder = temporaryHome(t);
  const journal = openJournal(join(folder, "queue.db"), fakeClock());
  t.after(() => journal.close());
  const syncing = Promise.withResolvers<(error: Error | null) => void>();
  const held = t.mock.method(fs, "fdatasync", (_file: number, done: (error: Error | null) => void) =>
    syncing.resolve(done),
  );
  syncBuiltinESMExports();
  const keyed = job("a");
  const written = journal.commit([{ kind: "accepted", job: keyed, key: "once", data }]);
  const synced = await syncing.promise;
  held.mock.restore();
  const left = join(temporaryHome(t), "queue.db");
  for (const suffix of ["", "-wal"]) fs.copyFileSync(join(folder, `queue.db${suffix}`), left + suffix);
  const syncs = t.mock.method(fs, "fdatasyncSync");
  syncBuiltinESMExports();
  const next = openJournal(left, fakeClock());
  t.after(() => next.close());
  const before = syncs.mock.callCount();
  syncs.mock.restore();
  syncBuiltinESMExports();
  synced(null);
  await written;
  assert.deepEqual([next.jobByKey(keyed.origin, "once")?.id, before], ["a", 1]);
});

test("a job that is refused because the disk failed is not printed by the next start either", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock());
  await journal.commit([{ kind: "accepted", job: job("kept"), data }]);
  const failing = t.mock.method(fs, "fdatasync", (_file: number, done: (error: Error) => void) => {
    failing.mock.restore();
    syncBuiltinESMExports();
    setImmediate(done, new Error("EIO"));
  });
  syncBuiltinESMExports();
  const refused = journal.commit([
    { kind: "changed", job: "kept", change: { reasons: ["offline"] } },
    { kind: "accepted", job: job("refused"), key: "once", data },
  ]);
  await assert.rejects(refused, { message: "EIO" });
  const waiting = (of: typeof journal) => of.unfinished().map(({ id }) => id);
  assert.deepEqual(waiting(journal), ["kept"]);
  await journal.close();
  const again = openJournal(path, fakeClock());
  t.after(() => again.close());
  assert.deepEqual(waiting(again), ["kept"]);
  await again.commit([{ kind: "accepted", job: job("asked anew"), key: "once", data }]);
  assert.equal(again.jobByKey(job("").origin, "once")?.id, "asked anew");
});

test("a job's end is told when the disk has it, and never where the disk failed", async (t) => {
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock());
  t.after(() => journal.close());
  await journal.commit([{ kind: "accepted", job: job("a"), data }]);
  const syncing = Promise.withResolvers<(error: Error | null) => void>();
  const held = t.mock.method(fs, "fdatasync", (_file: number, done: (error: Error | null) => void) =>
    syncing.resolve(done),
  );
  syncBuiltinESMExports();
  const written = journal.commit([
    { kind: "changed", job: "a", change: { state: "Done" } },
    { kind: "accepted", job: job("b"), data },
  ]);
  const synced = await syncing.promise;
  held.mock.restore();
  syncBuiltinESMExports();
  const told = [journal.job("a")?.state, journal.job("b")?.state];
  const missed = journal.eventsSince(0, 10, "https://a.example");
  synced(null);
  await written;
  assert.deepEqual(told, ["Queued", undefined]);
  assert.deepEqual(missed, []);
  const caughtUp = journal.eventsSince(0, 10, "https://a.example");
  assert.deepEqual(
    caughtUp.map(({ seq, job }) => [seq, job?.id, job?.state]),
    [
      [2, "a", "Done"],
      [3, "b", "Queued"],
    ],
  );
  assert.deepEqual([journal.job("a")?.state, journal.job("b")?.state], ["Done", "Queued"]);

  const failing = t.mock.method(fs, "fdatasync", (_file: number, done: (error: Error) => void) =>
    setImmediate(done, new Error("EIO")),
  );
  syncBuiltinESMExports();
  await assert.rejects(journal.commit([{ kind: "changed", job: "b", change: { state: "Failed" } }]), /EIO/);
  failing.mock.restore();
  syncBuiltinESMExports();
  assert.equal(journal.job("b")?.state, "Queued");
});

test("a listener that fails takes nothing from the others", async (t) => {
  const failures: unknown[] = [];
  const log = { error: (...words: unknown[]) => void failures.push(words) } as unknown as Pick<Log, "error">;
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock(), { log });
  t.after(() => journal.close());
  journal.listen(() => {
    throw new Error("a listener's own fault");
  });
  const heard = new Promise<JournalEvent>((resolve) => journal.listen(resolve));
  await journal.commit([{ kind: "accepted", job: job("one"), data: Buffer.from("x") }]);
  assert.equal((await heard).job?.id, "one");
  assert.equal(failures.length, 1);
});

test("a damaged file, and one of a newer version, are told in a sentence that names them", (t) => {
  const home = temporaryHome(t);
  const [queue, config] = [join(home, "queue.db"), join(home, "config.db")];
  for (const path of [queue, config]) writeFileSync(path, "this was a database".repeat(1_000));
  const problem = (path: string, message: RegExp) => (error: Error) =>
    error.name === "StartProblem" && error.message.includes(path) && message.test(error.message);
  assert.throws(() => openJournal(queue, fakeClock()), problem(queue, /is damaged .*restore a backup/));
  assert.throws(() => openRegistry(config), problem(config, /is damaged .*restore a backup/));
  const newer = join(home, "newer.db");
  openRegistry(newer).close();
  const other = new DatabaseSync(newer);
  other.exec("pragma user_version = 1000");
  other.close();
  assert.throws(() => openRegistry(newer), problem(newer, /newer version/));
  // It was left as it was: not locked, and not changed.
  assert.equal(new DatabaseSync(newer).prepare("pragma user_version").get()?.user_version, 1000);
});
