import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";
import { type DeskOptions, zplDesk } from "./zpl-desk.ts";

const EPC = "3034257BF468D480000003E9";
const RECOVER_MS = 30_000;
/** More than the line takes at once. */
const long = (id: string, more = "") => `^XA^FX${id};${more}^FO9,9^FD${"x".repeat(3_000)}^FS^XZ`;

/** A printer whose parser outlives connections, and half a label in it. */
async function withHalf(how: "dropLine" | "restart", more: DeskOptions = {}, label?: string) {
  const desk = zplDesk({ answersOutlive: true, ...more });
  desk.submit("first");
  await desk.time.until(desk.allEnded);
  desk.wire.secondsPerKiB = 1;
  desk.submit("cut", 1, label ?? long("cut", more.rfid ? `^RFW,H^FD${EPC}^FS` : ""));
  desk.submit("next");
  if (label === undefined) await desk.time.until(() => desk.wire.printer.situation.partialFormat);
  else await desk.time.pass(5_000);
  desk.wire.secondsPerKiB = 0;
  desk[how]();
  return desk;
}

for (const how of ["dropLine", "restart"] as const)
  for (const more of [{}, { printer: () => ({ withoutSgd: true }) }, { rfid: true }] satisfies DeskOptions[])
    test(`half a label in the printer (${how}, ${Object.keys(more)[0] ?? "with a counter"}) is dropped after a while, and the next job comes out`, async () => {
      const desk = await withHalf(how, more);
      const { time, wire } = desk;
      await time.pass(RECOVER_MS / 2);
      const status = desk.queue.status();
      await time.pass(1_000);
      assert.notEqual((await status).state, "ready");
      assert.equal(wire.printer.situation.partialFormat, true);
      assert.equal(desk.labelsOf("next"), 0);
      assert.ok(await time.until(desk.allEnded));
      assert.equal(wire.printer.situation.partialFormat, false);
      assert.match(desk.job("cut").state, /Failed|Unknown/);
      assert.equal(desk.labelsOf("cut"), 0);
      assert.deepEqual([desk.job("next").state, desk.labelsOf("next")], ["Done", 1]);
      await desk.close();
    });

const BYTES = 100_000;
const picture = (bytes: number) => `^XA^FXcut;^FO9,9^GFB,${bytes},${bytes},100,${"\x01".repeat(bytes)}^FS^XZ`;
const PICTURES = {
  "^GFB": picture(BYTES),
  "~DY": `~DYR:CUT,B,G,${BYTES},100,${"~\x01^".repeat(BYTES).slice(0, BYTES)}^XA^FXcut;^FO9,9^XGR:CUT^FS^XZ`,
};
for (const how of ["dropLine", "restart"] as const)
  for (const more of [{}, { printer: () => ({ withoutSgd: true }) }] satisfies DeskOptions[])
    for (const [command, label] of Object.entries(PICTURES))
      test(`half a picture in the printer (${command}, ${how}, ${Object.keys(more)[0] ?? "with a counter"}) is ended blank after a while, and the next job comes out`, async () => {
        const desk = await withHalf(how, more, label);
        const { time } = desk;
        await time.pass(RECOVER_MS / 2);
        assert.equal(desk.labelsOf("next"), 0);
        await time.pass(5 * RECOVER_MS);
        assert.ok(desk.allEnded());
        assert.match(desk.job("cut").state, /Failed|Unknown/);
        assert.equal(desk.labelsOf("cut"), 0);
        assert.deepEqual([desk.job("next").state, desk.labelsOf("next")], ["Done", 1]);
        await desk.close();
      });

for (const [what, label] of Object.entries({ label: undefined, picture: picture(BYTES) }))
  test(`half a ${what} of a job that was told unknown is known of after a restart, and the next job comes out`, async () => {
    const desk = await withHalf("dropLine", { printer: () => ({ withoutSgd: true }) }, label);
    await desk.time.until(() => desk.job("cut").state === "Unknown");
    desk.restart();
    await desk.time.pass(6 * RECOVER_MS);
    assert.deepEqual([desk.job("next").state, desk.labelsOf("next")], ["Done", 1]);
    assert.equal(desk.labelsOf("cut"), 0);
    await desk.close();
  });

for (const answersOutlive of [true, false])
  test(`the next job does not leave into half a label while what came before it is printed (${answersOutlive ? "serial" : "print server"})`, async () => {
    const desk = zplDesk({
      answersOutlive,
      printer: (time) => ({ withoutSgd: true, oneParser: true, pace: () => time.wait(20_000) }),
    });
    const { time, wire } = desk;
    desk.submit("first");
    await time.until(desk.allEnded);
    wire.secondsPerKiB = 1;
    desk.submit("cut", 3, long("cut"));
    desk.submit("next", 1, long("next"));
    await time.pass(5_000);
    wire.secondsPerKiB = 0;
    desk.dropLine();
    await time.pass(4_000);
    assert.equal(wire.printer.situation.partialFormat, true);
    assert.equal(desk.job("next").state, "Held");
    assert.ok(await time.until(desk.allEnded));
    assert.deepEqual([desk.job("next").state, desk.labelsOf("next")], ["Done", 1]);
    await desk.close();
  });

test("half a picture in a printer that takes nothing for long is ended soon after it goes on", async () => {
  const desk = await withHalf("dropLine", { printer: () => ({ withoutSgd: true }) }, picture(30_000));
  desk.wire.secondsPerKiB = Number.POSITIVE_INFINITY;
  await desk.time.pass(20 * RECOVER_MS);
  desk.wire.secondsPerKiB = 0;
  await desk.time.pass(6 * RECOVER_MS);
  assert.deepEqual([desk.job("next").state, desk.labelsOf("next")], ["Done", 1]);
  await desk.close();
});

test("a job that comes while the printer is asked for the first time after a break does not leave into a half label", async () => {
  const desk = zplDesk({ rfid: true, printer: () => ({ oneParser: true }) });
  const { time, wire } = desk;
  const tagged = (id: string) => long(id, `^RFW,H^FD${EPC}^FS`);
  desk.submit("first", 1, tagged("first"));
  await time.until(desk.allEnded);
  wire.secondsPerKiB = 1;
  desk.submit("cut", 2, tagged("cut"));
  await time.until(() => desk.labelsOf("cut") === 1 && wire.printer.situation.partialFormat);
  wire.isAway = true;
  desk.dropLine();
  await time.pass(5_000);
  wire.isAway = false;
  void desk.queue.status().catch(() => {});
  await time.pass(100);
  desk.submit("next", 1, tagged("next"));
  await time.pass(300);
  assert.deepEqual([desk.job("cut").state, desk.job("next").state], ["Unknown", "Queued"]);
  wire.secondsPerKiB = 0;
  assert.ok(await time.until(desk.allEnded));
  assert.deepEqual([desk.job("next").state, desk.labelsOf("next")], ["Done", 1]);
  await desk.close();
});

test("another program's unfinished label does not keep a job with tags from ending", async () => {
  const desk = zplDesk({ rfid: true, printer: () => ({ tags: Array.from({ length: 5 }, () => "void") }) });
  desk.wire.printer.open(() => {}).feed(Buffer.from("^XA^FDhalf"));
  desk.submit("tag", 1, `^XA^FXtag;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`);
  assert.ok(await desk.time.until(desk.allEnded));
  assert.equal(desk.job("tag").error?.code, "RFID_VOID_LIMIT");
  assert.equal(desk.wire.printer.situation.partialFormat, true, "it is not ours to drop");
  await desk.close();
});

test("nothing is said not to have been printed while it may still come out of a box before the printer", async () => {
  const desk = zplDesk();
  desk.submit("first");
  await desk.time.until(desk.allEnded);
  desk.wire.lagMs = RECOVER_MS / 2;
  desk.submit("late");
  await desk.time.pass(1_000);
  desk.wire.lagMs = 0;
  desk.dropLine();
  assert.ok(await desk.time.until(desk.allEnded));
  await desk.time.pass(RECOVER_MS);
  assert.deepEqual([desk.job("late").state, desk.labelsOf("late")], ["Done", 1]);
  await desk.close();
});

test("behind a print server, a line that breaks in the middle of a label costs that label and no other", async (t) => {
  const { printer, listener, address } = await simulator(t, { oneParser: true });
  const b = await bridge(t, { env: { PRINT_RECOVER_MS: "500" } });
  b.addPrinter({ id: "dock", transport: "tcp", address });
  const page = await admitted(t, b.url, b.allow());
  const raw = (data: string) => page.jobId("print.raw", { printer: "dock", data });
  assert.equal((await page.ended(await raw(LABEL))).state, "Done");
  listener.faults.dropAtByte = listener.received.bytes + 1_000;
  const cut = await raw(long("cut"));
  const next = await raw(LABEL);
  await until("half of it is there", () => printer.situation.partialFormat);
  const { state } = await page.ask("printers.status", { printer: "dock" });
  if (printer.situation.partialFormat) assert.notEqual(state, "ready");
  assert.match((await page.ended(cut)).state, /Failed|Unknown/);
  assert.equal((await page.ended(next)).state, "Done");
  assert.equal(printer.labels.length, 2);
});

for (const line of ["serial line", "print server"] as const)
  test(`half a label on a ${line} is known of after a restart, though the printer leaves ~HS out while it is stopped`, async () => {
    const desk = zplDesk({
      answersOutlive: line === "serial line",
      printer: (time) => ({
        oneParser: line === "print server",
        hostStatusOutWhenStopped: true,
        withoutSgd: true,
        pace: () => time.wait(200),
      }),
    });
    const { time, wire } = desk;
    wire.secondsPerKiB = 1;
    desk.submit("cut", 1, long("cut"));
    desk.submit("next", 1, long("next"));
    await time.until(() => wire.printer.situation.partialFormat);
    wire.printer.set("paper-out", true);
    desk.restart();
    await time.pass(10_000);
    wire.printer.set("paper-out", false);
    await time.until(() => desk.job("next").started);
    assert.equal(wire.printer.situation.partialFormat, false);
    assert.ok(await time.until(desk.allEnded, 600_000));
    assert.deepEqual(
      [desk.job("cut").state, desk.job("next").state, desk.labelsOf("cut"), desk.labelsOf("next")],
      ["Unknown", "Done", 0, 1],
    );
    await desk.close();
  });
