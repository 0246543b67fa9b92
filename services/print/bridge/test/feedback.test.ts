import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";

/** Lets one label out of the printer for each call. */
function gate() {
  const waiting: Array<() => void> = [];
  let credit = 0;
  return {
    pace: () =>
      new Promise<void>((resolve) => {
        if (credit > 0) {
          credit--;
          resolve();
        } else waiting.push(resolve);
      }),
    let(count: number) {
      for (let n = 0; n < count; n++) {
        const next = waiting.shift();
        if (next) next();
        else credit++;
      }
    },
  };
}

async function desk(
  t: Parameters<typeof bridge>[0],
  printerOptions: Parameters<typeof simulator>[1] = {},
  rfid = false,
  env: Record<string, string> = {},
) {
  const sim = await simulator(t, printerOptions);
  const b = await bridge(t, { env });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address, rfid });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("subscribe");
  return { ...sim, bridge: b, page };
}

test("a lid opened in the middle of a job holds it within two polls; closed again, the job is done and each label counted once", async (t) => {
  const { pace, let: letOut } = gate();
  // Polls far enough apart that the news is here before the next one.
  const { printer, page } = await desk(t, { pace }, false, { PRINT_POLL_MS: "300", PRINT_WATCH_MS: "60000" });
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL.replace("^XZ", "^PQ3^XZ") });
  letOut(1);
  await until("one label is counted", () =>
    page.jobs().some(({ labels }) => labels[0]?.printed && !labels[1]?.printed),
  );
  printer.set("head-open", true);
  const pollsBefore = printer.counters.statusPolls;
  await until("the job is held", () => page.jobs().at(-1)?.state === "Held");
  assert.ok(printer.counters.statusPolls - pollsBefore <= 2);
  assert.deepEqual(page.jobs().at(-1)?.reasons, ["head-open"]);
  letOut(1);
  await until("the stopped label has moved", () => printer.counters.odometer === 1002);
  printer.set("head-open", false);
  letOut(2);
  const job = await page.ended(jobId);
  assert.equal(job.state, "Done");
  assert.deepEqual(
    job.labels.map(({ printed }) => printed),
    [true, true, true],
  );
  assert.equal(printer.labels.length, 3);
  assert.equal(printer.counters.odometer, 1004, "the label that was stopped moved the counter once more");
  for (const { state, labels } of page.jobs()) {
    if (state === "Done") continue;
    const out = labels.filter(({ printed }) => printed).length;
    assert.ok(out < 3, "never told as printed before it was");
  }
});

for (const condition of ["paper-out", "ribbon-out", "paused"] as const) {
  test(`a printer that is stopped (${condition}) holds the job and loses nothing`, async (t) => {
    const { printer, page } = await desk(t);
    printer.set(condition, true);
    await until("the stop is told", () => page.statuses().at(-1)?.reasons.includes(condition));
    const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
    await until("the job is held", () => page.jobs().at(-1)?.state === "Held");
    assert.deepEqual(page.jobs().at(-1)?.reasons, [condition]);
    assert.equal(printer.labels.length, 0);
    printer.set(condition, false);
    assert.equal((await page.ended(jobId)).state, "Done");
    assert.equal(printer.labels.length, 1);
    await until("it is told ready", () => page.statuses().at(-1)?.state === "ready");
  });
}

test("firmware that falls silent while stopped holds the job, never ends it", async (t) => {
  const { pace, let: letOut } = gate();
  const { printer, page } = await desk(t, { pace, silentWhenStopped: true });
  const before = printer.counters.odometer;
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await until("it prints", () => page.jobs().at(-1)?.state === "Printing");
  printer.set("head-open", true);
  await until("the job is held", () => page.jobs().at(-1)?.state === "Held");
  assert.deepEqual(page.jobs().at(-1)?.reasons, ["not-answering"]);
  // The label that was under way is cut off, and printed again.
  letOut(1);
  await until("the label is cut off", () => printer.counters.odometer === before + 1);
  printer.set("head-open", false);
  letOut(1);
  assert.equal((await page.ended(jobId)).state, "Done");
});

test("a printer without counters is believed when it is idle twice", async (t) => {
  const { printer, page } = await desk(t, { withoutSgd: true });
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL + LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(printer.labels.length, 2);
});

const EPC = "3034257BF468D480000003E9";
const TAG = `^XA^RFW,H^FD${EPC}^FS^FO30,30^FDx^FS^XZ`;

test("RFID: void, void, success gives two voided entries and the EPC read back", async (t) => {
  const { page, printer } = await desk(t, { tags: ["void", "void"] }, true);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: TAG }));
  assert.deepEqual([job.state, job.verification], ["Done", "rfid"]);
  const voided = { index: 0, printed: false, encoded: false, voided: true, epc: "" };
  assert.deepEqual(job.labels, [
    voided,
    voided,
    { index: 0, printed: true, encoded: true, voided: false, epc: EPC },
  ]);
  assert.equal(printer.labels.filter((label) => !label.voided).length, 1);
});

/** A printer that is silent from its first label until `goOn`, and whose counters count its whole life. */
async function silentAfterTheFirstLabel(t: Parameters<typeof bridge>[0]) {
  let stopped = false;
  const sim = await desk(
    t,
    {
      silentWhenStopped: true,
      onLabel: () => {
        if (!stopped) sim.printer.set("paper-out", true);
        stopped = true;
      },
    },
    true,
  );
  sim.printer.counters.voids = 57;
  return { ...sim, goOn: () => sim.printer.set("paper-out", false) };
}

test("RFID: a printer that was silent before a label left has voided what it counts from then on, not what it ever did", async (t) => {
  const { page, printer, goOn } = await silentAfterTheFirstLabel(t);
  const jobId = await page.jobId("print.raw", { printer: "dock", data: TAG + TAG });
  await until("the job is held", () => page.jobs().at(-1)?.state === "Held");
  goOn();
  const job = await page.ended(jobId);
  assert.equal(job.state, "Done");
  const encoded = (index: number) => ({ index, printed: true, encoded: true, voided: false, epc: EPC });
  assert.deepEqual(job.labels, [encoded(0), encoded(1)]);
  assert.equal(printer.labels.length, 2);
});

test("RFID: a label after one with a tag is not sent to a printer that is silent, and is counted when it has come out", async (t) => {
  const { page, printer, goOn } = await silentAfterTheFirstLabel(t);
  const jobId = await page.jobId("print.raw", { printer: "dock", data: TAG + LABEL });
  await until("the job is held", () => page.jobs().at(-1)?.state === "Held");
  assert.equal(printer.situation.labelsRemaining, 0, "the printer has nothing to print yet");
  goOn();
  const job = await page.ended(jobId);
  assert.deepEqual([job.state, job.labels.map(({ printed }) => printed)], ["Done", [true, true]]);
  assert.equal(printer.labels.length, 2);
});

test("RFID: a tag that reads back as something else is never encoded", async (t) => {
  const { page } = await desk(t, { tags: [{ reads: "AAAABBBBCCCCDDDDEEEEFFFF" }] }, true);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: TAG }));
  assert.deepEqual(job.labels, [
    { index: 0, printed: true, encoded: false, voided: false, epc: "AAAABBBBCCCCDDDDEEEEFFFF" },
  ]);
  assert.equal(job.state, "Failed");
});

test("RFID: the fourth void ends the job, and the labels after it are not sent", async (t) => {
  const { page, printer } = await desk(t, { tags: ["void", "ok", "void", "void", "void", "void"] }, true);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: TAG, copies: 3 }));
  assert.deepEqual([job.state, job.error?.code], ["Failed", "RFID_VOID_LIMIT"]);
  assert.deepEqual(
    job.labels.map(({ index, voided, encoded }) => [index, voided, encoded]),
    [
      [0, true, false],
      [0, false, true],
      [1, true, false],
      [1, true, false],
      [1, true, false],
    ],
  );
  assert.equal(printer.labels.length, 5);
  const next = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(next.state, "Done", "the printer is free for the next job");
});

test("RFID: a void counter that jumps ends the job at the limit, and costs no more than that", async (t) => {
  const { page, printer } = await desk(
    t,
    {
      pace: async () => {
        printer.counters.voids = 999_999_999_999_999;
      },
    },
    true,
  );
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: TAG, copies: 3 }));
  assert.deepEqual([job.state, job.error?.code], ["Failed", "RFID_VOID_LIMIT"]);
  assert.equal(job.labels.filter(({ voided }) => voided).length, 4);
});

test("RFID commands need the license for it, plain labels do not", async (t) => {
  const { page, bridge: b } = await desk(t, {}, true);
  b.access.approve("https://app.example.com", { rights: { raw: true, templates: true, rfid: false } });
  assert.equal(await page.code("print.raw", { printer: "dock", data: TAG }), "ORIGIN_DENIED");
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), undefined);
});

test("a line that breaks before anything was printed fails the job and says so; the printer's counter proves it", async (t) => {
  const { page, listener, printer } = await desk(t);
  await until("the printer is seen", () => listener.received.connections > 0);
  listener.faults.dropAtByte = listener.received.bytes + 10_000;
  const data = `^XA^FO1,1^FD${"x".repeat(200_000)}^FS^XZ`;
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data }));
  assert.deepEqual([job.state, job.error?.code], ["Failed", "LINE_BROKEN"]);
  assert.equal(printer.labels.length, 0);
});

test("a line that breaks after some labels came out leaves the job unknown with those labels counted, and never sends it again", async (t) => {
  const { page, listener, printer } = await desk(t);
  await until("the printer is seen", () => listener.received.connections > 0);
  const label = `^XA^FO1,1^FD${"x".repeat(50_000)}^FS^XZ`;
  listener.faults.dropAtByte = listener.received.bytes + 120_000;
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: label, copies: 4 }));
  assert.equal(job.state, "Unknown");
  assert.deepEqual(
    job.labels.map(({ printed }) => printed),
    [true, true, false, false],
  );
  const after = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(after.state, "Done");
  assert.equal(printer.labels.length, 3);
});

test("a line that breaks after the last byte is no reason to doubt: the counter says the job is done", async (t) => {
  const { page, listener, printer } = await desk(t, {
    pace: () => new Promise((resolve) => setTimeout(resolve, 30)),
  });
  await until("the printer is seen", () => listener.received.connections > 0);
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await until("it prints", () => page.jobs().some(({ state }) => state === "Printing" || state === "Done"));
  listener.faults.dropAtByte = listener.received.bytes + 1;
  assert.equal((await page.ended(jobId)).state, "Done");
  assert.equal(printer.labels.length, 1);
});

test("a printer that hangs holds up nobody else", async (t) => {
  const { page, bridge: b } = await desk(t);
  const stuck = await simulator(t, { pace: () => new Promise(() => {}) });
  b.addPrinter({ id: "stuck", transport: "tcp", address: stuck.address });
  await page.jobId("print.raw", { printer: "stuck", data: LABEL });
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
});

test("more jobs than may wait for one printer are RATE_LIMITED, and those accepted keep their order", async (t) => {
  const { pace, let: letOut } = gate();
  const sim = await simulator(t, { pace });
  const b = await bridge(t, { env: { PRINT_LIMIT_WAITING: "5" } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  const labels = Array.from({ length: 8 }, (_, n) => LABEL.replace("hello", `label-${n}`));
  const answers = [];
  for (const data of labels) answers.push(await page.call("print.raw", { printer: "dock", data }));
  const refused = answers.filter(({ error }) => error);
  assert.ok(
    refused.length >= 2 && refused.every(({ error }) => error?.code === "RATE_LIMITED" && error.retryable),
  );
  letOut(100);
  for (const { result } of answers) if (result) await page.ended(result.jobId as string);
  const printed = sim.printer.labels.map(({ zpl }) => /label-\d/.exec(zpl)?.[0]);
  assert.deepEqual(
    printed,
    answers.flatMap(({ result }, n) => (result ? [`label-${n}`] : [])),
  );
});
