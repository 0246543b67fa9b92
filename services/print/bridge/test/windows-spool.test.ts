import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@frontdesk/kit/clock";
import type { Progress } from "../src/domain/courier.ts";
import { createSpoolCourier } from "../src/domain/spool-courier.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createWindowsSpool, type Winspool, WinspoolError } from "../src/transports/windows-spool.ts";

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
  const courierTo = (printer: string) =>
    createSpoolCourier({
      spool: createWindowsSpool(printer, async () => winspool),
      clock: systemClock,
      wait: systemWait,
      pollMs: 1,
      recoverMs: 100,
    });
  return { submitted, courierTo };
}

const PAPER_OUT_OF_PRINTER = 0x10;
const parcel = {
  id: "job",
  data: Buffer.from("^XA^XZ"),
  copies: 2,
  labels: 2,
  rfid: false,
  baseline: undefined,
  receipt: undefined,
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
    const { submitted, courierTo } = scripted([...statuses]);
    const told: Progress[] = [];
    const { ending } = courierTo("Labels").deliver(parcel, (progress) => told.push(progress));
    const { state } = await ending;
    const held = told.some((progress) => progress.state === "Held" && progress.reasons[0] === "paper-out");
    assert.equal(held ? `Held ${state}` : state, expected);
    assert.equal(submitted.toString(), "^XA^XZ^XA^XZ");
  });
}

test("scripted winspool: after a restart a job that is no longer there is unknown, one that is there is followed", async () => {
  const later = { ...parcel, receipt: "7" };
  assert.equal(
    (
      await scripted([GONE])
        .courierTo("Labels")
        .recover(later, () => {})
    ).state,
    "Unknown",
  );
  assert.equal(
    (
      await scripted([PRINTING, GONE])
        .courierTo("Labels")
        .recover(later, () => {})
    ).state,
    "Done",
  );
});

test("scripted winspool: a queue that is not there is offline; one without paper is stopped", async () => {
  const { courierTo } = scripted([0]);
  await assert.rejects(courierTo("Nothing").look(), { code: "PRINTER_OFFLINE" });
  const { state, error } = await courierTo("Nothing").deliver(parcel, () => {}).ending;
  assert.deepEqual([state, error?.code], ["Failed", "PRINTER_OFFLINE"]);
  const look = await courierTo("Labels").look();
  assert.deepEqual([look.online, look.state, look.reasons], [true, "stopped", ["paper-out"]]);
});
