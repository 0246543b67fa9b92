import assert from "node:assert/strict";
import { test } from "node:test";
import { createPrinter, type PrinterOptions, type TagOutcome } from "@frontdesk/print-simulator/printer";
import { numbers } from "./model-world.ts";
import { assertToldTruly } from "./told-truly.ts";
import { zplDesk } from "./zpl-desk.ts";

const SEEDS = Number(process.env.PRINT_ZPL_MODEL_SEEDS ?? 40);
const STEPS = 25;
/** So long a person takes at least to get to the printer: meanwhile it is asked a few times. */
const TO_THE_PRINTER_MS = 8_000;
/** After so long a silent printer has been asked again: people leave it alone until then when they have set it right. */
const HEARD_AGAIN_MS = 15_000;

/** What firmware does while it is stopped. Without a counter nobody knows what trouble cost. */
const FIRMWARE: readonly PrinterOptions[] = [
  {},
  {},
  { silentWhenStopped: true },
  { hostStatusOutWhenStopped: true },
  { unreadWhenStopped: true },
  { unreadWhenStopped: true, withoutSgd: true },
];

const EPC = "3034257BF468D480000003E9";
const WRONG_EPC = "AAAABBBBCCCCDDDDEEEEFFFF";

/** Some tags take nothing, a few hold something else afterwards, and printers differ in when they write them. */
function tagging(random: (below: number) => number): PrinterOptions {
  const outcome = (): TagOutcome =>
    random(6) === 0 ? "void" : random(20) === 0 ? { reads: WRONG_EPC } : "ok";
  return { readsBackFirst: random(2) === 1, tags: Array.from({ length: 40 }, outcome) };
}

/** What makes a label longer than the line takes at once, so that it breaks in the middle: a comment, or a picture's bytes. */
const LENGTH = 3_000;
const BYTES = "~^\x01".repeat(LENGTH / 3);
const LONG_LABELS: ReadonlyArray<(id: string) => string> = [
  (id) => `^XA^FX${id};^FX${"x".repeat(LENGTH)}^FO9,9^FDx^FS^XZ`,
  (id) => `^XA^FX${id};^FO9,9^GFB,${LENGTH},${LENGTH},100,${BYTES}^FS^XZ`,
  (id) => `~DYR:P,B,G,${LENGTH},100,${BYTES}^XA^FX${id};^FO9,9^XGR:P^FS^XZ`,
];

/** The real backend at a simulated printer and among its people, and what must be true of every job in the end. */
async function live(seed: number, rfid: boolean): Promise<void> {
  const random = numbers(seed);
  const firmware = { ...FIRMWARE[random(FIRMWARE.length)], ...(rfid ? tagging(random) : {}) };
  const desk = zplDesk({
    rfid,
    answersOutlive: random(2) === 1,
    printer: (time) => ({
      ...firmware,
      pace: () => time.wait(200),
      questionPace: () => time.wait(10),
    }),
  });
  const { time, wire } = desk;
  const submit = () => {
    const id = `j${++submitted}`;
    const labels = 1 + random(3);
    if (!rfid) return desk.submit(id, labels, LONG_LABELS[random(6)]?.(id));
    const [quantity, copies] = random(3) === 0 ? [labels, 1] : [1, labels];
    const length = random(3) === 0 ? `^FX${"x".repeat(LENGTH)}` : "";
    const format = `^XA^FX${id};${length}^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^PQ${quantity}^XZ`;
    return desk.submit(id, labels, format, copies);
  };
  const printers = [wire.printer];
  let submitted = 0;
  const conditions = ["paper-out", "head-open", "paused"] as const;
  const setRight = async () => {
    for (const condition of conditions) wire.printer.set(condition, false);
    if (firmware.silentWhenStopped || firmware.unreadWhenStopped) await time.pass(HEARD_AGAIN_MS);
  };
  /** Another computer prints, and then a job comes. What it prints while a job's line is broken is taken for the job's. */
  const behindOthers = async () => {
    if (!desk.allEnded()) return;
    const label = `^XA^FXother;^FO9,9^FDx^FS^PQ${1 + random(3)}^XZ`;
    wire.printer.open(() => {}).feed(Buffer.from(label.repeat(1 + random(4))));
    await time.pass(random(500));
    submit();
  };
  const steps: Array<() => unknown> = [
    submit,
    submit,
    behindOthers,
    () => wire.printer.set(conditions[random(3)] ?? "paused", true),
    setRight,
    () => time.pass(random(3_000)),
    () => time.pass(random(300_000)),
    () => desk.restart(),
    () => {
      wire.secondsPerKiB = random(2);
    },
    () => desk.dropLine(),
  ];
  if (!firmware.withoutSgd) {
    steps.push(
      async () => {
        await time.pass(TO_THE_PRINTER_MS);
        wire.printer.cancel();
      },
      async () => {
        await time.pass(TO_THE_PRINTER_MS);
        desk.cutPower();
      },
      async () => {
        await time.pass(TO_THE_PRINTER_MS);
        desk.cutPower();
        wire.printer = createPrinter({ ...firmware, pace: () => time.wait(200), odometer: 990 + random(30) });
        printers.push(wire.printer);
        await desk.moveTo(`10.0.0.${printers.length}`);
      },
    );
  }
  for (let step = 0; step < STEPS; step++) {
    await steps[random(steps.length)]?.();
    await time.pass(random(500));
  }
  await setRight();
  wire.secondsPerKiB = 0;
  assert.ok(await time.until(desk.allEnded), `seed ${seed}: a job waits for ever`);
  // What a printer still has of a job that was called failed would come out now.
  await time.pass(600_000);
  const outOf = (id: string) => printers.reduce((sum, printer) => sum + desk.labelsOf(id, printer), 0);
  assertToldTruly(seed, desk.jobs, outOf);
  await desk.close();
}

for (const rfid of [false, true])
  test(`${SEEDS} lives of a printer ${rfid ? "with" : "without"} tags that spoils labels, answers late, loses its power and is swapped: nothing is told that is not so`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await live(seed, rfid);
  });
