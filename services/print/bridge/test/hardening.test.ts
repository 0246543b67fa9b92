import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createTokenBucket } from "../src/protocol/token-bucket.ts";
import { admitted, bridge, type Frame, LABEL, simulator, speak, until } from "./support.ts";

const EVIL = "https://evil.example";

async function desk(t: TestContext) {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  return { ...sim, ...b, token: b.allow() };
}

test("frames of a denied page after its first are not looked at, and cause no write", async (t) => {
  const { url, home } = await desk(t);
  const page = await speak(t, url, { origin: EVIL });
  const answers: unknown[] = [];
  page.socket.on("message", (data) => answers.push(data));
  const before = writes(home);
  for (let n = 0; n < 500; n++)
    page.socket.send(JSON.stringify({ v: 1, id: String(n), method: "hello", params: { appName: "x" } }));
  assert.equal(await page.closed(), 4403);
  assert.equal(answers.length, 1);
  assert.equal(writes(home), before);
});

/** Changes whenever another connection has written to the configuration. */
function writes(home: string): number {
  const database = new DatabaseSync(`${home}/config.db`);
  const { n } = database.prepare("select count(*) as n from records").get() as { n: number };
  database.close();
  return n;
}

test("a configuration that another process holds locked ends nothing: pages are answered", async (t) => {
  const { url, home, token, printer } = await desk(t);
  const page = await admitted(t, url, token);
  const other = new DatabaseSync(`${home}/config.db`);
  other.exec("begin exclusive");
  t.after(() => other.close());
  const denied = await speak(t, url, { origin: EVIL });
  const { error } = await denied.call("hello", { appName: "evil" });
  assert.equal(error?.code, "ORIGIN_DENIED");
  assert.equal(await denied.closed(), 4403);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(printer.labels.length, 1);
  other.exec("rollback");
});

test("a record that cannot be read ends nothing while a console is open, and takes no other with it", async (t) => {
  const { url, http, home, token, adminToken, printer } = await desk(t);
  const page = await admitted(t, url, token);
  const events = await fetch(`${http}/api/v1/admin/events`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  t.after(() => events.body?.cancel().catch(() => {}));
  const other = new DatabaseSync(`${home}/config.db`);
  t.after(() => other.close());
  other.exec("insert into records (kind, id, body) values ('printer', 'bad', '{'), ('token', 'bad', '')");
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(printer.labels.length, 1);
});

test("ZPL that begins a label and does not end it is refused, and the printer stays free", async (t) => {
  const { url, token } = await desk(t);
  const page = await admitted(t, url, token);
  for (const data of ["^XA^FDx^FS", `${LABEL}^XA`, "~CC!!XA!FDx!FS^XZ"])
    assert.equal(await page.code("print.raw", { printer: "dock", data }), "PROTOCOL_ERROR", data);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
});

test("a label that another program has begun and not ended keeps no job from ending", async (t) => {
  for (const withoutSgd of [false, true]) {
    const sim = await simulator(t, { withoutSgd });
    const b = await bridge(t, { env: { PRINT_RECOVER_MS: "100" } });
    b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
    const page = await admitted(t, b.url, b.allow());
    await page.ask("printers.status", { printer: "dock" });
    const other = connect(sim.listener.port, "127.0.0.1");
    other.write("^XA^FDx");
    await until("the printer waits for more", () => sim.printer.situation.partialFormat);
    const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
    assert.equal(job.state, withoutSgd ? "Unknown" : "Done", "its own counter tells, where it has one");
    other.destroy();
    await until("the printer waits for nothing", () => !sim.printer.situation.partialFormat);
    const next = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
    assert.equal(next.state, "Done");
    assert.equal(sim.printer.labels.length, 2);
  }
});

test("a disk that is full ends nothing: jobs are refused with the reason, and what was printed is written when there is room", async (t) => {
  const sim = await simulator(t);
  let full = false;
  const b = await bridge(t, {
    wrapJournal: (journal) => ({
      ...journal,
      get lastSeq() {
        return journal.lastSeq;
      },
      get firstSeq() {
        return journal.firstSeq;
      },
      commit: (entries) =>
        full ? Promise.reject(new Error("database or disk is full")) : journal.commit(entries),
      assertWritable: async () => {
        if (full) throw new Error("database or disk is full");
        await journal.assertWritable();
      },
    }),
  });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  full = true;
  await until("the label is out", () => sim.printer.labels.length === 1);
  const { error } = await page.call("print.raw", { printer: "dock", data: LABEL });
  assert.equal(error?.code, "INTERNAL");
  assert.match(error?.message ?? "", /disk is full/);
  const health = async () => (await fetch(`${b.http}/healthz`)).status;
  assert.equal(await health(), 503);
  full = false;
  assert.equal(await health(), 200);
  assert.equal((await page.ended(jobId)).state, "Done");
  const next = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(next.state, "Done");
  assert.equal(sim.printer.labels.length, 2);
});

test("a bridge that is stopped while jobs end closes in order: nobody hears of anything afterwards", async (t) => {
  for (let round = 0; round < 5; round++) {
    const sim = await simulator(t);
    const b = await bridge(t, { home: temporaryHome(t) });
    b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
    const token = b.allow();
    const pages = await Promise.all(Array.from({ length: 5 }, () => admitted(t, b.url, token)));
    for (const page of pages) await page.ask("subscribe");
    for (const page of pages) void page.call("print.raw", { printer: "dock", data: LABEL });
    await pages[0]?.jobId("print.raw", { printer: "dock", data: LABEL });
    await b.close();
  }
});

test("a clock that is set back an hour limits nobody for an hour", () => {
  const clock = fakeClock();
  const bucket = createTokenBucket(clock, 20, 40);
  clock.advance(-3_600_000);
  for (let n = 0; n < 40; n++) assert.ok(bucket.take());
  assert.equal(bucket.take(), false);
  clock.advance(50);
  assert.ok(bucket.take());
});

test("a large request counts for several, and the largest passes after a quiet time", () => {
  const clock = fakeClock();
  const bucket = createTokenBucket(clock, 1, 10);
  assert.ok(bucket.take(512 * 1024), "nine of ten");
  assert.equal(bucket.take(256 * 1024), false);
  assert.equal(bucket.retryAfterMs(), 4_000);
  clock.advance(4_000);
  assert.ok(bucket.take(256 * 1024));
  clock.advance(10_000);
  assert.ok(bucket.take(64 * 1024 * 1024));
});

test("large frames are limited by what they cost, and not even read when there is no room for them", async (t) => {
  const sim = await simulator(t);
  const clock = fakeClock();
  const b = await bridge(t, { clock, env: { PRINT_LIMIT_REQUESTS: "1", PRINT_LIMIT_BURST: "20" } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const token = b.allow();
  const rest = { method: "print.raw", params: { printer: "no", data: "x".repeat(4_000_000) } };
  for (const [frame, id] of [
    [{ v: 1, id: "b", ...rest }, "b"],
    [{ ...rest, v: 1, id: "b" }, null],
  ] as const) {
    const page = await admitted(t, b.url, token);
    clock.advance(60_000);
    const first = await page.send(JSON.stringify({ v: 1, id: "a", ...rest }), "a");
    assert.equal(first.error?.code, "PRINTER_UNKNOWN");
    // Its id is known where it comes first; behind the data nobody looks for it.
    assert.equal((await page.send(JSON.stringify(frame), id)).error?.code, "RATE_LIMITED");
  }
});

test("a frame that is too large is refused with the reason, also where requests came too fast", async (t) => {
  const clock = fakeClock();
  const env = { PRINT_LIMIT_FRAME_BYTES: "100000", PRINT_LIMIT_PAYLOAD_BYTES: "50000" };
  const b = await bridge(t, { clock, env: { ...env, PRINT_LIMIT_REQUESTS: "1", PRINT_LIMIT_BURST: "3" } });
  const page = await admitted(t, b.url, b.allow());
  clock.advance(60_000);
  for (let frame = 0; frame < 3; frame++)
    assert.equal((await page.send("x".repeat(100_001), null)).error?.code, "PAYLOAD_TOO_LARGE");
});

test("a frame or a body of more levels, parts or values than requests have is refused before it is read", async (t) => {
  const { url, http, token, printer } = await desk(t);
  const page = await admitted(t, url, token);
  const odd = [
    `${"[".repeat(200)}${"]".repeat(200)}`,
    `[${"[],".repeat(60_000)}1]`,
    `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join()}}`,
    `[${"1,".repeat(310_000)}1]`,
  ];
  const post = async (path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    return (await fetch(http + path, { method: "POST", headers, body })).status;
  };
  const label = JSON.stringify(LABEL);
  for (const json of odd) {
    const answered = once(page.socket, "message");
    page.socket.send(`{"v":1,"id":"odd","method":"ping","params":${json}}`);
    const { id, error } = JSON.parse(String((await answered)[0])) as Frame;
    assert.deepEqual([id, error?.code], ["odd", "PROTOCOL_ERROR"]);
    const v2 = `{"data":${label},"odd":${json}}`;
    assert.equal(await post("/api/v2/printers/dock/print", "application/json", v2), 400);
    const write = `{"device":{"uid":"dock"},"data":${label},"odd":${json}}`;
    for (const type of ["application/json", "text/plain"])
      assert.equal(await post("/write", type, write), 400, type);
  }
  const brackets = '[{":\\"'.repeat(60_000);
  assert.equal(await page.code("print.raw", { printer: "no", data: brackets }), "PRINTER_UNKNOWN");
  assert.equal(await page.code("print.raw", { printer: "no", data: ",".repeat(400_000) }), "PRINTER_UNKNOWN");
  const labels = Array.from({ length: 500 }, () => ({ params: Array.from({ length: 500 }, () => "x") }));
  const many = { printer: "no", template: "badge", labels };
  assert.equal(await page.code("print.template", many), "PRINTER_UNKNOWN");
  assert.equal(printer.labels.length, 0);
});

test("an origin that asks too fast by HTTP is told to wait, and no other with it", async (t) => {
  const clock = fakeClock();
  const b = await bridge(t, { clock, env: { PRINT_LIMIT_REQUESTS: "1", PRINT_LIMIT_BURST: "3" } });
  const [one, two] = [b.allow("https://one.example"), b.allow("https://two.example")];
  const ask = async (token: string) =>
    fetch(`${b.http}/api/v1/printers`, { headers: { authorization: `Bearer ${token}` } });
  for (let n = 0; n < 3; n++) assert.equal((await ask(one)).status, 200);
  const refused = await ask(one);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  assert.equal((await ask(two)).status, 200);
  clock.advance(1_000);
  assert.equal((await ask(one)).status, 200);
});

test("sessions end with the bridge", async (t) => {
  const { url, token, close } = await desk(t);
  const page = await admitted(t, url, token);
  const closed = once(page.socket, "close");
  await close();
  await closed;
});

test("a host for which no certificate can be made stops the start with a sentence that names it", async (t) => {
  for (const host of ["*.example.org", "labels.example.org:443", "https://a.example", "fe80::1%eth0", "-a"])
    await assert.rejects(bridge(t, { env: { PRINT_HOSTS: `ok.example.org,${host}` } }), {
      name: "StartProblem",
      message: new RegExp(`"${host.replace(/[.*]/g, "\\$&")}"`),
    });
});
