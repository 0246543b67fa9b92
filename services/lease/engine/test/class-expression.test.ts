import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExpression, ExpressionError, type Subject } from "@frontdesk/lease-config/class-expression";
import { u32Bytes } from "@frontdesk/lease-options/address";

const options = new Map([
  [93, Uint8Array.of(0, 7)],
  [60, new Uint8Array(Buffer.from("PXEClient:Arch:00007"))],
]);
const fields: Record<string, Uint8Array> = {
  mac: Uint8Array.of(0x52, 0x54, 0, 1, 2, 3),
  vendor_class: options.get(60) as Uint8Array,
  giaddr: u32Bytes(0x0a000001),
};
const subject: Subject = {
  option: (code) => options.get(code),
  option6: (code) => (code === 61 ? Uint8Array.of(0, 16) : undefined),
  field: (name) => fields[name],
};

const cases: Array<[source: string, expected: boolean]> = [
  ["option[93] == 0x0007", true],
  ["option[client_architecture] == 0x0000", false],
  ['vendor_class starts_with "PXEClient"', true],
  ['vendor_class contains "Arch:00007"', true],
  ['mac starts_with "52:54:00"', true],
  ['mac == "52:54:00"', false],
  ['giaddr == "10.0.0.1"', true],
  ["exists option[60]", true],
  ["option6[client_architecture] == 0x0010", true],
  ["exists option6[60]", false],
  ["exists option[77]", false],
  ["not exists option[77]", true],
  ["option[77] == 0x00", false],
  ["option[77] != 0x00", true],
  ["exists option[77] or option[93] == 0x0007 and exists option[60]", true],
  ["(exists option[77] or exists option[60]) and not option[93] == 0x0007", false],
];
for (const [source, expected] of cases) {
  test(`a class matches as it reads: ${source}`, () => {
    assert.equal(compileExpression(source)(subject), expected);
  });
}

const broken: Array<[source: string, at: number]> = [
  ["", 0],
  ["option[93]", 10],
  ["option[300] == 0x00", 7],
  ["option[93] == 0x007", 14],
  ["colour == 0x00", 0],
  ["option[93] == 0x0007 option[60]", 21],
  ['mac == "zz"', 7],
  ["(exists option[60]", 18],
];
for (const [source, at] of broken) {
  test(`a class that cannot be read says where: ${source || "nothing"}`, () => {
    assert.throws(
      () => compileExpression(source),
      (error) => error instanceof ExpressionError && error.at === at,
    );
  });
}

test("an expression may be long, and only so deep", () => {
  const nothing = () => undefined;
  const subject: Subject = { option: nothing, option6: nothing, field: () => Uint8Array.of(2) };
  const one = 'mac == "02"';
  for (const word of ["and", "or"]) {
    assert.equal(compileExpression(Array(50_000).fill(one).join(` ${word} `))(subject), true);
  }
  assert.equal(compileExpression(`${"not ".repeat(100_001)}${one}`)(subject), false);
  assert.equal(compileExpression(`${"(".repeat(64)}${one}${")".repeat(64)}`)(subject), true);
  assert.equal(compileExpression(Array(100).fill(`(${one})`).join(" and "))(subject), true);
  assert.throws(
    () => compileExpression(`${"(".repeat(100_000)}${one}${")".repeat(100_000)}`),
    (error) => error instanceof ExpressionError && error.at === 64,
  );
});
