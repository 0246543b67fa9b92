import assert from "node:assert/strict";
import { test } from "node:test";
import { zplDesk } from "./zpl-desk.ts";

type Desk = ReturnType<typeof zplDesk>;
const told = (desk: Desk, id: string) => {
  const { state, verification, count } = desk.job(id);
  return [state, verification, count.printed];
};

/** Another computer's labels are being printed when a job comes. */
async function behindOthers(pace: number): Promise<Desk> {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(pace) }) });
  desk.submit("first");
  await desk.time.until(desk.allEnded);
  const label = "^XA^FXother;^FO9,9^FDx^FS^PQ2^XZ";
  desk.wire.printer.open(() => {}).feed(Buffer.from(label.repeat(3)));
  desk.submit("job", 5, "^XA^FXjob;^FO9,9^FDx^FS^PQ5^XZ", 1);
  return desk;
}

test("labels of others that are printed before a job are none of its own", async () => {
  const desk = await behindOthers(3_000);
  for (let out = 0; out <= 5; out++) {
    await desk.time.until(() => desk.labelsOf("job") === out && desk.wire.printer.labels.length >= 7 + out);
    await desk.time.pass(1_000);
    assert.equal(desk.job("job").count.printed, out);
  }
  await desk.time.until(desk.allEnded);
  assert.deepEqual(told(desk, "job"), ["Done", "printer", 5]);
  await desk.close();
});

test("a job behind others that is cancelled before its first label is not done by theirs, nor after a restart", async () => {
  for (const how of ["cancel", "restart", "dropLine"] as const) {
    const desk = await behindOthers(3_000);
    await desk.time.until(() => desk.labelsOf("other") === 2);
    assert.equal(desk.job("job").state, "Printing");
    if (how !== "cancel") desk[how]();
    await desk.time.until(() => desk.labelsOf("other") === 6);
    desk.wire.printer.cancel();
    await desk.time.until(desk.allEnded);
    const { state, count } = desk.job("job");
    assert.ok(state === "Unknown" || state === "Failed", `${how}: ${state}`);
    assert.deepEqual([count.printed, desk.labelsOf("job")], [0, 0]);
    await desk.close();
  }
});

test("a job behind others that was never seen alone in the printer is unknown", async () => {
  const desk = await behindOthers(1);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "none", 0, 5]);
  await desk.close();
});

test("RFID: a label that others sent just before a format does not stand for one that was cancelled after its tag was read back", async () => {
  const desk = zplDesk({
    rfid: true,
    printer: (time) => ({ readsBackFirst: true, pace: () => time.wait(3_000) }),
  });
  const { printer } = desk.wire;
  let counters = 0;
  // With the second counter of the last answer before the format leaves.
  desk.wire.alters = (text) => {
    if (desk.job("job").started && text.startsWith('"') && ++counters === 2)
      printer.open(() => {}).feed(Buffer.from("^XA^FXother;^FO9,9^FDx^FS^XZ"));
    return text;
  };
  desk.submit("job", 1, "^XA^FXjob;^RFW,H^FD3034257BF468D480000003E9^FS^FO9,9^FDx^FS^XZ");
  await desk.time.until(() => desk.labelsOf("other") === 1 && printer.counters.valid === 1);
  printer.cancel();
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "none", 0, 0]);
  await desk.close();
});

/**
 * The simulator carries out a format that prints nothing at once; this printer does so in its turn. `each`: how many formats
 * a label has, the last of which prints nothing.
 */
const countsEmpty = (desk: Desk, each: number) => {
  desk.wire.alters = (text) =>
    desk.wire.printer.situation.labelsRemaining === 0
      ? text
      : text.replace(
          /(\d{3},\d,\d,\d{4},)(\d{3})/,
          (_, head: string, waiting: string) => head + String(each * Number(waiting) + 1).padStart(3, "0"),
        );
};

test("formats that print nothing, as drivers send them behind each label, are the job's own while they wait", async () => {
  for (const copies of [1, 2, 5])
    for (const before of ["", "^XA^DFR:LABEL.ZPL^FS^FO9,9^FN1^FS^XZ"]) {
      const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(1_000) }) });
      countsEmpty(desk, before ? 3 : 2);
      desk.submit("job", copies, `${before}^XA^FXjob;^FO9,9^FDx^FS^XZ^XA^IDR:000.GRF^FS^XZ`, copies);
      await desk.time.until(desk.allEnded);
      assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", copies, copies]);
      await desk.close();
    }
});

const DELETES = "^XA^IDR:000.GRF^FS^XZ";

for (const isCounted of [true, false])
  test(`a roll that is changed in a pause cuts off nothing of what drivers send; formats that print nothing wait: ${isCounted}`, async () => {
    for (const [quantity, copies] of [
      [3, 1],
      [1, 3],
      [2, 2],
    ] as const) {
      const labels = quantity * copies;
      const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(1_000) }) });
      const { printer } = desk.wire;
      if (isCounted) countsEmpty(desk, 2);
      desk.submit("job", labels, `^XA^FXjob;^FO9,9^FDx^FS^PQ${quantity}^XZ${DELETES}`, copies);
      await desk.time.pass(1_300);
      printer.set("paused", true);
      await desk.time.pass(3_000);
      printer.set("head-open", true);
      await desk.time.pass(20_000);
      printer.set("head-open", false);
      printer.set("paused", false);
      await desk.time.until(desk.allEnded);
      assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", labels, labels]);
      await desk.close();
    }
  });

test("what a driver sends behind others' labels is done by its own", async () => {
  for (const quantity of [1, 2, 3]) {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(1_000) }) });
    desk.wire.printer.open(() => {}).feed(Buffer.from("^XA^FXother;^FO9,9^FDx^FS^PQ2^XZ"));
    desk.submit("job", quantity, `^XA^FXjob;^FO9,9^FDx^FS^PQ${quantity}^XZ${DELETES}`, 1);
    await desk.time.until(() => desk.labelsOf("other") === 2);
    assert.equal(desk.job("job").count.printed, 0);
    await desk.time.until(desk.allEnded);
    assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "printer", quantity, quantity]);
    await desk.close();
  }
});

test("a driver's label that is cancelled behind one of others is not done by theirs", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(1_000) }) });
  const { printer } = desk.wire;
  printer.open(() => {}).feed(Buffer.from("^XA^FXother;^FO9,9^FDx^FS^XZ"));
  desk.submit("job", 1, `^XA^FXjob;^FO9,9^FDx^FS^XZ${DELETES}`);
  await desk.time.pass(500);
  printer.set("paused", true);
  await desk.time.until(() => desk.labelsOf("other") === 1);
  await desk.time.pass(1_000);
  printer.cancel();
  printer.set("paused", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "none", 0, 0]);
  await desk.close();
});

/** Firmware that counts the format whose labels it prints among those that wait. */
const countsInHand = (desk: Desk) => {
  desk.wire.alters = (text) =>
    desk.wire.printer.situation.labelsRemaining === 0
      ? text
      : text.replace(
          /(\d{3},\d,\d,\d{4},)(\d{3})/,
          (_, head: string, waiting: string) => head + String(Number(waiting) + 1).padStart(3, "0"),
        );
};
const TAG = "^RFW,H^FD3034257BF468D480000003E9^FS";

test("firmware that counts the format in hand as waiting: no job is failed with every label out", async () => {
  for (const rfid of [false, true])
    for (const copies of [1, 3])
      for (const isBehind of rfid ? [false] : [false, true]) {
        const desk = zplDesk({ rfid, printer: (time) => ({ pace: () => time.wait(1_000) }) });
        countsInHand(desk);
        if (isBehind) desk.wire.printer.open(() => {}).feed(Buffer.from("^XA^FXother;^FDx^FS^PQ3^XZ"));
        desk.submit("job", 3, `^XA^FXjob;${rfid ? TAG : ""}^FDx^FS^PQ${3 / copies}^XZ`, copies);
        await desk.time.until(desk.allEnded);
        assert.notEqual(desk.job("job").state, "Failed", `${rfid}, ${copies}, ${isBehind}`);
        await desk.close();
      }
});

test("firmware that counts the format in hand as waiting: a job whose last label was cut off and cancelled is unknown", async () => {
  for (const [quantity, copies] of [
    [1, 1],
    [3, 1],
    [1, 3],
  ] as const) {
    const labels = quantity * copies;
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(3_000) }) });
    const { printer } = desk.wire;
    countsInHand(desk);
    desk.submit("job", labels, `^XA^FXjob;^FO9,9^FDx^FS^PQ${quantity}^XZ`, copies);
    await desk.time.until(() => printer.labels.length === labels - 1);
    await desk.time.pass(1_000);
    printer.set("paper-out", true);
    await desk.time.pass(60_000);
    printer.cancel();
    printer.set("paper-out", false);
    await desk.time.until(desk.allEnded);
    assert.deepEqual([desk.job("job").state, desk.labelsOf("job")], ["Unknown", labels - 1]);
    assert.ok(desk.job("job").count.printed < labels);
    await desk.close();
  }
});

test("labels of others that came between two jobs do not stand for a job that was cancelled, at a stop or in a pause", async () => {
  for (const condition of ["paper-out", "paused"] as const)
    for (const labels of [1, 2, 3]) {
      const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(3_000) }) });
      const { printer } = desk.wire;
      desk.submit("first");
      await desk.time.until(desk.allEnded);
      printer.open(() => {}).feed(Buffer.from(`^XA^FXother;^FO9,9^FDx^FS^PQ${labels}^XZ`));
      await desk.time.pass(50);
      desk.submit("job", labels, `^XA^FXjob;^FO9,9^FDx^FS^PQ${labels}^XZ`, 1);
      await desk.time.until(() => desk.labelsOf("other") === labels - 1);
      await desk.time.pass(1_000);
      printer.set(condition, true);
      await desk.time.pass(60_000);
      printer.cancel();
      printer.set(condition, false);
      await desk.time.until(desk.allEnded);
      assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "none", 0, 0]);
      await desk.close();
    }
});

test("a job behind others is unknown when the bridge and the printer lose their power together, whatever came out of theirs", async () => {
  for (const quantity of [1, 5]) {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(3_000) }) });
    const { printer } = desk.wire;
    desk.submit("first");
    await desk.time.until(desk.allEnded);
    printer.open(() => {}).feed(Buffer.from(`^XA^FXother;^FO9,9^FDx^FS^PQ${quantity}^XZ`));
    await desk.time.pass(50);
    desk.submit("job");
    await desk.time.until(() => desk.labelsOf("other") === 1);
    desk.wire.isAway = true;
    desk.cutPower();
    desk.restart();
    await desk.time.pass(5_000);
    desk.wire.isAway = false;
    await desk.time.until(desk.allEnded);
    assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Unknown", "none", 0, 0]);
    await desk.close();
  }
});

test("a label that others sent just before a job does not stand for one that was cancelled", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(3_000) }) });
  const { printer } = desk.wire;
  desk.wire.alters = (text) => {
    desk.wire.alters = (text) => text;
    printer.open(() => {}).feed(Buffer.from("^XA^FXother;^FO9,9^FDx^FS^XZ"));
    return text;
  };
  desk.submit("job");
  await desk.time.until(() => desk.labelsOf("other") === 1 && printer.situation.labelsRemaining === 1);
  await desk.time.pass(1_000);
  printer.cancel();
  await desk.time.until(desk.allEnded);
  assert.notEqual(desk.job("job").state, "Done");
  assert.deepEqual([desk.job("job").count.printed, desk.labelsOf("job")], [0, 0]);
  await desk.close();
});

test("RFID: a job waits unmarked while the printer has labels of others, and a restart meanwhile leaves it so", async () => {
  const desk = zplDesk({ rfid: true, printer: (time) => ({ pace: () => time.wait(1_000) }) });
  desk.wire.printer.open(() => {}).feed(Buffer.from("^XA^FXother;^FDx^FS^PQ60^XZ"));
  desk.submit("job", 1, `^XA^FXjob;${TAG}^FO9,9^FDx^FS^XZ`);
  await desk.time.until(() => desk.job("job").reasons.includes("busy"));
  let writes = 0;
  const set = desk.jobs.set.bind(desk.jobs);
  desk.jobs.set = (id, job) => {
    writes++;
    return set(id, job);
  };
  while (desk.labelsOf("other") < 50) {
    await desk.time.pass(50);
    assert.deepEqual([desk.job("job").state, desk.job("job").started], ["Held", false]);
  }
  assert.equal(writes, 0);
  desk.restart();
  await desk.time.until(desk.allEnded);
  assert.deepEqual([...told(desk, "job"), desk.labelsOf("job")], ["Done", "rfid", 1, 1]);
  await desk.close();
});
