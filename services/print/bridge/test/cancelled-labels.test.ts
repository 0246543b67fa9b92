import assert from "node:assert/strict";
import { test } from "node:test";
import type { PrinterOptions } from "@frontdesk/print-simulator/printer";
import { zplDesk } from "./zpl-desk.ts";

type Desk = ReturnType<typeof zplDesk>;
/** So long a label takes. */
const LABEL_MS = 3_000;
const TAG = "^RFW,H^FD3034257BF468D480000003E9^FS";

function slowDesk(rfid = false, firmware: PrinterOptions = {}): Desk {
  return zplDesk({ rfid, printer: (time) => ({ ...firmware, pace: () => time.wait(LABEL_MS) }) });
}

function printOther({ wire }: Desk, labels: number): void {
  wire.printer.open(() => {}).feed(Buffer.from(`^XA^FXother;^FO9,9^FDx^FS^PQ${labels}^XZ`));
}

/** What was told, and what came out. */
const told = (desk: Desk, id: string) => {
  const { state, count } = desk.job(id);
  return [state, count.printed, desk.labelsOf(id)];
};

for (const condition of ["paper-out", "head-open", "paused"] as const)
  for (const how of ["", ", and the bridge is restarted"]) {
    test(`${condition}: a job that is cancelled${how} is not done by labels that others print afterwards`, async () => {
      for (const [quantity, copies] of [
        [3, 1],
        [1, 3],
        [3, 2],
      ] as const) {
        const desk = slowDesk();
        const { printer } = desk.wire;
        const labels = quantity * copies;
        desk.submit("job", labels, `^XA^FXjob;^FO9,9^FDx^FS^PQ${quantity}^XZ`, copies);
        await desk.time.until(() => desk.labelsOf("job") === 1);
        await desk.time.pass(1_000);
        printer.set(condition, true);
        await desk.time.pass(10_000);
        const out = desk.labelsOf("job");
        printer.cancel();
        if (how) desk.restart();
        await desk.time.pass(5_000);
        printOther(desk, labels);
        await desk.time.pass(5_000);
        printer.set(condition, false);
        await desk.time.until(desk.allEnded);
        assert.deepEqual(told(desk, "job"), ["Unknown", out, out]);
        await desk.close();
      }
    });
  }

for (const rfid of [false, true])
  for (const condition of ["paper-out", "head-open", "paused"] as const) {
    test(`${condition}: a job ${rfid ? "with" : "without"} tags that is cancelled is not done by labels that others print before they are seen to wait`, async () => {
      let labelMs = LABEL_MS;
      const firmware = { readsBackFirst: true };
      const desk = zplDesk({ rfid, printer: (time) => ({ ...firmware, pace: () => time.wait(labelMs) }) });
      const { printer } = desk.wire;
      desk.submit("job", 3, `^XA^FXjob;${rfid ? TAG : ""}^FO9,9^FDx^FS^PQ3^XZ`, 1);
      await desk.time.until(() => desk.labelsOf("job") === 1);
      await desk.time.pass(1_000);
      printer.set(condition, true);
      await desk.time.pass(10_000);
      const out = desk.labelsOf("job");
      printer.cancel();
      await desk.time.pass(5_000);
      labelMs = 10;
      printOther(desk, 3);
      printer.set(condition, false);
      await desk.time.until(desk.allEnded);
      assert.deepEqual(told(desk, "job"), ["Unknown", out, out]);
      await desk.close();
    });
  }

test("a job behind others that is cancelled with theirs is not seen in labels that they print afterwards", async () => {
  const desk = slowDesk();
  const { printer } = desk.wire;
  printOther(desk, 2);
  await desk.time.pass(50);
  desk.submit("job", 6, "^XA^FXjob;^FO9,9^FDx^FS^PQ3^XZ", 2);
  await desk.time.until(() => desk.labelsOf("other") === 1);
  printer.set("paused", true);
  await desk.time.pass(10_000);
  printer.cancel();
  await desk.time.pass(5_000);
  printOther(desk, 3);
  await desk.time.pass(5_000);
  printer.set("paused", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Unknown", 0, 0]);
  await desk.close();
});

test("a label that is still in motion when its stop is told is cut off, also where others send theirs meanwhile", async () => {
  for (const labels of [1, 3]) {
    const desk = slowDesk();
    const { printer } = desk.wire;
    const before = printer.counters.odometer;
    desk.submit("job", labels, `^XA^FXjob;^FO9,9^FDx^FS^PQ${labels}^XZ`, 1);
    await desk.time.until(
      () => desk.labelsOf("job") === labels - 1 && printer.situation.labelsRemaining === 1,
    );
    await desk.time.pass(500);
    printer.set("head-open", true);
    await desk.time.pass(1_000);
    printOther(desk, 1);
    await desk.time.until(() => printer.counters.odometer === before + labels);
    await desk.time.pass(10_000);
    printer.cancel();
    await desk.time.pass(5_000);
    printer.set("head-open", false);
    await desk.time.until(desk.allEnded);
    assert.deepEqual(told(desk, "job"), ["Unknown", labels - 1, labels - 1]);
    await desk.close();
  }
});

test("RFID: a label that is cancelled after its tag was voided once is not done by labels that others print afterwards", async () => {
  const desk = slowDesk(true, { readsBackFirst: true, tags: ["ok", "void"] });
  const { printer } = desk.wire;
  desk.submit("job", 2, `^XA^FXjob;${TAG}^FO9,9^FDx^FS^PQ2^XZ`, 1);
  await desk.time.until(() => printer.labels.length === 2);
  await desk.time.pass(1_000);
  printer.set("head-open", true);
  printOther(desk, 2);
  await desk.time.pass(10_000);
  printer.cancel();
  await desk.time.pass(5_000);
  printOther(desk, 2);
  await desk.time.pass(5_000);
  printer.set("head-open", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Unknown", 1, 1]);
  await desk.close();
});

test("RFID: of a format without tags that is cancelled, the labels that are out are told", async () => {
  const desk = slowDesk(true);
  const { printer } = desk.wire;
  const tagged = `^XA^FXjob;${TAG}^FO9,9^FDx^FS^XZ`;
  desk.submit("job", 4, `${tagged}^XA^FXjob;^FO9,9^FDx^FS^PQ3^XZ`, 1);
  await desk.time.until(() => desk.labelsOf("job") === 3);
  await desk.time.pass(1_000);
  assert.equal(desk.job("job").count.printed, 3);
  printer.cancel();
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Failed", 3, 3]);
  const { tags = [] } = desk.job("job").count;
  assert.deepEqual(
    tags.map(({ index, printed, encoded }) => [index, printed, encoded]),
    [
      [0, true, true],
      [1, true, false],
      [2, true, false],
    ],
  );
  await desk.close();
});
