import assert from "node:assert/strict";
import { test } from "node:test";
import { recogniseLanguage } from "../src/languages/recognise.ts";
import { usesRfid, zplFormats } from "../src/languages/zpl-formats.ts";
import { createReplyReader, errorReasons, type Reply } from "../src/languages/zpl-replies.ts";

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
  const counts = (zpl: string) => zplFormats(zpl).map(({ labels }) => labels);
  assert.deepEqual(counts("^XA^FDa^FS^XZ^XA^FDb^FS^PQ5,0,1,Y^XZ"), [1, 5]);
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

test("RFID commands are found, words that look like them are not", () => {
  assert.equal(usesRfid("^XA^RFW,H^FD00^FS^XZ"), true);
  assert.equal(usesRfid("^XA^RS8^FDx^FS^XZ"), true);
  assert.equal(usesRfid("^XA^FDRFW RS8^FS^XZ"), false);
});

test("answers are found however they are cut and wrapped", () => {
  const said =
    '\x02030,0,1,1245,002,0,0,1,000,0,0,0\x03\r\n\x02001,0,1,0,1,2,6,0,00000007,1,000\x03\r\n\x021234,0\x03\r\n"1234"FDEPC[30aa]\r\nPRINTER STATUS\r\nERRORS: 1 00000000 00000005\r\nWARNINGS: 1 00000000 00000002\r\n"?"';
  const replies: Reply[] = [];
  const read = createReplyReader((reply) => replies.push(reply));
  for (const character of said) read(Buffer.from(character, "latin1"));
  assert.deepEqual(replies, [
    { kind: "buffer", paperOut: false, paused: true, formatsWaiting: 2, partialFormat: true, tooHot: false },
    { kind: "head", headOpen: true, ribbonOut: false, labelsRemaining: 7 },
    { kind: "variable", value: "1234" },
    { kind: "tag", epc: "30AA" },
    { kind: "errors", errors: 5, warnings: 2 },
    { kind: "variable", value: "?" },
  ]);
  assert.deepEqual(errorReasons(0x20005), ["paper-out", "head-open", "error-20000"]);
});
