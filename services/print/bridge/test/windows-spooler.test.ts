import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import type { JobOutcome, JobProgress } from "../src/domain/job-machine.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createWindowsSpooler, type Winspool, WinspoolError } from "../src/transports/windows-spooler.ts";

const PAPER_OUT = 0x40;
const PRINTING = 0x10;
const DELETING = 0x4;
const PRINTED = 0x80;
const GONE = undefined;

/** Stands in for winspool.drv: the job's status goes through what it is given, and stays at the last. */
function scripted(statuses: Array<number | undefined>) {
  const submitted: Buffer[] = [];
  const winspool: Winspool = {
    printerStatus: async (printer) => {
      if (printer !== "Labels") throw new WinspoolError("OpenPrinterW");
      return PAPER_OUT_OF_PRINTER;
    },
    submit: async (printer, _title, pieces) => {
      if (printer !== "Labels") throw new WinspoolError("OpenPrinterW");
      submitted.push(Buffer.concat([...pieces]));
      return 7;
    },
    jobStatus: async (_printer, job) => {
      assert.equal(job, 7);
      return statuses.length > 1 ? statuses.shift() : statuses[0];
    },
  };
  const backendOf = (printer: string) =>
    createSpoolerBackend({
      spooler: createWindowsSpooler(printer, async () => winspool),
      monotonic: () => performance.now(),
      wait: systemWait,
      pollMs: 1,
      recoverMs: 100,
    });
  return { submitted, backendOf };
}

const PAPER_OUT_OF_PRINTER = 0x10;
const STATES: Readonly<Record<JobOutcome["type"], string>> = {
  done: "Done",
  failed: "Failed",
  lost: "Unknown",
  "not-sent": "Queued",
  interrupted: "left",
};
const document = {
  id: "job",
  data: Buffer.from("^XA^XZ"),
  copies: 2,
  labels: 2,
  rfid: false,
  odometer: undefined,
  spoolerJob: undefined,
};

for (const [what, statuses, expected] of [
  ["is kept as printed", [PRINTING, PRINTED], "Done"],
  ["leaves the queue in good order", [0, PRINTING, GONE], "Done"],
  ["is gone before it was looked at", [GONE], "Done"],
  ["waits for paper and goes on", [PAPER_OUT, PRINTING, GONE], "Held Done"],
  ["is deleted by somebody", [PRINTING, DELETING, GONE], "Failed"],
  ["disappears while there was no paper", [PAPER_OUT, GONE], "Held Unknown"],
] as const) {
  test(`scripted winspool: a job that ${what} is ${expected}`, async () => {
    const { submitted, backendOf } = scripted([...statuses]);
    const told: JobProgress[] = [];
    const { outcome } = backendOf("Labels").send(document, (progress) => told.push(progress));
    const state = STATES[(await outcome).type];
    const held = told.some((progress) => progress.type === "stopped" && progress.reasons[0] === "paper-out");
    assert.equal(held ? `Held ${state}` : state, expected);
    assert.equal(submitted.toString(), "^XA^XZ^XA^XZ");
  });
}

test("scripted winspool: after a restart a job that is no longer there is unknown, one that is there is followed", async () => {
  const later = { ...document, spoolerJob: "7" };
  const recovered = (statuses: Array<number | undefined>) =>
    scripted(statuses)
      .backendOf("Labels")
      .recover(later, () => {});
  assert.equal((await recovered([GONE]).outcome).type, "lost");
  const followed = recovered([PRINTING, GONE]);
  await followed.taken;
  assert.equal((await followed.outcome).type, "done");
});

test("scripted winspool: a queue that is not there is offline; one without paper is stopped", async () => {
  const { backendOf } = scripted([0]);
  await assert.rejects(backendOf("Nothing").status(), { code: "PRINTER_OFFLINE" });
  const refused = await backendOf("Nothing").send(document, () => {}).outcome;
  assert.ok(refused.type === "failed" && refused.error.code === "PRINTER_OFFLINE");
  const status = await backendOf("Labels").status();
  assert.deepEqual([status.online, status.state, status.reasons], [true, "stopped", ["paper-out"]]);
});
