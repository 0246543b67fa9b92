import assert from "node:assert/strict";
import { test } from "node:test";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { recogniseLanguage } from "../src/languages/recognise.ts";
import { readZpl } from "../src/zpl/formats.ts";
import { createReplyReader, errorReasons, type Reply } from "../src/zpl/replies.ts";
import { createZplScanner, type ZplCommand, zplCommands } from "../src/zpl/scanner.ts";

const EXAMPLES: ReadonlyArray<[language: string | undefined, data: string]> = [
  ["zpl", "^XA^FDhello^FS^XZ"],
  ["zpl", "\r\n  ^xa^fdhello^fs^xz"],
  ["zpl", "~HS"],
  ["zpl", "~DGR:A.GRF,00080,010,FFFF"],
  ["zpl", '! U1 setvar "device.languages" "zpl"\r\n'],
  ["epl", '\nN\nq609\nQ203,26\nA26,26,0,5,1,1,N,"Hi"\nP1,1\n'],
  ["epl", 'N\r\nA50,0,0,1,1,1,N,"x"\r\nP1\r\n'],
  ["cpcl", "! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hello\r\nPRINT\r\n"],
  ["cpcl", "! UTILITIES\r\nSETMAG 0 0\r\nPRINT\r\n"],
  ["tspl", 'SIZE 4,3\r\nGAP 0,0\r\nCLS\r\nTEXT 50,50,"4",0,1,1,"x"\r\nPRINT 1\r\n'],
  ["tspl", 'CLS\r\nTEXT 50,50,"4",0,1,1,"x"\r\nPRINT 1\r\n'],
  ["escpos", "\x1b@Hello\n\x1dV\x00"],
  ["escpos", "\x1b!\x08Hello"],
  ["sbpl", "\x1bA\x1bH0100\x1bV0100\x1bL0202\x1bSHello\x1bQ1\x1bZ"],
  ["sbpl", "\x02\x1bA\x1bH100\x1bZ\x03"],
  ["zpl", `${"x".repeat(5_000)}^XA^FDhello^FS^XZ`],
  ["tspl", 'SIZE 4,3\r\nTEXT 50,50,"4",0,1,1,"^XL"\r\nPRINT 1\r\n'],
  ["cpcl", "! 0 200 200 210 1\r\nTEXT 4 0 30 40 ^XL\r\nPRINT\r\n"],
  ["epl", 'N\r\nA50,0,0,1,1,1,N,"^XL"\r\nP1\r\n'],
  [undefined, "Dear customer, here is your parcel."],
  [undefined, ""],
  [undefined, "%PDF-1.7"],
];

for (const [language, data] of EXAMPLES) {
  test(`${JSON.stringify(data.slice(0, 40))} is ${language ?? "nothing we know"}`, () => {
    assert.equal(recogniseLanguage(Buffer.from(data, "latin1")), language);
  });
}

test("the labels of a ZPL job are counted as the printer will print them", () => {
  const counts = (zpl: string) => readZpl(zpl).formats.map(({ labels }) => labels);
  assert.deepEqual(counts("^XA^FDa^FS^XZ^XA^FDb^FS^PQ5,0,1,Y^XZ"), [1, 5]);
  assert.deepEqual(counts("^XA^PQ9999^FDa^FS^XA^XZ^XA^FDb^FS^XZ"), [9999, 1], "^XA in a label hides nothing");
  assert.deepEqual(
    counts("^XA^MMT^XZ~DGR:A,1,1,F^XA^IDR:A^FS^XZ^XA^DFR:T^FDx^FS^XZ^XA^XFR:T^FN1^FDx^FS^XZ"),
    [0, 0, 0, 1],
  );
  assert.deepEqual(
    counts("^XA^CC#^XZ#FDx#FS#XZ^XA^FDno^FS^XZ"),
    [1],
    "with a changed caret the old one is data",
  );
  assert.deepEqual(counts("^XA^FO0,0^GFB,5,5,1,^XZ~A^FS^XZ"), [1], "raw graphics may look like commands");
});

test("a recalled format prints without field data, a picture that is only stored does not, the last quantity counts", () => {
  const counts = (zpl: string) => readZpl(zpl).formats.map(({ labels }) => labels);
  assert.deepEqual(counts("^XA^XFR:T.ZPL^FS^PQ7^XZ"), [7]);
  assert.deepEqual(counts("^XA^FDx^FS^ISR:A.GRF,N^XZ^XA^FDx^FS^ISR:A.GRF,Y^XZ"), [0, 1]);
  assert.deepEqual(counts("^XA^FDx^FS^PQ2^PQ3^XZ"), [3]);
  assert.deepEqual(counts("^XA^CD;^FDx^FS^PQ4;0;1^XZ"), [4], "with another delimiter");
});

test("what a tag will hold is known for hexadecimal and ASCII writes to the EPC, with field hex, and for nothing else", () => {
  const epc = (zpl: string) => readZpl(`^XA${zpl}^FDx^FS^XZ`).formats[0]?.epc;
  assert.equal(epc("^RFW,H^FD3034ab^FS"), "3034AB");
  assert.equal(epc("^RFW,H^FH_^FD_333034^FS"), "33034");
  assert.equal(epc("^RFW,A^FDAB^FS"), "4142");
  assert.equal(epc("^RFW,H,2,12,1^FD3034^FS"), "3034");
  assert.equal(epc("^RFW,E^FD1,2,3^FS"), undefined);
  assert.equal(epc("^RFW,A^FD^FS"), undefined, "nothing is written");
  assert.equal(epc("^RFW,H,0,4,3^FD3034^FS"), undefined, "user memory");
  assert.equal(epc("^RFW,H^FS^FD3034^FS"), undefined, "the field ended before");
});

test("what a tag should hold is not known where the printer counts it on, or where it is written twice", () => {
  const epc = (zpl: string) => readZpl(`^XA${zpl}^FO1,1^FDx^SFd,1^FS^PQ3^XZ`).formats[0]?.epc;
  assert.equal(epc("^RFW,H^FD3034AA^FS"), "3034AA", "what other fields count is none of the tag's");
  assert.equal(epc("^RFW,H^FD3034AA^SFhh,1^FS"), undefined);
  assert.equal(epc("^RFW,A^FDAB1^SN1,1,Y^FS"), undefined);
  assert.equal(epc("^RFW,H^FD3034AA^FS^RFW,H^FD3034BB^FS"), undefined);
  assert.equal(
    epc("^RFW,H^FD3034AA^FS^RFW,H,0,4,3^FD01020304^FS"),
    "3034AA",
    "the second is the user memory",
  );
  assert.equal(epc("^FH^RFW,A^FD_41_42^FS"), "4142", "the indicator may come before the write");
  assert.equal(epc("^FH^FDy^FS^RFW,A^FD_41^FS"), "5F3431", "and is of its own field alone");
});

test("ZPL is cut into the same commands however it arrives, and each character is looked at once", () => {
  const zpl =
    "junk~HS^XA^FO1,2^FDa^FS^GFB,5,5,1,^XZ~A^FS^GFA,2,2,1,FFFF~DYR:A,B,P,4,1,^~^~^CC!!FDb!FS!CC^^XZ~HQES";
  const whole = zplCommands(zpl);
  for (const size of [1, 2, 3, 7]) {
    const heard: ZplCommand[] = [];
    const scanner = createZplScanner({ command: (command) => heard.push(command) });
    for (let at = 0; at < zpl.length; at += size) scanner.push(zpl.slice(at, at + size));
    scanner.finish();
    assert.deepEqual(heard, whole);
  }
  assert.deepEqual(
    whole.map(({ name }) => name),
    [
      "~HS",
      "^XA",
      "^FO",
      "^FD",
      "^FS",
      "^GF",
      "^FS",
      "^GF",
      "~DY",
      "^CC",
      "^FD",
      "^FS",
      "^CC",
      "^XZ",
      "~HQES",
    ],
  );
  let looked = 0;
  const text = "^FS".repeat(200_000);
  const counted = new Proxy(Object(text), {
    get: (target, name) => {
      if (name === "charCodeAt") looked++;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(text) : value;
    },
  });
  createZplScanner({ command: () => {} }).push(counted as string);
  assert.ok(looked <= 3 * text.length, `${looked} looks at ${text.length} characters`);
});

test("a command that another begins in the middle of is not a way past the checks", () => {
  assert.equal(readZpl("^XA^^RFW,H^FD00^FS^XZ").usesRfid, true);
  assert.equal(readZpl("^XA^X~RV^FDx^FS^XZ").usesRfid, true);
  assert.equal(readZpl(`${"x".repeat(500)}^XA^RFW,H^FD00^FS^XZ`).usesRfid, true);
});

test("RFID commands are found, words that look like them are not", () => {
  assert.equal(readZpl("^XA^RFW,H^FD00^FS^XZ").usesRfid, true);
  assert.equal(readZpl("^XA^RS8^FDx^FS^XZ").usesRfid, true);
  assert.equal(readZpl("^XA^FDRFW RS8^FS^XZ").usesRfid, false);
});

test("a printer that answers without end is read in one pass", () => {
  let values = 0;
  const read = createReplyReader((reply) => {
    values += reply.kind === "variable" ? 1 : 0;
  });
  // Looked at anew for every answer in it, this would take hours.
  read(Buffer.from('""'.repeat(1_000_000)));
  assert.equal(values, 1_000_000);
});

test("answers are found however they are cut and wrapped", () => {
  const said =
    '\x02030,0,1,1245,002,0,0,1,000,0,0,0\x03\r\n\x02001,0,1,0,1,2,6,0,00000007,1,000\x03\r\n\x021234,0\x03\r\n"1234"FDEPCa1x0[30aa]\r\nPRINTER STATUS\r\nERRORS: 1 00000000 00000005\r\nWARNINGS: 1 00000000 00000002\r\n"?"';
  const replies: Reply[] = [];
  const read = createReplyReader((reply) => replies.push(reply));
  for (const character of said) read(Buffer.from(character, "latin1"));
  assert.deepEqual(replies, [
    { kind: "buffer", paperOut: false, paused: true, formatsWaiting: 2, partialFormat: true, tooHot: false },
    { kind: "head", headOpen: true, ribbonOut: false, labelsRemaining: 7 },
    { kind: "variable", value: "1234" },
    { kind: "tag", key: "a1x0", epc: "30AA" },
    { kind: "errors", errors: 5, warnings: 2 },
    { kind: "variable", value: "?" },
  ]);
  assert.deepEqual(errorReasons(0x20005), ["paper-out", "head-open", "error-20000"]);
});

test("the answer to ~HQES is found as printers lay it out, in columns", () => {
  const replies: Reply[] = [];
  const read = createReplyReader((reply) => replies.push(reply));
  const printer = createPrinter();
  printer.set("head-open", true);
  printer.open((text) => read(Buffer.from(text, "latin1"))).feed(Buffer.from("~HQES"));
  assert.deepEqual(replies, [{ kind: "errors", errors: 4, warnings: 0 }]);
});

test("a tag's answer that was cut off takes nothing of the next one's, however often it begins", () => {
  const tags: string[] = [];
  const read = createReplyReader((reply) => {
    if (reply.kind === "tag") tags.push(reply.epc);
  });
  read(Buffer.from(`${"FDEPC[".repeat(40)}30aa]FDEPC[30bb]`));
  assert.deepEqual(tags, ["30AA", "30BB"]);
});
