import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { openJournal } from "../src/adapters/sqlite-journal.ts";
import type { NewJob } from "../src/domain/journal.ts";

const job = (id: string, key?: string): NewJob => ({
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
  tally: { asked: 1, printed: 0 },
  reasons: [],
  error: undefined,
  baseline: undefined,
  createdAt: 0,
  updatedAt: 0,
  key,
});
const data = Buffer.from("^XA^XZ");

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
  assert.equal(again.unfinished()[0]?.id, "j0");
  assert.equal(again.job("j5")?.state, "Done");
  assert.throws(() => again.data("j5"), /gone/);
  assert.deepEqual(Buffer.from(again.data("j6")), data);
  await again.close();
});

test("a call that cannot be written fails alone; those beside it are written", async (t) => {
  const journal = openJournal(join(temporaryHome(t), "queue.db"), fakeClock());
  const outcomes = await Promise.allSettled([
    journal.commit([{ kind: "accepted", job: job("a", "same"), data }]),
    journal.commit([{ kind: "accepted", job: job("b", "same"), data }]),
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
  assert.equal(journal.lastSeq, journal.eventsSince(0, 10).at(-1)?.seq);
  await journal.close();
});

test("events are numbered without reuse, and only so many are kept", async (t) => {
  const path = join(temporaryHome(t), "queue.db");
  const journal = openJournal(path, fakeClock(), { events: 100, finishedJobs: 10 });
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
