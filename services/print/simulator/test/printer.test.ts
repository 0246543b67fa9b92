import assert from "node:assert/strict";
import { test } from "node:test";
import { createPrinter, type PrinterOptions } from "../src/printer.ts";
import { obey } from "../src/simulate.ts";

/** A printer with one open connection, what it said, and a gate that lets one label out at a time. */
function bench(options: PrinterOptions = {}) {
  const said: string[] = [];
  const printer = createPrinter(options);
  const connection = printer.open((text) => said.push(text));
  return { printer, connection, said, send: (text: string) => connection.feed(Buffer.from(text, "latin1")) };
}

function gate() {
  const waiting: Array<() => void> = [];
  return {
    pace: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    async letOne() {
      waiting.shift()?.();
      await settled();
    },
  };
}

const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

test("the status answers are byte for byte what the ZPL guide lays out", () => {
  const { send, said, printer } = bench();
  send("~HI~HS~HQES");
  printer.set("head-open", true);
  printer.set("paused", true);
  send("~HQES~HS");
  assert.deepEqual(said, [
    "\x02ZT411-203dpi,V92.21.39Z,8,8192KB,X\x03\r\n",
    "\x02030,0,0,1245,000,0,0,0,000,0,0,0\x03\r\n\x02001,0,0,0,1,2,6,0,00000000,1,000\x03\r\n\x021234,0\x03\r\n",
    "\x02\r\n  PRINTER STATUS\r\n   ERRORS:         0 00000000 00000000\r\n   WARNINGS:       0 00000000 00000000\r\n\x03",
    "\x02\r\n  PRINTER STATUS\r\n   ERRORS:         1 00000000 00010004\r\n   WARNINGS:       0 00000000 00000000\r\n\x03",
    "\x02030,0,1,1245,000,0,0,0,000,0,0,0\x03\r\n\x02001,0,1,0,1,2,6,0,00000000,1,000\x03\r\n\x021234,0\x03\r\n",
  ]);
});

test("a format prints its quantity and the odometer counts each label", async () => {
  const { send, said, printer } = bench();
  send('^XA^FO10,10^FDhello^FS^PQ3^XZ! U1 getvar "odometer.total_label_count"\r\n');
  await settled();
  send('! U1 getvar "odometer.total_label_count"\r\n! U1 getvar "no.such"\r\n');
  assert.equal(printer.labels.length, 3);
  assert.deepEqual(said, ['"1000"', '"1003"', '"?"']);
});

test("bytes may arrive one at a time, and raw graphics may hold any byte", async () => {
  const { connection, printer } = bench();
  const data = Buffer.concat([
    Buffer.from("^XA^FO0,0^GFB,4,4,2,"),
    Buffer.from([0x5e, 0x58, 0x5a, 0x7e]),
    Buffer.from("^FS^XZ"),
  ]);
  for (const byte of data) connection.feed(Buffer.from([byte]));
  await settled();
  assert.equal(printer.labels.length, 1);
});

test("a format that only sets something prints nothing", async () => {
  const { send, printer } = bench();
  send("^XA^MMT^PW800^XZ^XA^IDR:A.GRF^FS^XZ^XA^DFR:T.ZPL^FO1,1^FDx^FS^XZ");
  await settled();
  assert.equal(printer.labels.length, 0);
});

test("a lid opened in the middle of a label stops it; the label is printed again and the media counts twice", async () => {
  const { pace, letOne } = gate();
  const { send, printer } = bench({ pace });
  send("^XA^FDx^FS^PQ2^XZ");
  await letOne();
  printer.set("head-open", true);
  await letOne();
  assert.equal(printer.labels.length, 1);
  assert.equal(printer.situation.labelsRemaining, 1);
  printer.set("head-open", false);
  await settled();
  await letOne();
  assert.equal(printer.labels.length, 2);
  assert.equal(printer.counters.odometer, 1003);
});

test("firmware that is silent while stopped answers again afterwards", () => {
  const { send, said, printer } = bench({ silentWhenStopped: true });
  printer.set("paper-out", true);
  send("~HS~HQES");
  assert.deepEqual(said, []);
  printer.set("paper-out", false);
  send("~HQES");
  assert.equal(said.length, 1);
});

test("an RFID tag that fails voids its label and the next label tries again, until ^RS allows no more", async () => {
  const encode =
    "^XA^RS8,,,3^RFW,H^FD0123456789ABCDEF01234567^FS^FN1^RFR,H^FS^FH_^HV1,24,EPC[,]_0D_0A,L^FS^FDx^FS^XZ";
  const { send, said, printer } = bench({
    tags: ["void", "void", "ok", "void", "void", "void", { reads: "FF" }],
  });
  send(encode);
  await settled();
  assert.deepEqual(
    printer.labels.map(({ voided }) => voided),
    [true, true, false],
  );
  assert.deepEqual(said, ["EPC[0123456789ABCDEF01234567]\r\n"]);
  send(encode + encode);
  await settled();
  assert.equal(printer.counters.voids, 5);
  assert.deepEqual(
    said.slice(1),
    ["EPC[FF]\r\n"],
    "the dropped format says nothing, the next one what it read",
  );
});

test("a person at the keyboard can open the lid, spoil tags and cut the line", () => {
  const { printer } = bench();
  const listener = { faults: {} as { dropAtByte?: number }, received: { bytes: 10, connections: 0 } };
  assert.match(obey("constructor", printer, listener), /^While it runs/);
  assert.match(obey("void 99999999999", printer, listener), /at most 1000/);
  assert.equal(obey("open", printer, listener), "stopped by: head-open");
  assert.equal(obey(" Close ", printer, listener), "stopped by: nothing");
  obey("void 2", printer, listener);
  obey("epc ab01", printer, listener);
  assert.deepEqual(printer.tags, ["void", "void", { reads: "AB01" }]);
  obey("drop 5", printer, listener);
  assert.equal(listener.faults.dropAtByte, 15);
  assert.match(obey("nonsense", printer, listener), /open \| close/);
});
