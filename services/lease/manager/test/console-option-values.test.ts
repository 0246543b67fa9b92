import assert from "node:assert/strict";
import { test } from "node:test";
import { areWritable, optionRows, optionsOf, optionTypes } from "../../console/src/option-values.ts";

const config = {
  option: [
    { code: 224, name: "motd", type: "text" },
    { code: 225, name: "ports", type: "u16_list" },
  ],
  option6: [{ code: 300, name: "motd", type: "domains" }],
};

function written(name: string, value: string, family: "v4" | "v6" = "v4"): unknown {
  return optionsOf([{ name, value }], optionTypes(config, family))?.[name];
}

test("a text is what the option takes", () => {
  assert.equal(written("domain_name", "12345"), "12345");
  assert.equal(written("interface_mtu", " 1400 "), 1400);
  assert.equal(written("time_offset", "-3600"), -3600);
  assert.equal(written("ip_forwarding", "true"), true);
  assert.equal(written("ip_forwarding", "false"), false);
  assert.deepEqual(written("routers", "10.0.0.1"), ["10.0.0.1"]);
  assert.deepEqual(written("domain_search", '["a.example"]'), ["a.example"]);
  assert.deepEqual(written("vendor_encapsulated_options", '{"6": "0x07"}'), { 6: "0x07" });
});

test("a text that the option cannot take stays as it was typed, to be refused", () => {
  for (const [name, value] of [
    ["ip_forwarding", "yes"],
    ["ip_forwarding", "TRUE"],
    ["ip_forwarding", ""],
    ["time_offset", ""],
    ["interface_mtu", "1e2"],
    ["routers", "10.0.0.1, nowhere"],
    ["no_such_option", "5"],
  ] as const)
    assert.equal(written(name, value), value);
});

test("an option that the configuration defines takes what its type says, by name and by code", () => {
  for (const value of ["Hello, world", "12345", "true", "[x"]) {
    assert.equal(written("motd", value), value);
    assert.equal(written("224", value), value);
  }
  assert.deepEqual(written("ports", "80, 443"), [80, 443]);
  assert.deepEqual(written("motd", "a.example, b.example", "v6"), ["a.example", "b.example"]);
});

test("what nobody touched is written as it is stored", () => {
  const stored = { domain_name: " a ", domain_search: ["a,b.example"], routers: ["10.0.0.1"], motd: "1, 2" };
  const typeOf = optionTypes(config);
  const rows = optionRows(stored, typeOf);
  assert.deepEqual(optionsOf(rows, typeOf), stored);
  assert.deepEqual(
    rows.filter(({ kept }) => kept !== undefined).map(({ name }) => name),
    ["domain_name"],
  );
});

test("rows are written where each has a name of its own; one that is empty is none", () => {
  const row = (name: string, value: string) => ({ name, value });
  assert.ok(areWritable([row("routers", "10.0.0.1"), row("", ""), row(" ", "")]));
  assert.ok(!areWritable([row("routers", "10.0.0.1"), row(" ", "10.0.0.2")]));
  assert.ok(!areWritable([row("routers", "10.0.0.1"), row("routers ", "")]));
});
