// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers speak in control characters
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Language } from "../src/domain/printer.ts";
import { checkTemplate, fillTemplate, placeholdersOf, Unusable } from "../src/languages/template.ts";
import { admitted, bridge, simulator, until } from "./support.ts";

/** What a ZPL printer makes of a text without graphics: a command is whatever a caret or a tilde begins. */
function heard(zpl: string | Uint8Array) {
  return Buffer.from(zpl as Uint8Array)
    .toString("latin1")
    .split(/(?=[\^~])/)
    .map((command) => ({ name: command.slice(0, 3), text: command.slice(3) }));
}

const filledText = (...words: Parameters<typeof fillTemplate>) =>
  Buffer.from(fillTemplate(...words)).toString("utf8");

/** Field data as the printer decodes it under ^FH. */
function fieldData(zpl: string | Uint8Array): string[] {
  const fields: string[] = [];
  let hex: string | undefined;
  for (const { name, text } of heard(zpl)) {
    if (name === "^FH") hex = text.trim() || "_";
    if (name === "^FS") hex = undefined;
    if (name === "^FD") {
      const decoded = hex
        ? text.replace(new RegExp(`\\${hex}([0-9A-F]{2})`, "g"), (_, code) =>
            String.fromCharCode(Number.parseInt(code, 16)),
          )
        : text;
      fields.push(Buffer.from(decoded, "latin1").toString("utf8"));
    }
  }
  return fields;
}

/** What is a command, or a placeholder, wherever a value must be neither. */
const tricky = fc
  .array(fc.constantFrom("^", "~", "^XZ", "~JA", "_", "{{1}}", "{{2}}", "{{", "}}", "\\", '"', ">"), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.toWellFormed()),
  tricky,
);
const printable = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !/\p{Cc}/u.test(text));

const ZPL =
  "^XA^CI28^FO10,10^A0N,30^FDName_1: {{1}}^FS^FO10,60^FH\\^FDx\\5Ey {{2}}{{1}}^FS^FO9,9^BQN,2,5^FDQA,{{3}}^FS^XZ";

test("zpl: whatever the values are, the printer reads back exactly them, and no command more or less", () => {
  const commands = (values: string[]) => heard(fillTemplate("zpl", ZPL, values)).map(({ name }) => name);
  const plain = commands(["a", "b", "c"]);
  fc.assert(
    fc.property(anyText, anyText, anyText, (one, two, three) => {
      const filled = fillTemplate("zpl", ZPL, [one, two, three]);
      assert.deepEqual(fieldData(filled), [`Name_1: ${one}`, `x^y ${two}${one}`, `QA,${three}`]);
      assert.deepEqual(commands([one, two, three]), plain);
    }),
    { numRuns: 500 },
  );
});

test("zpl: the characters that end a field or begin a command are written in hex", () => {
  assert.equal(
    filledText("zpl", "^XA^FD{{1}}^FS^XZ", ["^XZ~JA_é"]),
    "^XA^CI28^FH_^FD_5EXZ_7EJA_5F_C3_A9^FS^XZ",
  );
});

test('zpl: in Code 128 a ">" is a bar code command, so it is written as one that means itself', () => {
  assert.equal(filledText("zpl", "^XA^BCN,100^FD{{1}}^FS^XZ", ["a>b"]), "^XA^BCN,100^FH_^FDa>0b^FS^XZ");
  assert.equal(filledText("zpl", "^XA^FD{{1}}^FS^XZ", ["a>b"]), "^XA^FH_^FDa>b^FS^XZ");
  assert.equal(
    filledText("zpl", "^XA^BCN,100,Y,N,N,A^FD{{1}}^FS^XZ", ["a>b"]),
    "^XA^BCN,100,Y,N,N,A^FH_^FDa>b^FS^XZ",
  );
});

test("zpl: in a Data Matrix of quality 200 the character that begins its commands is doubled", () => {
  const fill = (command: string, field: string, value: string) =>
    filledText("zpl", `^XA${command}^FD${field}^FS^FD{{1}}^FS^XZ`, [value]);
  const written = (command: string, first: string, second: string) =>
    `^XA${command}^FH_^FD${first}^FS^FH_^FD${second}^FS^XZ`;
  const given = "^BXN,8,200,,,,_";
  assert.equal(fill(given, "_1{{1}}", "AB_1C"), written(given, "_5F1AB_5F_5F1C", "AB_5F1C"));
  // By which character, where none is given, differs by firmware.
  for (const command of ["^BXN,8,200", "^BXN,8,200,,,,\n"])
    assert.equal(fill(command, "{{1}}", "a~1_"), written(command, "a_7E1_5F", "a_7E1_5F"));
  assert.equal(
    fill("^BXN,8,200,,,,$", "{{1}}", "a$1$&~"),
    written("^BXN,8,200,,,,$", "a$$1$$&_7E", "a$1$&_7E"),
  );
  assert.equal(fill("^BXN,8,140,,,,_", "{{1}}", "a_1"), written("^BXN,8,140,,,,_", "a_5F1", "a_5F1"));
});

/** How each line language reads a piece of text back. */
const READERS: Record<
  Exclude<Language, "zpl">,
  { template: string; read: (line: string) => string | undefined }
> = {
  epl: {
    template: 'N\nA50,0,0,1,1,1,N,"{{1}}"\nP1\n',
    read: (text) =>
      /^N\nA50,0,0,1,1,1,N,"((?:[^"\\\n]|\\.)*)"\nP1\n$/su.exec(text)?.[1]?.replace(/\\(.)/gsu, "$1"),
  },
  tspl: {
    template: 'CLS\nTEXT 10,10,"3",0,1,1,"{{1}}"\nPRINT 1\n',
    read: (text) =>
      /^CLS\nTEXT 10,10,"3",0,1,1,"((?:[^"\n]|\\\["\])*)"\nPRINT 1\n$/su
        .exec(text)?.[1]
        ?.replaceAll('\\["]', '"'),
  },
  cpcl: {
    template: "! 0 200 200 210 1\nT 4 0 30 40 {{1}}\nPRINT\n",
    read: (text) => /^! 0 200 200 210 1\nT 4 0 30 40 ([^\n]*)\nPRINT\n$/u.exec(text)?.[1],
  },
  escpos: {
    template: "\x1b@{{1}}\n\x1dV0",
    read: (text) => /^\x1b@([^\x1b\x1d\n]*)\n\x1dV0$/u.exec(text)?.[1],
  },
  sbpl: {
    template: "\x1bA\x1bL0202{{1}}\x1bZ",
    read: (text) => /^\x1bA\x1bL0202([^\x1b]*)\x1bZ$/u.exec(text)?.[1],
  },
};

for (const [language, { template, read }] of Object.entries(READERS) as Array<
  [Exclude<Language, "zpl">, (typeof READERS)["epl"]]
>) {
  test(`${language}: a value is read back as it was given, or refused; it never becomes a command`, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          printable,
          tricky,
          anyText,
          fc.constantFrom('"', "\\", '\\"', '\\["]', "\\[", "a\nP9", "\x1b@", "\x1bZ"),
        ),
        (value) => {
          let filled: string;
          try {
            filled = filledText(language, template, [value]);
          } catch (error) {
            assert.ok(error instanceof Unusable);
            assert.match(value, language === "tspl" ? /[\u0000-\u001f\u007f]|\\\[/ : /[\u0000-\u001f\u007f]/);
            return;
          }
          assert.equal(read(filled), value);
        },
      ),
      { numRuns: 500 },
    );
  });
}

test("tspl: a value makes no command with what stands beside it", () => {
  const fill = (template: string, values: string[]) => () => filledText("tspl", template, values);
  for (const [template, values] of [
    ['TEXT "\\{{1}}"', ["[R]"]],
    ['TEXT "{{1}}[R]"', ["\\"]],
    ['TEXT "{{1}}{{2}}"', ["\\", "[R]"]],
  ] as const)
    assert.throws(fill(template, [...values]), Unusable);
  assert.equal(fill('TEXT "{{1}}"', ["[R] C:\\"])(), 'TEXT "[R] C:\\"');
});

test("placeholders count from one, each once, in order", () => {
  assert.deepEqual(placeholdersOf("{{3}} {{1}} {{3}} {{ 2 }} {{x}}"), [1, 3]);
});

test("a template that could not be filled safely is not taken", () => {
  for (const body of [
    "^XA^FD{{0}}^FS^XZ",
    "^XA^FO{{1}},10^FDx^FS^XZ",
    "^XA^CC#^FD{{1}}^FS^XZ",
    "^XA^FDx^FS{{1}}^XZ",
    "^XA^FD{{1}}^FS",
    "^XA^CI27^FDпривет^FS^XZ",
    "no label",
  ]) {
    assert.throws(() => checkTemplate("zpl", body), Unusable, body);
  }
  assert.doesNotThrow(() => checkTemplate("zpl", ZPL));
  assert.doesNotThrow(() => checkTemplate("zpl", "~CC^~CT~^XA^FD{{1}}^FS^XZ"), "as ZebraDesigner begins");
  const header = "\x10CT~~CD,~CC^~CT~";
  assert.doesNotThrow(() => checkTemplate("zpl", `${header}^XA^FD{{1}}^FS^XZ`));
  assert.ok(Buffer.from(fillTemplate("zpl", `${header}^XA^FD{{1}}^FS^XZ`, ["x"])).includes(header));
});

test("zpl: text goes in the character set that the template chooses, fixed text and values alike", () => {
  const hex = (body: string, ...values: string[]) =>
    Buffer.from(fillTemplate("zpl", body, values)).toString("hex");
  const bytes = (text: string, ...more: number[]) =>
    Buffer.concat([Buffer.from(text), Buffer.from(more)]).toString("hex");
  assert.equal(
    Buffer.from(fillTemplate("zpl", "^XA^CI27^FDé{{1}}^FS^XZ", ["€"])).toString("latin1"),
    "^XA^CI27^FH_^FD\xe9_80^FS^XZ",
  );
  assert.equal(
    Buffer.from(fillTemplate("zpl", "^XA^CI0^FDé{{1}}^FS^XZ", ["ä"])).toString("latin1"),
    "^XA^CI0^FH_^FD\x82_84^FS^XZ",
  );
  assert.equal(filledText("zpl", "^XA^FDé^FS^XZ", []), "^XA^CI28^FDé^FS^XZ", "without one: UTF-8");
  assert.equal(filledText("zpl", "^XA^FDe^FS^XZ", []), "^XA^FDe^FS^XZ");
  assert.equal(hex("^XA^CI28^FDé^FS^XZ"), bytes("^XA^CI28^FDé^FS^XZ"));
  assert.throws(() => fillTemplate("zpl", "^XA^CI27^FD{{1}}^FS^XZ", ["привет"]), Unusable);
});

test("print.template fills each label; a missing value lists every gap and prints nothing", async (t) => {
  const { printer, address } = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address });
  b.registry.templates.put("badge", {
    id: "badge",
    name: "Badge",
    language: "zpl",
    dpmm: 8,
    body: "^XA^FO9,9^FD{{1}} {{3}}^FS^XZ",
    version: 4,
  });
  b.registry.templates.put("receipt", {
    id: "receipt",
    name: "Receipt",
    language: "escpos",
    dpmm: 8,
    body: "\x1b@{{1}}\n",
    version: 1,
  });
  const page = await admitted(t, b.url, b.allow());
  assert.deepEqual((await page.ask("templates.list", { printer: "dock" })).templates, [
    { id: "badge", name: "Badge", language: "zpl", dpmm: 8, placeholders: [1, 3], rfid: false, version: 4 },
  ]);
  const print = (labels: object[], template = "badge") =>
    page.call("print.template", { printer: "dock", template, labels });
  const refused = await print([{ params: ["a", "", "c"] }, { params: ["a"] }, { params: [] }]);
  assert.equal(refused.error?.code, "TEMPLATE_PARAMS_MISSING");
  assert.deepEqual(refused.error?.details?.missing, [
    { label: 1, placeholders: [3] },
    { label: 2, placeholders: [1, 3] },
  ]);
  assert.equal((await print([{ params: ["x"] }], "receipt")).error?.code, "LANGUAGE_MISMATCH");
  assert.equal(
    (await print(Array.from({ length: 501 }, () => ({ params: ["a", "b", "c"] })))).error?.code,
    "PAYLOAD_TOO_LARGE",
  );
  const { result } = await print([{ params: ["Ada", "-", "^XZ"] }, { params: ["Bob", "-", "~JA"] }]);
  const job = await page.ended(result?.jobId as string);
  assert.deepEqual([job.state, job.labels.length], ["Done", 2]);
  await until("both are out", () => printer.labels.length === 2);
  assert.deepEqual(
    printer.labels.flatMap(({ zpl }) => fieldData(zpl)),
    ["Ada ^XZ", "Bob ~JA"],
  );
});
