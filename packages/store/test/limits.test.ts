import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createLog } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { type FakeClock, fakeClock } from "@frontdesk/testkit/clock";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { openLimitStore } from "../src/limit-store.ts";
import { createHourlyLimits } from "../src/timed-limits.ts";
import { silentLine } from "./silent-line.ts";

const HOUR_MS = 3_600_000;
const PAGE_BYTES = 4_096;

async function limitsUnderTest(t: TestContext, kind: "sqlite" | "postgres") {
  const home = temporaryHome(t);
  const url = kind === "sqlite" ? pathToFileURL(join(home, "some.db")) : new URL(await postgresDatabase(t));
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  const log = createLog({ service: "test", level: "info", settings: {}, to });
  const open = async (clock: FakeClock, monotonic = clock) => {
    const store = await openLimitStore(url, home, { clock, monotonic, log });
    t.after(() => store.close());
    return { store, limits: createHourlyLimits(store, "desk", { mails: 3, guesses: 30 }) };
  };
  return { file: join(home, "limits.db"), lines, open };
}

for (const kind of ["sqlite", "postgres"] as const) {
  test(`${kind}: so many are let through, the next is told how long to wait, and time heals`, async (t) => {
    const clock = fakeClock();
    const { limits } = await (await limitsUnderTest(t, kind)).open(clock);
    for (let i = 0; i < 3; i++) assert.equal(await limits.consume("mails", "anna"), undefined);
    clock.advance(HOUR_MS - 40_000);
    assert.equal(await limits.wait("mails", "anna"), 40);
    assert.equal(await limits.consume("mails", "anna"), 40);
    assert.equal(await limits.consume("mails", "bert"), undefined, "another key has its own count");
    clock.advance(41_000);
    assert.equal(await limits.wait("mails", "anna"), undefined);
    assert.equal(await limits.consume("mails", "anna"), undefined);
  });

  test(`${kind}: a hundred at once are counted exactly, and what is given back can be used again`, async (t) => {
    const { limits } = await (await limitsUnderTest(t, kind)).open(fakeClock());
    const answers = await Promise.all(Array.from({ length: 100 }, () => limits.consume("guesses", "anna")));
    assert.equal(answers.filter((wait) => wait === undefined).length, 30);
    // Those that were refused do not count.
    await limits.giveBack("guesses", "anna");
    assert.equal(await limits.consume("guesses", "anna"), undefined);
    assert.equal(await limits.consume("guesses", "anna"), HOUR_MS / 1000);
    await limits.giveBack("mails", "nobody");
    assert.equal(await limits.consume("mails", "nobody"), undefined);
  });

  test(`${kind}: two that are opened at once share their counts`, async (t) => {
    const { open } = await limitsUnderTest(t, kind);
    const clock = fakeClock();
    const [one, other] = await Promise.all([open(clock), open(clock)]);
    for (let i = 0; i < 3; i++) await one.limits.consume("mails", "anna");
    assert.equal(typeof (await other.limits.consume("mails", "anna")), "number");
  });

  test(`${kind}: counts from before the clock was set back by a day hold nobody up`, async (t) => {
    const { open } = await limitsUnderTest(t, kind);
    const ahead = await open(fakeClock("2026-01-02T00:00:00Z"));
    for (let i = 0; i < 4; i++) await ahead.limits.consume("mails", "anna");
    await ahead.store.close();
    const { store, limits } = await open(fakeClock("2026-01-01T00:00:00Z"));
    assert.equal(await limits.wait("mails", "anna"), undefined);
    for (let i = 0; i < 3; i++) assert.equal(await limits.consume("mails", "anna"), undefined);
    assert.equal(await limits.consume("mails", "anna"), HOUR_MS / 1000, "and from then on it counts");
    await store.cleanUp();
    assert.equal(await limits.consume("mails", "anna"), HOUR_MS / 1000, "cleaning up keeps what counts");
  });
}

test("a clock that is set neither ends nor stretches a limit of a running service", async (t) => {
  const [clock, monotonic] = [fakeClock(), fakeClock(1_000)];
  const { limits } = await (await limitsUnderTest(t, "sqlite")).open(clock, monotonic);
  for (let i = 0; i < 4; i++) await limits.consume("mails", "anna");
  for (const step of [10 * HOUR_MS, -20 * HOUR_MS]) {
    clock.advance(step);
    assert.equal(await limits.wait("mails", "anna"), HOUR_MS / 1000);
  }
  monotonic.advance(HOUR_MS);
  assert.equal(await limits.wait("mails", "anna"), undefined);
});

test("counts that cannot be cleaned up are told in the log, and the service goes on", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { open, file, lines } = await limitsUnderTest(t, "sqlite");
  const clock = fakeClock();
  const { limits, store } = await open(clock);
  await limits.consume("mails", "anna");
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec("begin exclusive");
  t.mock.timers.tick(5 * 60_000);
  // Rejected as the timer's own clean-up was, and after it.
  await assert.rejects(store.cleanUp(), { code: "unavailable" });
  assert.match(lines.join(""), /"level":40.*ended counts could not be deleted/);
  other.exec("rollback");
  clock.advance(HOUR_MS);
  t.mock.timers.tick(5 * 60_000);
  await store.cleanUp();
  assert.equal(other.prepare("select count(*) as n from rate_limits").get()?.n, 0);
});

test("a damaged file of counts is replaced, with a warning", async (t) => {
  const { open, file, lines } = await limitsUnderTest(t, "sqlite");
  writeFileSync(file, "this is no database, and long enough to look like one".repeat(50));
  const { limits } = await open(fakeClock());
  assert.equal(await limits.consume("mails", "anna"), undefined);
  assert.match(lines.join(""), /limits.db is damaged/);
  assert.match(readFileSync(file).toString("latin1"), /^SQLite format 3/);
});

test("what cannot be given back is told in the log; whoever gives it back goes on", async (t) => {
  const { open, file, lines } = await limitsUnderTest(t, "sqlite");
  const { limits } = await open(fakeClock());
  await limits.consume("mails", "anna");
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec("begin exclusive");
  await limits.giveBack("mails", "anna");
  assert.match(lines.join(""), /"level":40.*could not be given back/);
});

/** As a power cut may leave it, or a bad disk: every page but the first is zeros. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0, PAGE_BYTES));
}

test("a file of counts that is damaged past its first page is replaced when it is opened", async (t) => {
  const { open, file, lines } = await limitsUnderTest(t, "sqlite");
  const before = await open(fakeClock());
  for (let i = 0; i < 300; i++) await before.limits.consume("mails", `someone ${i}`);
  await before.store.close();
  damage(file);
  const { limits, store } = await open(fakeClock());
  assert.equal(await limits.consume("mails", "anna"), undefined);
  await store.cleanUp();
  assert.match(lines.join(""), /limits.db is damaged/);
});

test("a damaged file of counts that cannot be replaced at once is replaced as soon as it can be", async (t) => {
  const { open, file } = await limitsUnderTest(t, "sqlite");
  const { limits } = await open(fakeClock());
  for (let i = 0; i < 300; i++) await limits.consume("mails", `someone ${i}`);
  const other = new DatabaseSync(file);
  other.exec("pragma wal_checkpoint(truncate)");
  damage(file);
  other.close();
  // A folder in the place of one of its files cannot be removed as a file.
  rmSync(`${file}-shm`);
  mkdirSync(`${file}-shm`);
  await assert.rejects(limits.consume("mails", "anna"));
  await assert.rejects(limits.consume("mails", "anna"));
  rmdirSync(`${file}-shm`);
  assert.equal(await limits.consume("mails", "anna"), undefined);
});

test("a file of counts that is damaged while it is used is replaced, and nobody is refused for it", async (t) => {
  const { open, file, lines } = await limitsUnderTest(t, "sqlite");
  const { limits, store } = await open(fakeClock());
  for (let i = 0; i < 300; i++) await limits.consume("mails", `someone ${i}`);
  const other = new DatabaseSync(file);
  other.exec("pragma wal_checkpoint(truncate)");
  damage(file);
  other.close();
  const answers = await Promise.all(["anna", "bert", "cara"].map((name) => limits.consume("mails", name)));
  assert.deepEqual(answers, [undefined, undefined, undefined]);
  await store.cleanUp();
  assert.equal(lines.filter((line) => line.includes("limits.db is damaged")).length, 1);
  for (let i = 0; i < 2; i++) await limits.consume("mails", "anna");
  assert.equal(await limits.consume("mails", "anna"), HOUR_MS / 1000, "and it counts");
});

test("closing does not wait for a PostgreSQL that has fallen silent", async (t) => {
  const line = await silentLine(t, new URL(await postgresDatabase(t)));
  const log = createLog({ service: "test", level: "silent", settings: {} });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const store = await openLimitStore(line.url, "/nowhere", {
    clock: fakeClock(),
    monotonic: fakeClock(),
    log,
  });
  await store.add("key", HOUR_MS, 3);
  line.silence();
  let passedMs = 0;
  const asked = assert.rejects(store.add("key", HOUR_MS, 3), { code: "unavailable" });
  await line.swallowed;
  const ticking = setInterval(() => {
    passedMs += 500;
    t.mock.timers.tick(500);
  }, 5);
  t.after(() => clearInterval(ticking));
  await store.close();
  assert.ok(passedMs < 10_000, "a service has ten seconds for an orderly end");
  await asked;
});

test("a file of counts that another process holds ends the start with a sentence", async (t) => {
  const { open, file } = await limitsUnderTest(t, "sqlite");
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec("pragma journal_mode = wal; create table t (x); begin immediate");
  await assert.rejects(open(fakeClock()), (error: Error) => {
    assert.ok(error instanceof StartProblem);
    assert.match(error.message, /limits.db is locked by another process/);
    return true;
  });
});
