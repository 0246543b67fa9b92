import assert from "node:assert/strict";
import { test } from "node:test";
import type { PrinterOptions } from "@frontdesk/print-simulator/printer";
import { readZpl } from "../src/zpl/formats.ts";
import { numbers } from "./model-world.ts";
import { assertToldTruly } from "./told-truly.ts";
import { zplDesk } from "./zpl-desk.ts";

const SEEDS = Number(process.env.PRINT_ZPL_MODEL_SEEDS ?? 12);
const STEPS = 10;
const LABEL_MS = [50, 300, 1_500] as const;
const LABELS = [1, 1, 10, 10, 50, 300] as const;
const CONDITIONS = ["paper-out", "head-open", "paused"] as const;
/** From a knock at the lid to a walk for another roll. */
const STOP_MS = [800, 4_000, 20_000, 90_000] as const;

/** Firmware that tells all there is, and such that leaves some of it out. */
const TELLS_ALL: readonly PrinterOptions[] = [{}, { emptyFormatsWait: true }];
const FIRMWARE: readonly PrinterOptions[] = [
  ...TELLS_ALL,
  { leftUntilMoved: true },
  { hostStatusOutWhenStopped: true },
  { silentWhenStopped: true },
  { unreadWhenStopped: true },
];

/** The same labels, as pages and drivers send them. */
const SHAPES: ReadonlyArray<(label: string, labels: number) => readonly [format: string, copies: number]> = [
  (label, labels) => [`^XA${label}^PQ${labels}^XZ`, 1],
  (label, labels) => [`^XA${label}^XZ`, labels],
  (label, labels) => [`^XA${label}^XZ`.repeat(labels), 1],
  (label, labels) => [`^XA${label}^PQ${labels}^XZ^XA^IDR:X.GRF^FS^XZ`, 1],
];

/** An ordinary day: rolls run out and are changed, lids are opened, somebody presses PAUSE. Nothing is cancelled or cut off. */
async function live(seed: number, isShared: boolean): Promise<void> {
  const random = numbers(seed);
  const one = <T>(of: readonly T[]) => of[random(of.length)] as T;
  const labelMs = one(LABEL_MS);
  const firmware = one(FIRMWARE);
  const desk = zplDesk({
    answersOutlive: random(4) === 0,
    printer: (time) => ({ ...firmware, pace: () => time.wait(labelMs), questionPace: () => time.wait(10) }),
  });
  const { time } = desk;
  const { printer } = desk.wire;
  let submitted = 0;
  const submit = () => {
    const id = `j${++submitted}`;
    const [format, copies] = one(SHAPES)(`^FX${id};^FO9,9^FDx^FS`, one(LABELS));
    desk.submit(id, readZpl(format).labels * copies, format, copies);
  };
  const printOther = () => {
    const label = `^XA^FXother;^FO9,9^FDx^FS^PQ${1 + random(5)}^XZ`;
    printer.open(() => {}).feed(Buffer.from(label.repeat(1 + random(3))));
  };
  const stop = async () => {
    const condition = one(CONDITIONS);
    printer.set(condition, true);
    await time.pass(one(STOP_MS));
    if (isShared && random(3) === 0) printOther();
    printer.set(condition, false);
    await time.pass(one([300, 3_000, 15_000]));
  };
  const changeRoll = async () => {
    printer.set("paper-out", true);
    await time.pass(5_000);
    printer.set("head-open", true);
    printer.set("paper-out", false);
    await time.pass(8_000);
    printer.set("paused", true);
    printer.set("head-open", false);
    await time.pass(2_000);
    printer.set("paused", false);
    await time.pass(1_000);
  };
  const steps: Array<() => unknown> = [
    submit,
    stop,
    changeRoll,
    () => time.pass(random(3_000)),
    () => time.pass(random(20_000)),
  ];
  if (isShared) steps.push(printOther, printOther);
  submit();
  for (let step = 0; step < STEPS; step++) {
    await one(steps)();
    await time.pass(random(500));
  }
  assert.ok(await time.until(desk.allEnded), `seed ${seed}: a job waits for ever`);
  await time.pass(600_000);
  assertToldTruly(seed, desk.jobs, desk.labelsOf);
  for (const [id, { state }] of desk.jobs) {
    assert.notEqual(state, "Failed", `seed ${seed}, ${id}`);
    if (TELLS_ALL.includes(firmware) && !isShared) assert.equal(state, "Done", `seed ${seed}, ${id}`);
  }
  await desk.close();
}

for (const isShared of [false, true])
  test(`${SEEDS} ordinary days of a printer ${isShared ? "that another computer uses, too" : "of its own"}: every label comes out, and no job is called failed`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await live(seed, isShared);
  });
