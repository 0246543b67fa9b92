import assert from "node:assert/strict";
import { test } from "node:test";
import { readingOf, valuesOf, WrongConfig } from "../src/domain/config-values.ts";

const TEXT = `[server]\nlisten = ["127.0.0.1:6767"]\n\n[[subnet]]\nnetwork = "10.77.0.0/16"\n`;

test("the values of a text are parsed once for all who ask one after the other, and nobody can change them", () => {
  const values = valuesOf(TEXT);
  assert.equal(valuesOf(`${TEXT}`), values);
  const [subnet] = values.subnet as Array<{ network: string }>;
  assert.throws(() => Object.assign(subnet ?? {}, { network: "10.78.0.0/16" }), TypeError);
  assert.throws(() => (values.subnet as unknown[]).push({}), TypeError);
  const other = valuesOf(TEXT.replace("77", "78"));
  assert.deepEqual(other.subnet, [{ network: "10.78.0.0/16" }]);
  assert.deepEqual(valuesOf(TEXT), values);
});

test("a text that is no TOML says so each time, also between two that are", () => {
  const values = valuesOf(TEXT);
  for (let times = 0; times < 2; times++) assert.throws(() => valuesOf("[server"), WrongConfig);
  assert.equal(readingOf("[server").config, undefined);
  assert.equal(valuesOf(TEXT), values);
});
