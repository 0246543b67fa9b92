import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { saveTemplate } from "../src/domain/templates.ts";
import { admitted, bridge, LABEL, ORIGIN, simulator, until } from "./support.ts";

async function desk(t: TestContext, rights = { raw: true, templates: true, rfid: true }) {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address, rfid: true });
  const token = b.allow(ORIGIN, { rights });
  return { ...sim, ...b, token, page: await admitted(t, b.url, token) };
}

const TAG = "^XA^RFW,H^FD0123^FS^FDx^FS^XZ";

const BY = { actor: "cli:test", at: 0 } as const;

test("the right to RFID is judged on the whole of the data, whatever stands before its first command", async (t) => {
  const { page } = await desk(t, { raw: true, templates: true, rfid: false });
  const raw = (data: string) => page.code("print.raw", { printer: "dock", data });
  for (const before of ["", " ".repeat(300), "x".repeat(5_000), `${LABEL.repeat(50)}`, "\x1bnothing known "])
    assert.equal(await raw(before + TAG), "ORIGIN_DENIED", JSON.stringify(before.slice(0, 10)));
  assert.equal(await raw("^XA^CC#^XZ#RFW,H#FD00#FS#XZ"), "ORIGIN_DENIED", "with another caret");
  assert.equal(
    await raw("words that no printer knows"),
    "ORIGIN_DENIED",
    "what cannot be read may hold anything",
  );
  assert.equal(await raw(LABEL), undefined);
});

test("a format that is stored in an RFID printer may write tags: printing it needs the right, elsewhere it does not", async (t) => {
  const { page, access, addPrinter, address } = await desk(t, { raw: true, templates: true, rfid: false });
  addPrinter({ id: "plain", transport: "tcp", address });
  const data = "^XA^XFE:TAG.ZPL^FS^FN1^FD303400000000000000000001^FS^XZ";
  assert.equal(await page.code("print.raw", { printer: "dock", data }), "ORIGIN_DENIED");
  assert.equal(await page.code("print.raw", { printer: "plain", data }), undefined);
  access.approve(ORIGIN, { rights: { raw: true, templates: true, rfid: true } });
  assert.equal(await page.code("print.raw", { printer: "dock", data }), undefined);
});

const NO_RFID = { raw: true, templates: true, rfid: false };

test("the right to RFID, the license and the limit of labels are not passed by what a printer reads otherwise than it looks", async (t) => {
  const { page, printer } = await desk(t, NO_RFID);
  const hidden = "^XA^RFW,H^FD0123^FS^FDx^FS^XZ/CC^";
  for (const [data, copies] of [
    [`! U1 setvar "device.friendly_name" "~CC/"\r\n${hidden}`, 1],
    [`! U1 setvar "device.friendly_name" "~DYR:A,B,P,${hidden.length},1,"\r\n${hidden}`, 1],
    [`! U1 setvar "zpl.caret" "2f"\r\n/XA/RFW,H/FD0123/FS/FDx/FS/XZ`, 1],
    [`! CISDFCRC16\r\n0000\r\nA.TXT\r\n00000004\r\n0000\r\n~CC/${hidden}`, 1],
    ['{}{"zpl.caret":"2f"}/XA/RFW,H/FD0123/FS/FDx/FS/XZ', 1],
    ["/XA/RFW,H/FD0123/FS/FDx/FS/XZ^XA^FDx^FS^XZ~CC/", 2],
    [' setvar "zpl.caret" "2f"\r\n/XA/RFW,H/FD01/FS/XZ^XA^FDx^FS^XZ! U1', 2],
    ["/XA/FDx/FS/PQ9999/XZ^XA^FDx^FS^XZ~CC/", 2],
    ['! U1 do "rfid.tag.calibrate" "run"\r\n^XA^FDx^FS^XZ', 1],
    ["~JI\r\n10 PRINT CHR$(94)\r\n^XA^FDx^FS^XZ", 1],
    [`^XA^FO1,1^GFB,${hidden.length},1,1,${hidden}^FS^XZ`, 1],
    [`^XA^FDx^FS^XZ~DYR:X,P,P,45,0,FF^XA^RFW,H^FD3034AABB^FS^PQ2^XZ${" ".repeat(20)}`, 1],
    [`^XA^FDx^FS^XZ~DYR:X,P,P,2,0,FFFF^XA^RFW,H^FD3034AABB^FS^XZ`, 1],
    [`^XA^FDx^FS^XZ~DYR:X,C,G,45,0,FF^XA^RFW,H^FD3034AABB^FS^XZ${" ".repeat(20)}`, 1],
  ] as const) {
    const code = await page.code("print.raw", { printer: "dock", data, copies });
    assert.ok(code === "ORIGIN_DENIED" || code === "PROTOCOL_ERROR", `${code}: ${data}`);
  }
  const plain = '~CC^~CT~^XA^CI28^FO1,1^FDsay "hi"! U do^FS^XZ! U1 setvar "media.type" "label"\r\n';
  assert.equal(await page.code("print.raw", { printer: "dock", data: plain, copies: 2 }), undefined);
  await until("the plain ones are out", () => printer.labels.length === 2);
  assert.deepEqual([printer.counters.valid, printer.counters.voids], [0, 0]);
});

test("ZPL in its second spelling, by control characters, is refused; pictures and other languages keep those octets", async (t) => {
  const { page, printer, addPrinter, address } = await desk(t, NO_RFID);
  for (const data of [
    "\x1eXA\x1eRFW\x1fH\x1eFD3034\x1eFS\x1eXZ",
    "\x02\x1eRFW\x1fH\x1eFD3034\x0f\x03",
    "\x02\x1eFDa\x0f\x1ePQ99999\x03",
    "\x02\x1eFDa\x0f",
    "\x02\x1eCC+\x03",
    "\x02\x1eFN1\x1eFDx\x0f\x1eHV1\x1f8\x1fFDEPC[\x1f]\x1fL\x03",
    "\x10JI",
    "\x02",
    "^XA^FDa\x03",
    "^XA^PQ1\x1f2^FDa^FS^XZ",
  ]) {
    const code = await page.code("print.raw", { printer: "dock", data: LABEL + data });
    assert.ok(code === "ORIGIN_DENIED" || code === "PROTOCOL_ERROR", `${code}: ${JSON.stringify(data)}`);
  }
  assert.equal(printer.labels.length, 0);
  const graphic = "\x02\x03\x0f\x10\x1e\x1f\x02\x03";
  const picture = `^XA^FO1,1^GFB,8,8,1,${graphic}^FS^XZ`;
  assert.equal(await page.code("print.raw", { printer: "dock", data: picture }), undefined);
  addPrinter({ id: "epl", transport: "tcp", address, languages: ["zpl", "epl"] });
  const epl = `N\nGW1,1,1,8,${graphic}\nP1\n`;
  assert.equal(await page.code("print.raw", { printer: "epl", data: epl }), undefined);
  assert.equal(
    await page.code("print.raw", { printer: "epl", data: `${epl}\x1eXA\x1eJI` }),
    "PROTOCOL_ERROR",
    "the printer would obey it",
  );
});

test("what stops, resets or locks a printer for everybody is refused; the header of design programs is not", async (t) => {
  const { page } = await desk(t);
  const raw = (data: string) => page.code("print.raw", { printer: "dock", data });
  const commands = [
    "~PP",
    "^PP",
    "~JP",
    "~JA",
    "~JX",
    "~JR",
    "~JD",
    "^JB",
    "^JUF",
    "^JUN",
    "^SZ1",
    "^KP1234",
  ];
  const network = [
    "^ND2,A",
    "^NSA,10.0.0.9",
    "^WIA,10.0.0.9",
    "^WX09",
    "^WSx",
    "^NC2",
    "^NPW",
    "~NR",
    "~NT123",
  ];
  const stored = ["^EF", "^EG", "~EG", "^IDE:*.*", "^IDZ:*.ZPL", "^IDB:A?.GRF", "^CMB,R,E,A"];
  const others = [
    "^SC115200,8,N,1,X,Z",
    "^MPM",
    "^ZZ10,Y",
    "~KB",
    "^SXA,A,Y,Y,10.0.0.9,25",
    "^SQA",
    "^JJ1,1,L,E,D",
    "^JZN",
    "^JZ n",
    "^JZN^JUS",
  ];
  for (const command of [...commands, ...network, ...stored, ...others])
    assert.equal(await raw(`${LABEL}^XA${command}^XZ`), "PROTOCOL_ERROR", command);
  const header = "CT~~CD,~CC^~CT~^XA~TA000~JSN^LT0^MNW^MTD^PON^PMN^LH0,0^JMA^PR4,4~SD15^JUS^LRN^CI0^XZ";
  assert.equal(await raw(`${header}^XA^SZ2^JZY^FDx^FS^XZ^XA^IDR:*.GRF^FS^IDE:LOGO.GRF^FS^XZ`), undefined);
  const file = `\x10${header}\r\n${LABEL}\r\n`;
  assert.equal(await raw(file + file), undefined, "as ZebraDesigner and Zebra's driver write it");
  const ended = await page.ended(await page.jobId("print.raw", { printer: "dock", data: file, copies: 2 }));
  assert.deepEqual([ended.state, ended.labels.length], ["Done", 2]);
  for (const odd of ["\x10CT+", "\x10CT\x10", "\x10C", "\x10\x10CT~", "\x10CC^", "\x10CT"])
    assert.equal(await raw(odd + LABEL), "PROTOCOL_ERROR", JSON.stringify(odd));
});

test("settings (Set-Get-Do) are judged however they are written", async (t) => {
  const { page, printer } = await desk(t, NO_RFID);
  const refused = (data: string) => page.code("print.raw", { printer: "dock", data });
  for (const command of [
    'setvar "zpl.caret" "+"',
    'setvar "device.languages" "epl"',
    'setvar "rfid.enable" "on"',
    'getvar "device.friendly_name"',
    'do "device.restore_defaults" "all"',
    'setvar "ip.addr" "10.0.0.9"',
  ]) {
    const [verb = "", ...rest] = command.split(" ");
    for (const data of [
      `! U1 ${command}\r\n`,
      `! U1 ${verb}${" ".repeat(45)}${rest.join(" ")}\r\n`,
      `! U1\t${command}\r\n`,
      `! U1\r\n${command}\r\n`,
      `!U1 ${command.toUpperCase()}\r\n`,
      `! U1 setvar "a.b" "1"\r! U1 ${command}\r\n`,
      `! U1 setvar "a.b" "1"\r${command}\r\n`,
      `! U1 setvar "a.b" "1" ! U1 ${command}\r\n`,
      `! U1 setvar "a.b" "1" ${command}\r\n`,
      `! U setvar "a.b" "1"\r\n${command}\r\nEND \r\n`,
      `! U JOURNAL\r\n${command}\r\nEND\r\n`,
      `! UTILITIES\r\n${command}\r\nPRINT\r\n`,
      `! U\r\n${verb}\0${rest.join(" ")}\r\nPRINT\r\n`,
      `! U1 setvar "a.b" "\r\n${command}\r\n`,
    ]) {
      const code = await refused(LABEL + data);
      assert.ok(code === "ORIGIN_DENIED" || code === "PROTOCOL_ERROR", `${code}: ${JSON.stringify(data)}`);
    }
  }
  for (const data of [
    '! U1 setvar zpl.caret "+"\r\n',
    "! U1 do device.reset\r\n",
    '! U setvar "a.b" "1"\r\n',
    '! U1 setvar "a.b" "1"\r',
    "! U\r\n",
    "! U1 set",
    "! U JOURNAL\r\n",
    "\r\n! U JOURNAL\r\nPRINT\r\n",
    "! U1 JOURNAL\r\n",
    "!u1\tlt CR\r\n",
    "x! U DUMP\r\nEND\r\n",
    "! UTILITIES\r\nBAUD 9600\r\nPRINT\r\n",
  ])
    assert.equal(await refused(LABEL + data), "PROTOCOL_ERROR", data);
  for (const data of [
    '! U setvar "media.type" "label"\r\nsetvar "media.speed" "4"\r\nEND \r\n',
    "^XA^FDStop! U can do it, and print^FS^XZ",
    "^XA^FDHey! U rock! U2^FS^XZ",
  ])
    assert.equal(await refused(LABEL + data), undefined, data);
  await until("the plain ones are out", () => printer.labels.length === 5);
});

test("a job sets what concerns labels alone: nothing resets the printer, moves it or changes its counters, by whatever verb", async (t) => {
  const { page, addPrinter, address } = await desk(t);
  addPrinter({ id: "mute", transport: "tcp", address, feedback: "none" });
  const code = (command: string) =>
    page.code("print.raw", { printer: "mute", data: `${LABEL}! U1 ${command}\r\n` });
  for (const name of [
    "device.reset",
    "device.restore_defaults",
    "device.friendly_name",
    "input.capture",
    "interface.network.active.ip_addr",
    "ip.addr",
    "comm.baud",
    "power.shutdown",
    "odometer.total_label_count",
    "file.delete",
    "zpl.format_prefix",
    "mediaxtype",
    "ezpl.reprint_mode",
    "EZPL.Reprint_Mode ",
  ])
    for (const verb of ["setvar", "do"])
      assert.equal(await code(`${verb} "${name}" "ip"`), "PROTOCOL_ERROR", `${verb} ${name}`);
  for (const command of [
    'setvar "media.type" "label"',
    'setvar "ezpl.print_width" "800"',
    'setvar "print.tone" "10"',
    'setvar "zpl.label_length" "1200"',
    'setvar "device.languages" "hybrid_xml_zpl"',
    'setvar "rfid.position.program" "F0"',
    'do "rfid.tag.calibrate" "run"',
    'getvar "device.friendly_name"',
  ])
    assert.equal(await code(command), undefined, command);
});

test("data of more commands than labels have is refused, and copies are judged where they meet", async (t) => {
  const { page } = await desk(t, NO_RFID);
  const code = (data: string, copies = 1) => page.code("print.raw", { printer: "dock", data, copies });
  assert.equal(await code("^A0".repeat(251_000)), "PAYLOAD_TOO_LARGE");
  assert.equal(await code(`^XA^XZ${'! U1 setvar "a" "b"\n'.repeat(126_000)}`), "PAYLOAD_TOO_LARGE");
  assert.equal(await code(LABEL.repeat(9_000)), undefined);
  assert.equal(await code(`9001${LABEL}^FN`, 2), "PROTOCOL_ERROR", "the field of the bridge, in two halves");
  assert.equal(await code(`9001${LABEL}^FN`), undefined);
  assert.equal(await code(`{"zpl.caret":"2f"}${LABEL}{}`, 2), "PROTOCOL_ERROR");
});

test("data that would leave a printer waiting, or with another grammar, is refused, and the next job prints", async (t) => {
  const { page, printer } = await desk(t);
  for (const data of [
    `${LABEL}~DYR:A,B,P,500,1,xyz`,
    `${LABEL}~DYR:A,B`,
    `${LABEL}^GFB,500,500,10,xyz`,
    `${LABEL}~CT!`,
    `${LABEL}~CC/`,
    `${LABEL}^CD;`,
    `${LABEL}~CC`,
    `${LABEL}^`,
    `${LABEL}! U1 setvar "a" "b"`,
    `${LABEL}! U1`,
    `${LABEL}! U1 setvar "device.languages" "line_print"\r\n`,
  ])
    assert.equal(await page.code("print.raw", { printer: "dock", data }), "PROTOCOL_ERROR", data);
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(printer.labels.length, 1);
});

test("data that makes a printer answer is refused where its answers are believed, and taken where nobody reads them", async (t) => {
  const { page, addPrinter, address } = await desk(t);
  const idle = "_02030,0,0,1245,000,0,0,0,000,0,0,0_03_02001,0,0,0,1,2,6,0,00000000,1,000_03";
  const questions = [
    `^XA^FN1^FDx^FS^FH_^HV1,0,${idle},,L^FS^XZ`,
    `^XA^FN${9001}^FD${"00".repeat(12)}^FS^FDx^FS^XZ`,
    `~HS${LABEL}`,
    `^XA^HFR:A.ZPL^XZ${LABEL}`,
    `! U1 getvar "device.friendly_name"\r\n${LABEL}`,
    `! U1 do "file.type" "R:A.TXT"\r\n${LABEL}`,
  ];
  for (const data of questions)
    assert.equal(await page.code("print.raw", { printer: "dock", data }), "PROTOCOL_ERROR", data);
  addPrinter({ id: "mute", transport: "tcp", address, feedback: "none" });
  assert.equal(await page.code("print.raw", { printer: "mute", data: `~HS${LABEL}` }), undefined);
});

test("a printer that speaks ZPL and another language is protected whatever the data begins with", async (t) => {
  const { page, printer, addPrinter, address } = await desk(t);
  addPrinter({ id: "both", transport: "tcp", address, languages: ["zpl", "epl", "escpos"] });
  for (const data of [
    "N\n~CC+\n",
    "N\n^XA^FDswallow",
    'N\n! U1 setvar "zpl.caret" "+"\r\n',
    'N\n! U1 getvar "odometer.total_label_count"\r\n',
    "N\n~HS",
    "N\n~JIR:X",
    "\x1b@hello\n~JI\n",
  ])
    assert.equal(await page.code("print.raw", { printer: "both", data }), "PROTOCOL_ERROR", data);
  const job = await page.ended(await page.jobId("print.raw", { printer: "both", data: LABEL }));
  assert.deepEqual([job.state, printer.labels.length], ["Done", 1]);
});

test("settings are CPCL's own in CPCL, but it must end their block, and templates alone do not reach them", async (t) => {
  const { page, addPrinter, address, registry, access } = await desk(t);
  addPrinter({ id: "both", transport: "tcp", address, languages: ["zpl", "cpcl"], feedback: "none" });
  const code = (data: string) => page.code("print.raw", { printer: "both", data });
  const label = "! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hello\r\nFORM\r\nPRINT\r\n";
  assert.equal(await code(`${label}! U1 JOURNAL\r\n! U1 SETFF 50 2\r\n`), undefined);
  assert.equal(await code(`${label}! U\r\nJOURNAL\r\nPRINT\r\n`), undefined);
  assert.equal(await code(`${label}! U\r\nJOURNAL\r\n`), "PROTOCOL_ERROR");
  const body = "! 0 200 200 210 1\r\nTEXT 4 0 30 40 {{1}}\r\nFORM\r\nPRINT\r\n";
  saveTemplate(registry, { id: "tag", name: "tag", language: "cpcl", dpmm: 8, body }, BY);
  access.approve(ORIGIN, { rights: { raw: false, templates: true, rfid: true } });
  const print = (value: string) =>
    page.code("print.template", { printer: "both", template: "tag", labels: [{ params: [value] }] });
  assert.equal(await print("! U1 JOURNAL"), "PROTOCOL_ERROR");
  assert.equal(await print("Hello! U"), undefined);
});

test("an origin for templates only makes no ZPL of a value in another language", async (t) => {
  const { page, printer, addPrinter, address, registry } = await desk(t, {
    raw: false,
    templates: true,
    rfid: false,
  });
  addPrinter({ id: "both", transport: "tcp", address, languages: ["zpl", "epl", "escpos"] });
  const save = (id: string, language: "epl" | "escpos", body: string) =>
    saveTemplate(registry, { id, name: id, language, dpmm: 8, body }, BY);
  save("epl", "epl", 'N\nA30,30,0,4,1,1,N,"{{1}}"\nP1\n');
  save("receipt", "escpos", "\x1b@{{1}} {{2}}\n\n");
  const code = (template: string, ...params: string[]) =>
    page.code("print.template", { printer: "both", template, labels: [{ params }] });
  for (const value of ["^XA^FO30,30^FDFREE^FS^PQ3^XZ", "~CC+", "10^3"])
    assert.equal(await code("epl", value), "PROTOCOL_ERROR", value);
  for (const [one, two] of [
    ['! U1 setvar "device.friendly_name" "mine"', "x"],
    ["! U1", 'setvar "device.friendly_name" "mine"'],
    ["!", 'U1 setvar "device.friendly_name" "mine"'],
  ] as const)
    assert.equal(await code("receipt", one, two), "PROTOCOL_ERROR", `${one} ${two}`);
  assert.equal(await code("receipt", "Thank", "you!"), undefined);
  save("zpl-inside", "epl", "N\n^XA^FDx^FS^XZ\nP1\n");
  assert.equal(await code("zpl-inside"), "ORIGIN_DENIED", "that is raw ZPL");
  assert.equal(printer.labels.length, 0);
});

test("labels are counted in the whole of the data", async (t) => {
  const { page } = await desk(t);
  const many = `${" ".repeat(400)}^XA^FDx^FS^PQ20000^XZ`;
  assert.equal(await page.code("print.raw", { printer: "dock", data: many }), "PAYLOAD_TOO_LARGE");
  const recalled = "^XA^XFR:T.ZPL^FS^PQ20000^XZ";
  assert.equal(await page.code("print.raw", { printer: "dock", data: recalled }), "PAYLOAD_TOO_LARGE");
});

test("the right to RFID and the quantity are judged in other languages too", async (t) => {
  const { page, addPrinter, address } = await desk(t, NO_RFID);
  for (const language of ["sbpl", "tspl", "epl", "cpcl"] as const)
    addPrinter({ id: language, transport: "tcp", address, languages: [language], feedback: "none" });
  const rfid = { transport: "tcp", address, feedback: "none", rfid: true } as const;
  addPrinter({ id: "tags", languages: ["epl"], ...rfid });
  addPrinter({ id: "mobile", languages: ["cpcl"], ...rfid });
  for (const [printer, data, code] of [
    ["sbpl", "\x1bA\x1bIP0e:h,epc:E200123456789012345678AB;\x1bQ1\x1bZ", "ORIGIN_DENIED"],
    ["tspl", 'CLS\r\nRFID WRITE,0,HEX,2,12,EPC,"E2001234"\r\nPRINT 1\r\n', "ORIGIN_DENIED"],
    ["tags", 'N\nA1,1,0,4,1,1,N,"x"\nP1\n', "ORIGIN_DENIED"],
    ["mobile", "! 0 200 200 210 1\r\nTEXT 4 0 30 40 x\r\nPRINT\r\n", "ORIGIN_DENIED"],
    // No RFID command of CPCL is published, so a word is not taken for one.
    ["cpcl", "! 0 200 200 210 1\r\nRFID 4 0 30 40 x\r\nPRINT\r\n", undefined],
    ["epl", 'N\nA1,1,0,4,1,1,N,"x"\nP65535\n', "PAYLOAD_TOO_LARGE"],
    ["tspl", 'CLS\r\nTEXT 1,1,"4",0,1,1,"x"\r\nPRINT 9000\r\nPRINT 9000\r\n', "PAYLOAD_TOO_LARGE"],
    ["cpcl", "! 0 200 200 210 20000\r\nTEXT 4 0 30 40 x\r\nPRINT\r\n", "PAYLOAD_TOO_LARGE"],
    ["sbpl", "\x1bA\x1bH0100\x1bQ20000\x1bZ", "PAYLOAD_TOO_LARGE"],
    ["epl", 'N\nA1,1,0,4,1,1,N,"x"\nP2\n', undefined],
  ] as const)
    assert.equal(await page.code("print.raw", { printer, data }), code, data);
});

test("a job is not printed again by a printer of another language", async (t) => {
  const { page, addPrinter, address, http, adminToken } = await desk(t);
  const id = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await page.ended(id);
  addPrinter({ id: "dock", transport: "tcp", address, languages: ["epl"], feedback: "none" });
  const response = await fetch(`${http}/api/v1/admin/jobs/${id}/reprint`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminToken}` },
  });
  assert.equal(((await response.json()) as { error: string }).error, "LANGUAGE_MISMATCH");
});

test("counts of graphics that a printer may read otherwise, and templates that no printer is given, are refused", async (t) => {
  const { page, registry, http, token } = await desk(t);
  for (const data of [
    "^XA^GFB,1e1,10,1,0123456789^FS^XZ",
    "^XA^GFB,0x2,2,1,01^FS^XZ",
    "^XA^GFB,10,20,1,0123456789^FS^XZ",
    "^XA^GFC,1e1,40,1,0123456789^FS^XZ",
    "^XA^GF B,10,10,1,0123456789^FS^XZ",
    "^XA^GFB ,10,10,1,0123456789^FS^XZ",
    "^XA^GFD,10,10,1,0123456789^FS^XZ",
    "^XA^GFB,10,10,1^FS^XZ",
    `^XA^GFB,10,10,${"1".padStart(200, "0")},0123456789^FS^XZ`,
    "^XA^FDx^FS^XZ~DYR:A,B ,G,10,1,0123456789",
    "^XA^FDx^FS^XZ~DYR:A,B,G,1e1,1,0123456789",
    `^XA^FDx^FS^XZ~DYR:${"A".repeat(200)},B,G,10,1,0123456789`,
    "^XA^FDx^FS^XZ~DYR:A,C,G,10,1,0123456789",
    "^XA^FDx^FS^XZ~DYR:A,P,P,4,,^~^~",
    "^XA^FDx^FS^XZ~DYR:A,P,P,4,,\x89PNG",
    "^XA^FDx^FS^XZ~DYR:A,P,P,9,,89504E47",
    "^XA^FDx^FS^XZ~DYR:A,P,P,,,89504E47",
    "^XA^FDx^FS^XZ~DYR:A,P,P",
  ])
    assert.equal(await page.code("print.raw", { printer: "dock", data }), "PROTOCOL_ERROR", data);
  const compressed = "^XA^FO1,1^GFC,10,40,5,0123456789^FS^XZ";
  for (const data of [
    compressed,
    "^XA^FO1,1^GFb,4,4,1,^~^~^FS^XZ",
    "^XA^FO1,1^GFA,2,2,1,FFFF^FS^XZ",
    "^XA^FO1,1^GF,2,2,1,FFFF^FS^XZ",
    "^XA^FO1,1^FDx^FS^XZ~DYR:A,A,G,2,1,FFFF",
    "^XA^FO1,1^FDx^FS^XZ~DYR:A,B,P,4,,^~^~",
    "^XA^FO1,1^FDx^FS^XZ~DYR:A,P,P,4,,89504E47\r\n",
    "^XA^FO1,1^FDx^FS^XZ~DYR:A,P,P,4,,:Z64:eJzrDPBz5w==:1A2B",
  ])
    await page.ask("print.raw", { printer: "dock", data });
  for (const body of [
    "^XA^JI^FDx^FS^XZ",
    "^XA^FN9001^FDx^FS^XZ",
    '^XA^FDx^FS^XZ! U1 setvar "zpl.caret" "+"\n',
  ])
    assert.throws(
      () => saveTemplate(registry, { id: "x", name: "x", language: "zpl", dpmm: 8, body }, BY),
      /The template/,
      body,
    );
  const asked = await fetch(`${http}/write`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
    body: JSON.stringify({ device: { uid: "dock" }, data: '! U1 getvar "~CC+"\r\n' }),
  });
  assert.equal(asked.status, 400, "no question, and refused as data");
});

test("no data is no job", async (t) => {
  const { page } = await desk(t);
  assert.equal(await page.code("print.raw", { printer: "dock", data: "" }), "PROTOCOL_ERROR");
});

test("a template is not filled further than a job may be long", async (t) => {
  const { page, registry } = await desk(t);
  const body = `^XA^FX${"x".repeat(900_000)}^FS^FD{{1}}^FS^XZ`;
  registry.templates.put("big", { id: "big", name: "big", language: "zpl", dpmm: 8, body, version: 1 });
  const labels = Array.from({ length: 500 }, () => ({ params: ["x"] }));
  assert.equal(
    await page.code("print.template", { printer: "dock", template: "big", labels }),
    "PAYLOAD_TOO_LARGE",
  );
});
