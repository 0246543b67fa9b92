import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { Journal } from "../src/domain/journal.ts";
import { admitted, bridge, type Frame, LABEL, ORIGIN, simulator, until } from "./support.ts";

const seqs = (events: readonly Frame[]) => events.map(({ seq }) => seq);

test("what was missed is replayed from the number given, in order, without gap or repetition, across a restart", async (t) => {
  const sim = await simulator(t);
  const home = temporaryHome(t);
  const first = await bridge(t, { home });
  first.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const token = first.allow();
  const watcher = await admitted(t, first.url, token);
  await watcher.ask("subscribe");
  const page = await admitted(t, first.url, token);
  await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  await until("the watcher saw the end", () => watcher.jobs().some(({ state }) => state === "Done"));
  const leftAt = watcher.events.at(-1)?.seq as number;
  watcher.socket.terminate();
  const missed = await page.jobId("print.raw", { printer: "dock", data: LABEL, copies: 2 });
  await page.ended(missed);
  await first.close();

  const second = await bridge(t, { home });
  const back = await admitted(t, second.url, token);
  const { seq, complete } = await back.ask("subscribe", { sinceSeq: leftAt });
  assert.equal(complete, true);
  const later = await back.jobId("print.raw", { printer: "dock", data: LABEL });
  await until("the new job's end is told", () =>
    back.jobs().some(({ job_id, state }) => job_id === later && state === "Done"),
  );
  assert.ok((seq as number) > leftAt);
  const told = seqs(back.events) as number[];
  assert.deepEqual(
    told,
    [...new Set(told)].sort((a, b) => a - b),
  );
  const states = (id: string) =>
    back
      .jobs()
      .filter(({ job_id }) => job_id === id)
      .map(({ state }) => state);
  assert.deepEqual(states(missed), ["Done"], "of a job that was missed its newest state is told");

  const everything = await admitted(t, second.url, token);
  await everything.ask("subscribe", { sinceSeq: 0 });
  await until("all is replayed", () => seqs(everything.events).includes(told.at(-1)));
  const ends = (events: readonly Frame[]) =>
    events.filter(({ data }) => (data as { state?: string }).state === "Done");
  const tail = everything.events.filter((event) => (event.seq as number) > leftAt);
  assert.deepEqual(ends(tail), ends(back.events), "two readers are told the same ends");
});

test("an origin hears of its own jobs only, and of the printers it may use, under its own names", async (t) => {
  const sim = await simulator(t);
  const hidden = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  b.addPrinter({ id: "hidden", transport: "tcp", address: hidden.address });
  const mine = await admitted(t, b.url, b.allow());
  const other = { origin: "https://other.example" };
  const theirs = await admitted(t, b.url, b.allow(other.origin, { aliases: { labels: "dock" } }), other);
  await mine.ask("subscribe");
  await theirs.ask("subscribe");
  await mine.ended(await mine.jobId("print.raw", { printer: "dock", data: LABEL }));
  hidden.printer.set("paused", true);
  sim.printer.set("paper-out", true);
  await until(
    "mine hears of both",
    () => mine.statuses().filter(({ state }) => state === "stopped").length === 2,
  );
  await until("theirs hears of its own", () => theirs.statuses().some(({ state }) => state === "stopped"));
  assert.deepEqual(theirs.jobs(), []);
  assert.deepEqual([...new Set(theirs.statuses().map(({ printer }) => printer))], ["labels"]);
});

test("a subscription can be for some events, some printers, some jobs", async (t) => {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  b.addPrinter({ id: "other", transport: "tcp", address: sim.address });
  const token = b.allow();
  const page = await admitted(t, b.url, token);
  const jobsOnly = await admitted(t, b.url, token);
  assert.deepEqual(
    (await jobsOnly.ask("subscribe", { events: ["job.update"], printers: ["other"] })).events,
    ["job.update"],
  );
  await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  const wanted = await page.jobId("print.raw", { printer: "other", data: LABEL });
  await page.ended(wanted);
  await until("the wanted job is told", () => jobsOnly.jobs().some(({ state }) => state === "Done"));
  assert.deepEqual([...new Set(jobsOnly.jobs().map(({ job_id }) => job_id))], [wanted]);
  const one = await admitted(t, b.url, token);
  await one.ask("subscribe", { jobs: [wanted], sinceSeq: 0 });
  await until("its story is told", () => one.jobs().some(({ state }) => state === "Done"));
  assert.ok(one.jobs().every(({ job_id }) => job_id === wanted));
});

test("the same key from the same origin is the same job, even at the same moment; another origin's is another", async (t) => {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const token = b.allow();
  const pages = await Promise.all(Array.from({ length: 5 }, () => admitted(t, b.url, token)));
  const request = { printer: "dock", data: LABEL, idempotencyKey: "order-17" };
  const ids = await Promise.all(pages.map((page) => page.jobId("print.raw", request)));
  assert.equal(new Set(ids).size, 1);
  await pages[0]?.ended(ids[0] as string);
  const other = { origin: "https://other.example" };
  const stranger = await admitted(t, b.url, b.allow(other.origin), other);
  const theirs = await stranger.jobId("print.raw", request);
  assert.notEqual(theirs, ids[0]);
  await stranger.ended(theirs);
  assert.equal(sim.printer.labels.length, 2);
});

test("a key that cannot be told from another is refused", async (t) => {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  for (const idempotencyKey of ["order-\ud800", "order-\udc01"])
    assert.equal(
      await page.code("print.raw", { printer: "dock", data: LABEL, idempotencyKey }),
      "PROTOCOL_ERROR",
    );
  assert.ok(await page.jobId("print.raw", { printer: "dock", data: LABEL, idempotencyKey: "order-😀" }));
});

test("a print that is repeated is answered with its job, whatever was taken from its origin meanwhile", async (t) => {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  const raw = { printer: "dock", data: LABEL, idempotencyKey: "order-18" };
  const jobId = await page.jobId("print.raw", raw);
  await page.ended(jobId);
  b.access.approve(ORIGIN, { rights: { raw: false, templates: true, rfid: false } });
  assert.equal(await page.jobId("print.raw", raw), jobId);
  assert.equal(
    await page.jobId("print.template", {
      printer: "dock",
      template: "gone",
      labels: [{ params: [] }],
      idempotencyKey: "order-18",
    }),
    jobId,
  );
  assert.equal(await page.code("print.raw", { ...raw, idempotencyKey: "order-19" }), "ORIGIN_DENIED");
  b.registry.printers.remove("dock");
  assert.equal(await page.jobId("print.raw", raw), jobId);
  assert.equal(sim.printer.labels.length, 1);
});

test("a thousand jobs at once from twenty tabs leave each printer in the order they were accepted", async (t) => {
  const sims = await Promise.all(Array.from({ length: 4 }, () => simulator(t)));
  const b = await bridge(t, { env: { PRINT_LIMIT_WAITING: "1000" } });
  sims.forEach(({ address }, n) => {
    b.addPrinter({ id: `p${n}`, transport: "tcp", address });
  });
  const token = b.allow();
  const tabs = await Promise.all(Array.from({ length: 20 }, () => admitted(t, b.url, token)));
  const watcher = await admitted(t, b.url, token);
  await watcher.ask("subscribe", { events: ["job.update"] });
  const ids = await Promise.all(
    Array.from({ length: 1000 }, (_, n) =>
      (tabs[n % 20] as (typeof tabs)[0]).jobId("print.raw", {
        printer: `p${n % 4}`,
        data: LABEL.replace("hello", `n${n};`),
      }),
    ),
  );
  await until("all are done", () => watcher.jobs().filter(({ state }) => state === "Done").length === 1000);
  const accepted = [...new Set(watcher.jobs().map(({ job_id }) => job_id))];
  assert.equal(accepted.length, 1000);
  const numberOf = new Map(ids.map((id, n) => [id, n]));
  for (const [at, { printer }] of sims.entries()) {
    const expected = accepted.map((id) => numberOf.get(id) as number).filter((n) => n % 4 === at);
    assert.deepEqual(
      printer.labels.map(({ zpl }) => Number(/n(\d+);/.exec(zpl)?.[1])),
      expected,
    );
  }
});

test("jobs accepted for a printer that is away wait for it, and one that waits too long fails and says why", async (t) => {
  const sim = await simulator(t);
  const b = await bridge(t, { env: { PRINT_GIVE_UP_MS: "200" } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow(ORIGIN));
  await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  sim.printer.set("paused", true);
  await until(
    "the stop is seen",
    async () => (await page.ask("printers.status", { printer: "dock" })).state === "stopped",
  );
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await sim.listener.stop();
  const job = await page.ended(jobId);
  assert.deepEqual([job.state, job.error?.code], ["Failed", "PRINTER_OFFLINE"]);
  assert.equal((await page.ask("printers.status", { printer: "dock" })).online, false);
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "PRINTER_OFFLINE");
});

test("a page that subscribes several times at once has one listener, and none when it has gone", async (t) => {
  const listeners = new Set<() => void>();
  const counted = (journal: Journal): Journal =>
    new Proxy(journal, {
      get: (target, name) => {
        if (name !== "listen") return Reflect.get(target, name);
        return (...given: Parameters<Journal["listen"]>) => {
          const stop = target.listen(...given);
          listeners.add(stop);
          return () => {
            listeners.delete(stop);
            stop();
          };
        };
      },
    });
  const b = await bridge(t, { wrapJournal: counted });
  const page = await admitted(t, b.url, b.allow());
  const before = listeners.size;
  const frame = (id: number) => JSON.stringify({ v: 1, id: `s${id}`, method: "subscribe", params: {} });
  const answers = Array.from({ length: 20 }, (_, id) => page.send(frame(id), `s${id}`));
  await Promise.all(answers);
  await page.ask("ping");
  assert.equal(listeners.size, before + 1);
  page.socket.terminate();
  await until("it is forgotten", () => listeners.size === before);
});
