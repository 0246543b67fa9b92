import assert from "node:assert/strict";
import { test } from "node:test";
import { zplDesk } from "./zpl-desk.ts";

/** At a serial or USB line: firmware that reads nothing while it is stopped, and then answers one question after the other. */
const desk = (withoutSgd = false, answerMs = 100) =>
  zplDesk({
    answersOutlive: true,
    printer: (time) => ({
      unreadWhenStopped: true,
      questionPace: () => time.wait(answerMs),
      pace: () => time.wait(200),
      withoutSgd,
    }),
  });

/** Asks every five seconds, as the watch of the bridge does. */
async function watch({ time, queue }: ReturnType<typeof desk>, questions: number): Promise<void> {
  for (let question = 0; question < questions; question++) {
    await Promise.all([queue.status(), time.pass(5_000)]);
  }
}

for (const withoutSgd of [false, true])
  test(`a printer ${withoutSgd ? "without" : "with"} a counter was asked while it was stopped, each time on a connection of its own: the answers say nothing of the next job`, async () => {
    const line = desk(withoutSgd);
    line.wire.printer.set("head-open", true);
    await watch(line, 40);
    line.wire.printer.set("head-open", false);
    line.submit("label");
    await line.time.until(() => line.job("label").state === "Done" || line.allEnded());
    assert.deepEqual([line.job("label").state, line.labelsOf("label")], ["Done", 1]);
    await line.close();
  });

test("a job that waited for minutes at a silent printer is told by its own answers", async () => {
  const line = desk();
  line.wire.printer.set("head-open", true);
  line.submit("label");
  await line.time.pass(300_000);
  line.wire.printer.set("head-open", false);
  await line.time.until(line.allEnded);
  assert.deepEqual([line.job("label").state, line.labelsOf("label")], ["Done", 1]);
  await line.close();
});

test("a printer in use stops for a while with a job before it: however its answers fall, the job is told by its own", async () => {
  for (const stoppedMs of [60_000, 300_000])
    for (let phase = 0; phase < 30; phase++) {
      const line = desk(false, 50);
      line.submit("first");
      await line.time.until(line.allEnded);
      await line.time.pass(5_000);
      line.wire.printer.set("paper-out", true);
      line.submit("label", 3);
      await line.time.pass(stoppedMs + phase * 100);
      line.wire.printer.set("paper-out", false);
      await line.time.until(line.allEnded);
      const where = `stopped for ${stoppedMs} ms and ${phase}`;
      assert.deepEqual([line.job("label").state, line.labelsOf("label")], ["Done", 3], where);
      await line.close();
    }
});

test("questions that an earlier run of the bridge left in the printer say nothing of the first job", async () => {
  const line = desk();
  line.wire.printer.set("head-open", true);
  await watch(line, 20);
  line.restart();
  line.wire.printer.set("head-open", false);
  line.submit("label");
  await line.time.until(line.allEnded);
  assert.deepEqual([line.job("label").state, line.labelsOf("label")], ["Done", 1]);
  await line.close();
});

test("what a page asked a printer that was stopped is not taken for the counter of the next job", async () => {
  const line = desk();
  const { printer } = line.wire;
  await Promise.all([line.queue.status(), line.time.pass(10_000)]);
  printer.counters.valid = 5_000;
  printer.set("head-open", true);
  const question = Buffer.from('~HQES~HS! U1 getvar "odometer.rfid.valid_resettable"\r\n'.repeat(40));
  await Promise.all([line.queue.query(question), line.time.pass(10_000)]);
  printer.set("head-open", false);
  line.submit("label");
  await line.time.until(line.allEnded);
  assert.deepEqual([line.job("label").state, line.labelsOf("label")], ["Done", 1]);
  await line.close();
});

test("a page's question that was answered whole costs the next job no second connection", async () => {
  const line = desk();
  await Promise.all([line.queue.status(), line.time.pass(10_000)]);
  const question = Buffer.from('~HS~HI! U1 getvar "device.product_name"\r\n');
  const [answer] = await Promise.all([line.queue.query(question), line.time.pass(10_000)]);
  assert.match(Buffer.from(answer).toString("latin1"), /ZT411.*"ZT411-203dpi"/s);
  const before = line.connections;
  line.submit("label");
  await line.time.until(line.allEnded);
  assert.deepEqual([line.job("label").state, line.connections - before], ["Done", 1]);
  await line.close();
});

for (const line of ["serial line", "print server", "network"] as const)
  for (const how of ["dropLine", "restart"] as const)
    test(`RFID: tags, voids and labels of a job that was lost by a ${how} on a ${line} are none of the next job's`, async () => {
      const tags = ["ok", "ok", "void", "ok", "ok"] as const;
      const desk = zplDesk({
        rfid: true,
        answersOutlive: line === "serial line",
        printer: (time) => ({
          oneParser: line === "print server",
          tags: [...tags],
          pace: () => time.wait(3_000),
        }),
      });
      const epcOf = (n: number) => `3034257BF468D4800000000${n}`;
      const format = (id: string, n: number, labels: number) =>
        `^XA^FX${id};^RFW,H^FD${epcOf(n)}^FS^FO9,9^FDx^FS^PQ${labels}^XZ`;
      desk.submit("lost", 3, format("lost", 1, 3), 1);
      await desk.time.until(() => desk.labelsOf("lost") === 1);
      desk[how]();
      desk.submit("next", 2, format("next", 2, 2), 1);
      await desk.time.until(() => desk.job("next").reasons.includes("busy"));
      await desk.time.until(desk.allEnded);
      const { state, count } = desk.job("next");
      assert.deepEqual(
        [desk.job("lost").state, state, count.tags?.map(({ epc, voided }) => (voided ? "void" : epc))],
        ["Unknown", "Done", [epcOf(2), epcOf(2)]],
      );
      await desk.close();
    });
