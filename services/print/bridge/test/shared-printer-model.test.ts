import assert from "node:assert/strict";
import { test } from "node:test";
import type { TagOutcome } from "@frontdesk/print-simulator/printer";
import { readZpl } from "../src/zpl/formats.ts";
import { numbers } from "./model-world.ts";
import { assertToldTruly } from "./told-truly.ts";
import { zplDesk } from "./zpl-desk.ts";

const SEEDS = Number(process.env.PRINT_ZPL_MODEL_SEEDS ?? 40);
const STEPS = 25;
const LABEL_MS = [50, 200, 1_500] as const;
const CONDITIONS = ["paper-out", "head-open", "paused"] as const;
/** So long a person takes at least for whatever is to be done at the printer. */
const AT_THE_PRINTER_MS = 4_000;
/** Between two things that happen at a printer by chance: what is over sooner than the printer is asked again, nobody sees. */
const APART_MS = 2_000;

/** What design programs and drivers send: several formats, some of several labels, some that print nothing. */
type Shape = (id: string, quantity: () => number) => string;
const label = (id: string, quantity = 1) => `^XA^FX${id};^FO9,9^FDx^FS^PQ${quantity}^XZ`;
const DELETES = "^XA^IDR:000.GRF^FS^XZ";
const SETS = "^XA^MMT^XZ";
const SHAPES: readonly Shape[] = [
  (id) => label(id),
  (id, quantity) => label(id, quantity()),
  (id, quantity) => label(id, quantity()) + DELETES,
  (id, quantity) => label(id, quantity()) + label(id, quantity()) + label(id),
  (id) => SETS + label(id),
  (id) => SETS + label(id, 2) + DELETES + label(id) + DELETES,
];

/** A printer at which another computer prints whenever it likes, and people who change rolls and press CANCEL. */
async function live(seed: number, rfid: boolean): Promise<void> {
  const random = numbers(seed);
  const labelMs = LABEL_MS[random(LABEL_MS.length)] ?? 0;
  const firmware = { emptyFormatsWait: random(2) === 1, readsBackFirst: random(2) === 1 };
  // A void that is cancelled between its tag and its label leaves the label before it untold.
  const mayVoid = !firmware.readsBackFirst;
  const tags = Array.from({ length: 60 }, (): TagOutcome => (mayVoid && random(6) === 0 ? "void" : "ok"));
  const desk = zplDesk({
    rfid,
    printer: (time) => ({ ...firmware, tags: rfid ? tags : [], pace: () => time.wait(labelMs) }),
  });
  const { time, wire } = desk;
  const { printer } = wire;
  const shapeOf = (id: string) => SHAPES[random(SHAPES.length)]?.(id, () => 1 + random(3)) ?? "";
  const withTags = (format: string) =>
    format.replaceAll("^FO9,9", () =>
      random(4) > 0 ? "^RFW,H^FD3034257BF468D480000003E9^FS^FO9,9" : "^FO9,9",
    );
  let submitted = 0;
  const submit = () => {
    const id = `j${++submitted}`;
    const format = rfid ? withTags(shapeOf(id)) : shapeOf(id);
    const copies = 1 + random(3);
    desk.submit(id, readZpl(format).labels * copies, format, copies);
  };
  const printOther = () => printer.open(() => {}).feed(Buffer.from(shapeOf("other").repeat(1 + random(2))));
  const setRight = async () => {
    for (const condition of CONDITIONS) printer.set(condition, false);
    await time.pass(APART_MS);
  };
  const stop = async () => {
    printer.set(CONDITIONS[random(CONDITIONS.length)] ?? "paused", true);
    await time.pass(random(4_000));
    if (random(2) === 0) printOther();
    await time.pass(AT_THE_PRINTER_MS);
  };
  const changeRoll = async () => {
    printer.set("paused", true);
    await time.pass(AT_THE_PRINTER_MS);
    printer.set("head-open", true);
    await time.pass(AT_THE_PRINTER_MS);
    printer.set("head-open", false);
    await time.pass(APART_MS);
    await setRight();
  };
  const cancel = async () => {
    await time.pass(2 * AT_THE_PRINTER_MS);
    printer.cancel();
    await time.pass(APART_MS);
  };
  const steps: Array<() => unknown> = [
    submit,
    submit,
    printOther,
    printOther,
    stop,
    setRight,
    changeRoll,
    cancel,
    () => time.pass(random(3_000)),
    () => time.pass(random(3_000)),
    () => time.pass(random(300_000)),
  ];
  for (let step = 0; step < STEPS; step++) {
    await steps[random(steps.length)]?.();
    await time.pass(random(500));
  }
  await setRight();
  assert.ok(await time.until(desk.allEnded), `seed ${seed}: a job waits for ever`);
  await time.pass(600_000);
  assertToldTruly(seed, desk.jobs, desk.labelsOf);
  await desk.close();
}

for (const rfid of [false, true])
  test(`${SEEDS} lives of a printer ${rfid ? "with" : "without"} tags that another computer uses, too, and at which jobs are cancelled: nothing is told that is not so`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await live(seed, rfid);
  });
