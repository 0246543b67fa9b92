import assert from "node:assert/strict";
import { test } from "node:test";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { zplDesk } from "./zpl-desk.ts";

type Desk = ReturnType<typeof zplDesk>;
const TAG = "^RFW,H^FD3034257BF468D480000003E9^FS";
const paced = (time: Desk["time"]) => ({ pace: () => time.wait(200) });
const told = (desk: Desk, id: string) => {
  const { state, verification, count } = desk.job(id);
  return [state, verification, count.printed];
};

/** The roll ends in the middle of the last label of a job: it moves the counter, and remains to be printed. */
async function spoiltAtLast(labels: number): Promise<Desk> {
  const desk = zplDesk({ printer: paced });
  const { printer } = desk.wire;
  const before = printer.counters.odometer;
  desk.submit("job", labels);
  await desk.time.until(() => desk.labelsOf("job") === labels - 1 && printer.situation.labelsRemaining === 1);
  printer.set("paper-out", true);
  await desk.time.until(
    () => desk.job("job").state === "Held" && printer.counters.odometer === before + labels,
  );
  await desk.time.pass(60_000);
  assert.equal(desk.job("job").count.printed, labels - 1);
  return desk;
}

for (const labels of [1, 2]) {
  test(`a job of ${labels} whose last label was spoilt is not done by its counter: after a power cycle it is unknown`, async () => {
    const desk = await spoiltAtLast(labels);
    desk.cutPower();
    desk.wire.printer.set("paper-out", false);
    await desk.time.until(desk.allEnded);
    assert.deepEqual(told(desk, "job"), ["Unknown", labels > 1 ? "printer" : "none", labels - 1]);
    await desk.close();
  });
}

test("a spoilt label is known after a restart of the bridge too", async () => {
  const desk = await spoiltAtLast(2);
  desk.restart();
  desk.cutPower();
  desk.wire.printer.set("paper-out", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Unknown", "printer", 1]);
  await desk.close();
});

test("a spoilt label that somebody cancels at the printer leaves the job unknown; printed again, it is done", async () => {
  const cancelled = await spoiltAtLast(1);
  cancelled.wire.printer.cancel();
  cancelled.wire.printer.set("paper-out", false);
  await cancelled.time.until(cancelled.allEnded);
  assert.deepEqual(told(cancelled, "job"), ["Unknown", "none", 0]);
  await cancelled.close();

  const again = await spoiltAtLast(2);
  again.wire.printer.set("paper-out", false);
  await again.time.until(again.allEnded);
  assert.deepEqual(told(again, "job"), ["Done", "printer", 2]);
  assert.equal(again.labelsOf("job"), 2);
  await again.close();
});

test("a pause in the middle of a label spoils nothing, however it is polled", async () => {
  const desk = zplDesk({ printer: paced });
  desk.submit("job", 3);
  for (let pauses = 0; pauses < 10; pauses++) {
    desk.wire.printer.set("paused", true);
    await desk.time.pass(90 * pauses);
    desk.wire.printer.set("paused", false);
    await desk.time.pass(50);
  }
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Done", "printer", 3]);
  await desk.close();
});

for (const [what, odometer] of [
  ["a higher counter", 50_000],
  ["a lower counter", 7],
  ["by chance the counter that the job would have left", 1_010],
] as const) {
  test(`a job held at three of ten, and another printer in its place with ${what}: three are printed, nobody can tell of the rest`, async () => {
    const desk = zplDesk({ printer: paced });
    desk.submit("job", 10);
    await desk.time.until(() => desk.job("job").count.printed >= 3);
    desk.wire.printer.set("head-open", true);
    await desk.time.until(() => desk.job("job").state === "Held");
    await desk.time.pass(10_000);
    const { printed } = desk.job("job").count;
    desk.wire.printer = createPrinter({ ...paced(desk.time), odometer });
    await desk.moveTo("10.0.0.2");
    await desk.time.until(desk.allEnded);
    assert.deepEqual(told(desk, "job"), ["Unknown", "printer", printed]);
    assert.ok(printed < 10);
    await desk.close();
  });
}

test("a counter that others moved while the bridge was down tells nothing of the job", async () => {
  const desk = zplDesk({ printer: paced });
  const { printer } = desk.wire;
  desk.submit("job", 10);
  await desk.time.until(() => desk.job("job").count.printed >= 3);
  printer.set("head-open", true);
  await desk.time.pass(10_000);
  const { printed } = desk.job("job").count;
  desk.cutPower();
  printer.set("head-open", false);
  printer.counters.odometer += 40;
  desk.restart();
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Unknown", "printer", printed]);
  await desk.close();
});

test("a machine that slept gives a printer that is not there at once the same time as ever", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(200) }) });
  desk.submit("held", 3);
  await desk.time.until(() => desk.labelsOf("held") === 1);
  desk.wire.printer.set("paused", true);
  desk.restart();
  await desk.time.until(() => desk.job("held").state === "Held");
  desk.time.sleep(3_600_000);
  desk.wire.isAway = true;
  desk.dropLine();
  await desk.time.pass(5_000);
  assert.equal(desk.job("held").state, "Held");
  desk.wire.isAway = false;
  desk.wire.printer.set("paused", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([desk.job("held").state, desk.labelsOf("held")], ["Done", 3]);
  await desk.close();
});

for (const firmware of ["silentWhenStopped", "unreadWhenStopped", "hostStatusOutWhenStopped"] as const) {
  /** As above, at firmware that tells nothing of the stop, or not what it has left. */
  const spoiltInSilence = async (labels = 1, rfid = false): Promise<Desk> => {
    const desk = zplDesk({
      rfid,
      printer: (time) => ({ ...paced(time), [firmware]: true, readsBackFirst: true }),
    });
    const { printer } = desk.wire;
    const tag = rfid ? "^RFW,H^FD3034257BF468D480000003E9^FS" : "";
    const format = (id: string) => `^XA^FX${id};${tag}^FO9,9^FDx^FS^XZ`;
    desk.submit("first", 1, format("first"));
    await desk.time.until(desk.allEnded);
    desk.submit("job", labels, format("job"));
    await desk.time.until(
      () => desk.labelsOf("job") === labels - 1 && printer.situation.labelsRemaining === 1,
    );
    printer.set("paper-out", true);
    await desk.time.until(() => desk.job("job").state === "Held");
    await desk.time.pass(60_000);
    assert.ok(desk.job("job").count.printed < labels);
    return desk;
  };

  test(`${firmware}: a label that was cut off is not done by its counter, switched off or cancelled; printed again, it is`, async () => {
    for (const how of ["power", "cancel", "restart and cancel"] as const) {
      const desk = await spoiltInSilence();
      if (how === "power") desk.cutPower();
      if (how === "restart and cancel") desk.restart();
      if (how !== "power") desk.wire.printer.cancel();
      desk.wire.printer.set("paper-out", false);
      await desk.time.until(desk.allEnded);
      assert.deepEqual([how, ...told(desk, "job")], [how, "Unknown", "none", 0]);
      assert.equal(desk.labelsOf("job"), 0);
      await desk.close();
    }
    const again = await spoiltInSilence(2);
    again.wire.printer.set("paper-out", false);
    await again.time.until(again.allEnded);
    assert.deepEqual([...told(again, "job"), again.labelsOf("job")], ["Done", "printer", 2, 2]);
    await again.close();
  });

  test(`${firmware}: a label whose tag was read back before it was cut off and cancelled is not called encoded; printed again, it is`, async () => {
    for (const how of ["power", "cancel"] as const) {
      const desk = await spoiltInSilence(2, true);
      if (how === "power") desk.cutPower();
      else desk.wire.printer.cancel();
      desk.wire.printer.set("paper-out", false);
      await desk.time.until(desk.allEnded);
      assert.deepEqual([how, ...told(desk, "job")], [how, "Unknown", "rfid", 1]);
      await desk.close();
    }
    const again = await spoiltInSilence(2, true);
    again.wire.printer.set("paper-out", false);
    await again.time.until(again.allEnded);
    assert.deepEqual([...told(again, "job"), again.labelsOf("job")], ["Done", "rfid", 2, 2]);
    await again.close();
  });

  test(`${firmware}: a stop that cut off nothing is known by what the printer has left when it goes on`, async () => {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(2_000), [firmware]: true }) });
    const { printer } = desk.wire;
    desk.submit("job", 4);
    await desk.time.until(() => desk.labelsOf("job") === 1);
    printer.set("paused", true);
    await desk.time.until(() => desk.job("job").state === "Held");
    printer.set("paused", false);
    await desk.time.until(desk.allEnded);
    assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", 4, 4]);
    await desk.close();
  });
}

test("formats of several labels each: a label that was cut off is counted though the printer does not tell all it has left", async () => {
  const desk = zplDesk({ printer: paced });
  const { printer } = desk.wire;
  const label = "^XA^FXjob;^FO9,9^FDx^FS^PQ2^XZ";
  desk.submit("job", 4, label + label, 1);
  await desk.time.until(
    () => printer.situation.formatsWaiting === 1 && printer.situation.labelsRemaining === 2,
  );
  printer.set("paper-out", true);
  await desk.time.until(() => desk.job("job").state === "Held");
  await desk.time.pass(10_000);
  printer.set("paper-out", false);
  await desk.time.until(() => desk.labelsOf("job") === 3);
  desk.cutPower();
  await desk.time.until(desk.allEnded);
  assert.deepEqual([desk.job("job").state, desk.labelsOf("job")], ["Unknown", 3]);
  await desk.close();
});

test("formats of several labels each: a label that was cut off is never told as printed", async () => {
  for (let at = 400; at < 800; at += 40) {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(400) }) });
    const { printer } = desk.wire;
    desk.submit("job", 6, "^XA^FXjob;^FO9,9^FDx^FS^PQ3^XZ", 2);
    await desk.time.pass(at);
    printer.set("paper-out", true);
    await desk.time.pass(30_000);
    assert.equal(desk.job("job").count.printed, desk.labelsOf("job"), `${at} ms`);
    printer.cancel();
    printer.set("paper-out", false);
    await desk.time.until(desk.allEnded);
    assert.deepEqual(
      [desk.job("job").state, desk.job("job").count.printed],
      ["Unknown", desk.labelsOf("job")],
    );
    await desk.close();
  }
});

test("formats of several labels each: a roll that is changed in a pause cuts off nothing, nor does a restart of the bridge afterwards", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(1_000) }) });
  const { printer } = desk.wire;
  desk.submit("job", 9, "^XA^FXjob;^FO9,9^FDx^FS^PQ3^XZ", 3);
  await desk.time.until(() => desk.labelsOf("job") === 1);
  await desk.time.pass(500);
  printer.set("paused", true);
  await desk.time.pass(3_000);
  printer.set("head-open", true);
  await desk.time.pass(20_000);
  desk.restart();
  await desk.time.pass(20_000);
  printer.set("head-open", false);
  printer.set("paused", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", 9, 9]);
  await desk.close();
});

/** A job of long labels whose line breaks while its last label is on its way. */
async function cutOff(id: string, labels: number, ready: (desk: ReturnType<typeof zplDesk>) => boolean) {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(1_000) }) });
  const { time, wire } = desk;
  desk.submit("first");
  await time.until(desk.allEnded);
  wire.secondsPerKiB = 1;
  desk.submit(id, labels, `^XA^FX${id};^FO9,9^FD${"x".repeat(3_000)}^FS^XZ`);
  await time.until(() => ready(desk));
  return desk;
}

test("a job whose last bytes never left is not done by labels that others print meanwhile", async () => {
  const desk = await cutOff("cut", 1, ({ wire }) => wire.printer.situation.partialFormat);
  const { time, wire } = desk;
  Object.assign(wire, { isAway: true, secondsPerKiB: 0 });
  desk.dropLine();
  await time.pass(5_000);
  wire.printer.open(() => {}).feed(Buffer.from("^XA^FO9,9^FDof another computer^FS^XZ"));
  await time.pass(5_000);
  wire.isAway = false;
  await time.until(desk.allEnded);
  const { state, count } = desk.job("cut");
  assert.deepEqual([state, count.printed, desk.labelsOf("cut")], ["Unknown", 0, 0]);
  await desk.close();
});

test("a job whose last bytes never left is not done by a label that was spoilt and printed again", async () => {
  const desk = await cutOff("two", 2, ({ wire }) => wire.printer.situation.labelsRemaining > 0);
  const { time, wire } = desk;
  wire.printer.set("paper-out", true);
  await time.pass(100);
  Object.assign(wire, { isAway: true, secondsPerKiB: 0 });
  desk.dropLine();
  await time.pass(12_000);
  wire.printer.set("paper-out", false);
  await time.pass(5_000);
  wire.isAway = false;
  await time.until(desk.allEnded);
  assert.deepEqual([desk.job("two").state, desk.labelsOf("two")], ["Unknown", 1]);
  await desk.close();
});

test("a stop that only an answer without the rest tells of is counted after a restart of the bridge, too", async () => {
  for (let stoppedMs = 0; stoppedMs <= 3_000; stoppedMs += 100) {
    const desk = zplDesk({
      printer: (time) => ({ pace: () => time.wait(3_000), hostStatusOutWhenStopped: true }),
    });
    const { printer } = desk.wire;
    const before = printer.counters.odometer;
    desk.submit("job");
    await desk.time.pass(500);
    desk.restart();
    await desk.time.pass(1_500);
    printer.set("paper-out", true);
    await desk.time.until(() => printer.counters.odometer > before);
    await desk.time.pass(stoppedMs);
    printer.cancel();
    printer.set("paper-out", false);
    await desk.time.until(desk.allEnded);
    const told = [desk.job("job").state, desk.job("job").count.printed, desk.labelsOf("job")];
    assert.deepEqual(told, ["Unknown", 0, 0], `${stoppedMs} ms`);
    await desk.close();
  }
});

test("a silent stop that a restart of the bridge parts is counted: cancelled, its job is unknown; gone on with, it is done", async () => {
  for (const silentMs of [1_000, 3_000, 5_000, 8_000, 20_000])
    for (const end of ["cancelled", "printed again", "cut off nothing"] as const) {
      const desk = zplDesk({
        printer: (time) => ({ unreadWhenStopped: true, pace: () => time.wait(2_000) }),
      });
      const { printer } = desk.wire;
      desk.submit("job", 3);
      await desk.time.until(() => desk.labelsOf("job") === (end === "cut off nothing" ? 1 : 2));
      await desk.time.pass(1_000);
      printer.set(end === "cut off nothing" ? "paused" : "head-open", true);
      await desk.time.pass(silentMs);
      desk.restart();
      await desk.time.pass(Math.max(5_000, silentMs));
      if (end === "cancelled") printer.cancel();
      for (const condition of ["paused", "head-open"] as const) printer.set(condition, false);
      await desk.time.until(desk.allEnded);
      const { state } = desk.job("job");
      const where = `${end}, ${silentMs}: out ${desk.labelsOf("job")}`;
      assert.equal(state, end === "cancelled" ? "Unknown" : "Done", where);
      await desk.close();
    }
});

test("RFID: a voided label moves the counter, and does not stand for one that was cancelled after its tag was read back", async () => {
  const desk = zplDesk({
    rfid: true,
    printer: (time) => ({ readsBackFirst: true, tags: ["void", "ok"], pace: () => time.wait(1_000) }),
  });
  desk.submit("job", 1, "^XA^FXjob;^RFW,H^FD3034257BF468D480000003E9^FS^FO9,9^FDx^FS^XZ");
  await desk.time.until(() => desk.wire.printer.counters.valid === 1);
  await desk.time.pass(500);
  desk.wire.printer.cancel();
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "rfid", 0, 0]);
  await desk.close();
});

test("RFID: a plain label among tagged ones that was cut off is not done by its counter", async () => {
  const desk = zplDesk({ rfid: true, printer: paced });
  const { printer } = desk.wire;
  desk.submit("job");
  await desk.time.until(() => printer.situation.labelsRemaining === 1);
  printer.set("paper-out", true);
  await desk.time.pass(10_000);
  printer.cancel();
  printer.set("paper-out", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "none", 0, 0]);
  await desk.close();
});

for (const firmware of ["silentWhenStopped", "unreadWhenStopped", "hostStatusOutWhenStopped"] as const) {
  test(`${firmware}: a roll that is changed in a pause cuts off nothing`, async () => {
    for (const copies of [1, 6])
      for (const condition of ["head-open", "paper-out"] as const) {
        const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(2_000), [firmware]: true }) });
        const { printer } = desk.wire;
        desk.submit("job", 6, `^XA^FXjob;^FO9,9^FDx^FS^PQ${6 / copies}^XZ`, copies);
        await desk.time.until(() => desk.labelsOf("job") === 1);
        await desk.time.pass(500);
        printer.set("paused", true);
        await desk.time.pass(5_000);
        printer.set(condition, true);
        await desk.time.pass(20_000);
        printer.set(condition, false);
        await desk.time.pass(5_000);
        printer.set("paused", false);
        await desk.time.until(desk.allEnded);
        assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", 6, 6]);
        await desk.close();
      }
  });
}

test("a roll that is changed when the printer has said that all is out cuts off nothing", async () => {
  for (const labels of [1, 3]) {
    const desk = zplDesk({
      printer: (time) => ({ pace: () => time.wait(1_000), hostStatusOutWhenStopped: true }),
    });
    const { printer } = desk.wire;
    desk.submit("job", labels);
    await desk.time.until(() => desk.labelsOf("job") === labels - 1 && printer.situation.labelsRemaining > 0);
    await desk.time.pass(500);
    printer.set("paused", true);
    await desk.time.pass(4_000);
    printer.set("head-open", true);
    await desk.time.pass(20_000);
    printer.set("head-open", false);
    await desk.time.pass(3_000);
    printer.set("paused", false);
    await desk.time.until(desk.allEnded);
    assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", labels, labels]);
    await desk.close();
  }
});

for (const firmware of ["silentWhenStopped", "unreadWhenStopped", "hostStatusOutWhenStopped"] as const) {
  test(`${firmware}: RFID: a pause does not end a job whose tags are read back with their labels`, async () => {
    const desk = zplDesk({
      rfid: true,
      printer: (time) => ({ pace: () => time.wait(1_000), [firmware]: true }),
    });
    desk.submit("job", 5, `^XA^FXjob;${TAG}^FO9,9^FDx^FS^XZ`);
    for (const out of [1, 3]) {
      await desk.time.until(() => desk.labelsOf("job") === out);
      await desk.time.pass(500);
      desk.wire.printer.set("paused", true);
      await desk.time.pass(20_000);
      desk.wire.printer.set("paused", false);
    }
    await desk.time.until(desk.allEnded);
    assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "rfid", 5, 5]);
    await desk.close();
  });
}

test("RFID: a printer whose counter does not move by voided labels has its jobs done", async () => {
  const desk = zplDesk({
    rfid: true,
    printer: (time) => ({ tags: ["ok", "void"], pace: () => time.wait(2_000) }),
  });
  const { printer } = desk.wire;
  desk.wire.alters = (text) =>
    text === `"${printer.counters.odometer}"`
      ? `"${printer.counters.odometer - printer.labels.filter(({ voided }) => voided).length}"`
      : text;
  desk.submit("job", 3, `^XA^FXjob;${TAG}^FO9,9^FDx^FS^XZ`);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "rfid", 3, 3]);
  await desk.close();
});

test("RFID: a void counter that somebody sets back does not stand for a label that was cancelled", async () => {
  const desk = zplDesk({
    rfid: true,
    printer: (time) => ({ readsBackFirst: true, pace: () => time.wait(1_000) }),
  });
  const { printer } = desk.wire;
  printer.counters.voids = 57;
  desk.submit("job", 1, `^XA^FXjob;${TAG}^FO9,9^FDx^FS^XZ`);
  await desk.time.until(() => printer.counters.valid === 1);
  printer.counters.voids = 0;
  await desk.time.pass(500);
  printer.cancel();
  await desk.time.until(desk.allEnded);
  assert.notEqual(desk.job("job").state, "Done");
  assert.deepEqual([desk.job("job").count.printed, desk.labelsOf("job")], [0, 0]);
  await desk.close();
});
