import assert from "node:assert/strict";
import { test } from "node:test";
import { zplDesk } from "./zpl-desk.ts";

const HOUR = 3_600_000;

/** Firmware that reads nothing while it is stopped, and then answers all it was asked, one question in 10 ms. */
const reader = (time: ReturnType<typeof zplDesk>["time"]) => ({
  unreadWhenStopped: true,
  questionPace: () => time.wait(10),
  pace: () => time.wait(200),
});

test("firmware that answers an hour of questions when it goes on: each answer is of its own question, and every job is done once", async () => {
  const desk = zplDesk({ printer: reader });
  const { printer } = desk.wire;
  const ids = Array.from({ length: 10 }, (_, n) => `job${n}`);
  for (const id of ids) desk.submit(id);
  await desk.time.until(() => desk.job("job0").state === "Printing");
  printer.set("head-open", true);
  await desk.time.until(() => desk.job("job0").state === "Held");
  await desk.time.pass(HOUR);
  printer.set("head-open", false);
  assert.ok(await desk.time.until(desk.allEnded, HOUR));
  for (const id of ids) {
    const { state, error } = desk.job(id);
    assert.deepEqual([id, state, error?.code, desk.labelsOf(id)], [id, "Done", undefined, 1]);
  }
  await desk.close();
});

test("firmware without a counter that answers late: a job is not done before the printer has read it", async () => {
  const desk = zplDesk({ printer: (time) => ({ ...reader(time), withoutSgd: true }) });
  const { printer } = desk.wire;
  desk.submit("first");
  await desk.time.until(() => desk.job("first").state === "Printing");
  printer.set("head-open", true);
  desk.submit("second");
  await desk.time.pass(HOUR);
  printer.set("head-open", false);
  await desk.time.until(() => desk.job("second").state === "Done");
  assert.equal(desk.labelsOf("second"), 1);
  await desk.close();
});

test("questions that were asked before the first job are not answers about it", async () => {
  const desk = zplDesk({ printer: (time) => ({ ...reader(time), questionPace: () => time.wait(100) }) });
  const { printer } = desk.wire;
  printer.set("paper-out", true);
  desk.submit("only");
  await desk.time.until(() => desk.job("only").state === "Held");
  await desk.time.pass(20_000);
  printer.set("paper-out", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([desk.job("only").state, desk.labelsOf("only")], ["Done", 1]);
  await desk.close();
});

const EPC = "3034257BF468D480000003E9";

test("RFID: tags after an hour of unanswered questions are read back, each written once", async () => {
  const desk = zplDesk({ printer: reader, rfid: true });
  const { printer } = desk.wire;
  printer.counters.voids = 57;
  desk.submit("tags", 3, `^XA^FXtags;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`);
  desk.submit("more", 1, `^XA^FXmore;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`);
  await desk.time.until(() => printer.labels.length === 1 && printer.situation.labelsRemaining === 1);
  printer.set("head-open", true);
  await desk.time.pass(HOUR);
  printer.set("head-open", false);
  await desk.time.until(desk.allEnded, HOUR);
  for (const [id, labels] of [
    ["tags", 3],
    ["more", 1],
  ] as const) {
    const { state, error, count } = desk.job(id);
    assert.deepEqual(
      [state, error?.code, count.tags?.map(({ encoded }) => encoded), desk.labelsOf(id)],
      ["Done", undefined, Array(labels).fill(true), labels],
    );
  }
  await desk.close();
});

test("RFID: voids that the printer does not tell for a while count towards the limit when it tells them", async () => {
  const tags = ["ok", "void", "void", "ok", "void", "void"] as const;
  const desk = zplDesk({
    // The second label comes out at once with its voids, between two questions.
    printer: (time) => ({
      tags: [...tags],
      pace: () => (desk.wire.printer.labels.length === 1 ? time.wait(1_111) : Promise.resolve()),
    }),
    rfid: true,
  });
  const tagsOf = () => desk.job("tags").count.tags ?? [];
  desk.submit("tags", 9, `^XA^FXtags;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`);
  // The two counters of the first answer after the second good label.
  let untold = 2;
  desk.wire.hides = {
    test: (text) => desk.labelsOf("tags") === 2 && /"\d+"/.test(text) && untold-- > 0,
  };
  await desk.time.until(desk.allEnded);
  assert.equal(desk.job("tags").error?.code, "RFID_VOID_LIMIT");
  assert.deepEqual(
    tagsOf().map(({ index, voided }) => `${index}${voided ? " void" : ""}`),
    ["0", "1", "2 void", "2 void", "2 void", "2 void"],
  );
  await desk.close();
});

test("a printer that stays silent is asked less and less often, and noticed soon after it speaks again", async () => {
  const desk = zplDesk({ printer: (time) => ({ silentWhenStopped: true, pace: () => time.wait(200) }) });
  const { printer } = desk.wire;
  desk.submit("held");
  await desk.time.until(() => desk.job("held").state === "Printing");
  printer.set("head-open", true);
  const before = printer.counters.statusPolls;
  await desk.time.pass(HOUR);
  const questions = printer.counters.statusPolls - before;
  assert.ok(questions > 50 && questions < 400, `${questions} questions in an hour`);
  printer.set("head-open", false);
  assert.ok(await desk.time.until(() => desk.job("held").state === "Done", 15_000));
  await desk.close();
});

test("a printer that leaves its counter out from the middle on is not believed to have printed by being idle alone", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(200) }) });
  desk.submit("counted");
  await desk.time.until(desk.allEnded);
  assert.equal(desk.job("counted").state, "Done");
  // The printer drops a format that it cannot print, and tells its counter no more.
  desk.wire.hides = /"\d+"/;
  desk.submit("dropped", 1, "^XA^FXdropped;^XZ");
  await desk.time.until(desk.allEnded);
  assert.deepEqual([desk.job("dropped").state, desk.job("dropped").count.printed], ["Unknown", 0]);
  await desk.close();
});

test("whoever asks for the status while a job begins on a new connection writes no question into its data", async () => {
  for (let heldMs = 10_000; heldMs <= 13_000; heldMs += 500) {
    const desk = zplDesk({ printer: () => ({ unreadWhenStopped: true }) });
    const { printer } = desk.wire;
    const pieces: string[] = [];
    desk.wire.printer = Object.assign(Object.create(printer) as typeof printer, {
      open: (reply: (text: string) => void) => {
        const line = printer.open(reply);
        const feed = (bytes: Uint8Array) => {
          const text = Buffer.from(bytes).toString("latin1");
          pieces.push(text);
          if (text.includes("^FXbig")) desk.wire.secondsPerKiB = 1;
          if (text.includes("^XZ")) desk.wire.secondsPerKiB = 0;
          line.feed(bytes);
        };
        return { ...line, feed };
      },
    });
    let isOver = false;
    void (async () => {
      for (; !isOver; await desk.time.wait(300)) await desk.queue.status().catch(() => {});
    })();
    printer.set("paper-out", true);
    desk.submit("big", 1, `^XA^FXbig;^FD${"x".repeat(20 * 1024)}^FS^XZ`);
    await desk.time.until(() => desk.job("big").state === "Held");
    await desk.time.pass(heldMs);
    printer.set("paper-out", false);
    await desk.time.until(desk.allEnded);
    const job = pieces.slice(
      pieces.findIndex((text) => text.includes("^FXbig")),
      pieces.findIndex((text) => text.includes("^XZ")),
    );
    assert.ok(job.length > 0);
    assert.ok(!job.join("").includes("~HQES"), `held for ${heldMs} ms`);
    assert.equal(desk.job("big").state, "Done");
    isOver = true;
    await desk.close();
  }
});

/** What some firmware leaves out while it is stopped: `~HS`, and variables. */
const SOMETIMES_HIDDEN = [
  ["what waits to be printed", { test: (text: string) => text.startsWith("\x02030,") }],
  ["its counter", /"\d+"/],
] as const;

for (const [what, hidden] of SOMETIMES_HIDDEN)
  test(`firmware that leaves out ${what} while it is stopped: the jobs after it are done at once, as after any stop`, async () => {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(200) }) });
    const { printer } = desk.wire;
    const ids = ["first", "second", "third"];
    for (const id of ids) desk.submit(id);
    await desk.time.until(() => desk.job("first").state === "Printing");
    printer.set("head-open", true);
    desk.wire.hides = hidden;
    await desk.time.until(() => desk.job("first").state === "Held");
    await desk.time.pass(60_000);
    desk.wire.hides = undefined;
    printer.set("head-open", false);
    assert.ok(await desk.time.until(desk.allEnded, 20_000));
    for (const id of ids) assert.deepEqual([id, desk.job(id).state, desk.labelsOf(id)], [id, "Done", 1]);
    await desk.close();
  });

for (const [what, hidden] of SOMETIMES_HIDDEN)
  test(`a connection that was made while the printer was stopped and left out ${what}: the next job is not told by a count from then`, async () => {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(200) }) });
    const { printer } = desk.wire;
    desk.submit("before");
    await desk.time.until(desk.allEnded);
    await desk.time.pass(10_000);
    printer.set("paper-out", true);
    desk.wire.hides = hidden;
    desk.submit("first");
    desk.submit("second");
    await desk.time.until(() => desk.job("first").state === "Held");
    await desk.time.pass(120_000);
    printer.set("paper-out", false);
    await desk.time.until(() => desk.job("first").state === "Sending");
    desk.wire.hides = undefined;
    assert.ok(await desk.time.until(desk.allEnded, 20_000));
    // Before the first nobody knew the counter.
    const known = hidden.test('"1"') ? "Unknown" : "Done";
    assert.deepEqual([desk.job("first").state, desk.labelsOf("first")], [known, 1]);
    assert.deepEqual([desk.job("second").state, desk.labelsOf("second")], ["Done", 1]);
    await desk.close();
  });

test("the answer to the question before a job is lost: the job is not called failed by a count that begins too late", async () => {
  const desk = zplDesk();
  desk.submit("before");
  await desk.time.until(desk.allEnded);
  let lost = 1;
  desk.wire.hides = { test: (text) => desk.jobs.has("job") && /"\d+"/.test(text) && lost-- > 0 };
  desk.submit("job", 3);
  await desk.time.until(desk.allEnded);
  assert.equal(desk.labelsOf("job"), 3);
  assert.equal(desk.job("job").state, "Unknown");
  await desk.close();
});

test("RFID: one counter that is lost does not make the others voids, and costs no tag", async () => {
  for (let nth = 1; nth <= 8; nth++) {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(200) }), rfid: true });
    desk.wire.printer.counters.voids = 57;
    let told = 0;
    desk.wire.hides = { test: (text) => /"\d+"/.test(text) && ++told === nth };
    desk.submit("tags", 4, `^XA^FXtags;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`);
    await desk.time.until(desk.allEnded);
    const { state, error, count } = desk.job("tags");
    assert.deepEqual(
      [nth, state, error?.code, count.tags?.map(({ voided }) => voided)],
      [nth, "Done", undefined, Array(4).fill(false)],
    );
    await desk.close();
  }
});

for (const silentWhenStopped of [false, true])
  test(`RFID: a tag that was read back before its label was printed is not done while the lid is open${silentWhenStopped ? ", nor by a printer that is silent then" : ""}`, async () => {
    const desk = zplDesk({
      printer: (time) => ({ readsBackFirst: true, silentWhenStopped, pace: () => time.wait(500) }),
      rfid: true,
    });
    const { printer } = desk.wire;
    desk.submit("tags", 2, `^XA^FXtags;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`);
    await desk.time.pass(100);
    printer.set("head-open", true);
    await desk.time.pass(60_000);
    assert.deepEqual([desk.job("tags").state, desk.job("tags").count.printed], ["Held", 0]);
    printer.set("head-open", false);
    await desk.time.until(desk.allEnded, HOUR);
    const { state, count } = desk.job("tags");
    assert.deepEqual(
      [state, count.tags?.map(({ printed, encoded }) => [printed, encoded]), desk.labelsOf("tags")],
      ["Done", Array(2).fill([true, true]), 2],
    );
    await desk.close();
  });

test("RFID: a format of several labels that voids too many is over when the printer rests, with all that came out", async () => {
  const tags = ["void", "void", "ok", "void", "void", "ok", "ok"] as const;
  const desk = zplDesk({ printer: (time) => ({ tags: [...tags], pace: () => time.wait(500) }), rfid: true });
  desk.submit("tags", 3, `^XA^FXtags;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^PQ3^XZ`, 1);
  await desk.time.until(desk.allEnded, HOUR);
  await desk.time.pass(HOUR);
  const { error, count } = desk.job("tags");
  assert.deepEqual([error?.code, count.printed, desk.labelsOf("tags")], ["RFID_VOID_LIMIT", 3, 3]);
  await desk.close();
});

test("firmware whose ~HS is never understood is not called idle while its counter has not moved by every label", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(20_000) }) });
  const answerToHs = "\u0002030,";
  desk.wire.hides = { test: (text) => text.startsWith(answerToHs) };
  for (const id of ["a", "b"]) desk.submit(id, 3);
  await desk.time.until(desk.allEnded);
  for (const id of ["a", "b"]) assert.deepEqual([desk.job(id).state, desk.labelsOf(id)], ["Done", 3], id);
  desk.submit("c", 3);
  await desk.time.until(() => desk.labelsOf("c") === 1);
  desk.wire.printer.cancel();
  await desk.time.until(desk.allEnded);
  assert.deepEqual([desk.job("c").state, desk.job("c").count.printed], ["Unknown", 1]);
  await desk.close();
});

test("RFID: tags that are read back while a slow line brings the question are told with the void limit", async () => {
  const tags = ["void", "void", "ok", "void", "void", "ok", "ok"] as const;
  const desk = zplDesk({ printer: (time) => ({ tags: [...tags], pace: () => time.wait(100) }), rfid: true });
  desk.wire.secondsPerKiB = 1;
  desk.submit("tags", 3, `^XA^FXtags;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^PQ3^XZ`, 1);
  await desk.time.until(desk.allEnded, HOUR);
  const { error, count } = desk.job("tags");
  assert.deepEqual([error?.code, count.printed, desk.labelsOf("tags")], ["RFID_VOID_LIMIT", 3, 3]);
  await desk.close();
});

test("RFID: firmware without a counter prints plain labels among tagged ones", async () => {
  const desk = zplDesk({ rfid: true, printer: () => ({ withoutSgd: true }) });
  const plain = "^XA^FXmixed;^FO9,9^FDx^FS^XZ";
  const tagged = `^XA^FXmixed;^RFW,H^FD${EPC}^FS^FO9,9^FDx^FS^XZ`;
  desk.submit("mixed", 3, plain + tagged + plain, 1);
  await desk.time.until(desk.allEnded, HOUR);
  assert.deepEqual([desk.job("mixed").state, desk.labelsOf("mixed")], ["Done", 3]);
  await desk.close();
});

for (const answersOutlive of [false, true])
  for (const [what, alter] of [
    ["lost", (text: string) => text.slice(0, -1)],
    ["doubled", (text: string) => `${text}"`],
  ] as const)
    test(`a quotation mark that noise ${what} on a ${answersOutlive ? "serial line" : "network"} holds up neither its job nor the next`, async () => {
      const desk = zplDesk({ answersOutlive, printer: (time) => ({ pace: () => time.wait(2_000) }) });
      desk.submit("first");
      await desk.time.until(desk.allEnded);
      desk.submit("noisy", 2);
      desk.submit("next");
      await desk.time.until(() => desk.labelsOf("noisy") === 1);
      let altered = 0;
      desk.wire.alters = (text) => (text.endsWith('"') && altered++ === 0 ? alter(text) : text);
      assert.ok(await desk.time.until(desk.allEnded, 600_000));
      for (const id of ["noisy", "next"]) assert.equal(desk.job(id).state, "Done");
      await desk.close();
    });

test("a label of more than 9999 dots is told by ~HS with five digits", async () => {
  const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(2_000) }) });
  desk.submit("first");
  await desk.time.until(desk.allEnded);
  desk.wire.alters = (text) => text.replace(",1245,", ",12450,");
  desk.submit("long", 2);
  assert.ok(await desk.time.until(desk.allEnded, 60_000));
  assert.equal(desk.job("long").state, "Done");
  await desk.close();
});

test("a printer that no longer tells what waits to be printed, and that nothing is wrong, is believed by its counter alone after a while", async () => {
  for (const when of ["before the job", "in the job"] as const) {
    const desk = zplDesk({ printer: (time) => ({ pace: () => time.wait(500) }) });
    desk.submit("first");
    await desk.time.until(desk.allEnded);
    if (when === "in the job") {
      desk.submit("under way", 2);
      await desk.time.until(() => desk.labelsOf("under way") === 1);
    }
    desk.wire.hides = /\d{3},\d,\d,\d{4},/;
    desk.submit("next");
    desk.submit("last");
    assert.ok(await desk.time.until(desk.allEnded, 900_000), when);
    for (const [id, { state }] of desk.jobs) assert.deepEqual([when, id, state], [when, id, "Done"]);
    await desk.close();
  }
});

test("firmware that tells neither what waits to be printed nor a counter has taken a job, and does not verify that it came out", async () => {
  const desk = zplDesk({ printer: (time) => ({ withoutSgd: true, pace: () => time.wait(3_000) }) });
  desk.wire.hides = /\d{3},\d,\d,\d{4},/;
  desk.submit("open", 1);
  desk.wire.printer.set("head-open", true);
  await desk.time.pass(60_000);
  assert.equal(desk.job("open").state, "Held");
  desk.wire.printer.set("head-open", false);
  await desk.time.until(desk.allEnded);
  assert.deepEqual([desk.job("open").state, desk.job("open").verification], ["Done", "none"]);
  await desk.close();
});

for (const when of ["before the job", "in the job"] as const)
  test(`firmware without ~HQES that leaves ~HS out while it is stopped, ${when}, does not answer: its job is held`, async () => {
    const desk = zplDesk({
      printer: (time) => ({ hostStatusOutWhenStopped: true, pace: () => time.wait(1_000) }),
    });
    const { time, wire } = desk;
    wire.hides = /ERRORS/;
    desk.submit("first");
    await time.until(desk.allEnded);
    if (when === "before the job") wire.printer.set("head-open", true);
    await time.pass(10_000);
    desk.submit("job", 2);
    if (when === "in the job") {
      await time.until(() => desk.labelsOf("job") === 1);
      await time.pass(300);
      wire.printer.set("head-open", true);
    }
    await time.pass(120_000);
    const { state, reasons, started, count } = desk.job("job");
    const isUnderWay = when === "in the job";
    assert.deepEqual([state, reasons, started], ["Held", ["not-answering"], isUnderWay]);
    assert.equal(count.printed, isUnderWay ? 1 : 0);
    wire.printer.set("head-open", false);
    await time.until(desk.allEnded);
    assert.deepEqual([desk.job("job").state, desk.labelsOf("job")], ["Done", 2]);
    await desk.close();
  });
