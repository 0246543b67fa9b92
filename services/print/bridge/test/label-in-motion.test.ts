import assert from "node:assert/strict";
import { test } from "node:test";
import { zplDesk } from "./zpl-desk.ts";

const TAG = "^RFW,H^FD3034257BF468D480000003E9^FS";
const SHAPES = [
  { quantity: 1, copies: 1 },
  { quantity: 3, copies: 1 },
  { quantity: 1, copies: 3 },
] as const;

/** A printer that no longer counts a label among those that are left when it begins to move. */
const desk = (rfid: boolean, labelMs: number) =>
  zplDesk({ rfid, printer: (time) => ({ leftUntilMoved: true, pace: () => time.wait(labelMs) }) });

for (const rfid of [false, true])
  for (const labelMs of [300, 3_000])
    test(`a job ${rfid ? "with" : "without"} tags is not called failed while its last label moves for ${labelMs} ms and nothing is left`, async () => {
      for (const { quantity, copies } of SHAPES) {
        const { time, submit, job, labelsOf, allEnded, close } = desk(rfid, labelMs);
        const labels = quantity * copies;
        const format = `^XA^FXjob;${rfid ? TAG : ""}^FO9,9^FDx^FS^PQ${quantity}^XZ`;
        submit("job", labels, format, copies);
        await time.until(allEnded);
        const { state, count, error } = job("job");
        assert.deepEqual([state, error, count.printed, labelsOf("job")], ["Done", undefined, labels, labels]);
        await close();
      }
    });

for (const rfid of [false, true])
  test(`a job ${rfid ? "with" : "without"} tags that is cancelled while its label moves has failed after ten seconds`, async () => {
    const { time, wire, submit, job, labelsOf, close } = desk(rfid, 3_000);
    submit("job", 1, `^XA^FXjob;${rfid ? TAG : ""}^FO9,9^FDx^FS^XZ`);
    await time.pass(1_000);
    wire.printer.cancel();
    await time.pass(10_000);
    const { state, error } = job("job");
    assert.deepEqual([state, error?.code, labelsOf("job")], ["Failed", "LABELS_MISSING", 0]);
    await close();
  });
