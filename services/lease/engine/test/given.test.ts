import assert from "node:assert/strict";
import { test } from "node:test";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { desk } from "./desk.ts";

const net = (subnet: string, pool = "") =>
  `[[subnet]]\nnetwork = "10.77.0.0/16"\n${subnet}\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n${pool}\n`;
const time = (toml: string, asked?: number) =>
  desk(toml).discover(asked === undefined ? {} : { options: [[CODE.leaseTime, u32Bytes(asked)]] })?.options
    .lease_time;

const times: Array<[name: string, toml: string, asked: number | undefined, expected: number]> = [
  ["the built-in default", net(""), undefined, 3600],
  [
    "a pool's maximum holds for the subnet's default",
    net("default_time = 7200", "max_time = 600"),
    undefined,
    600,
  ],
  ["a pool's maximum holds for the server's default", net("", "max_time = 600"), undefined, 600],
  [
    "a pool's minimum holds for the subnet's default",
    net("default_time = 100", "min_time = 600"),
    undefined,
    600,
  ],
  [
    "the server's maximum holds for a subnet's default",
    `[lease]\nmax_time = 600\n${net("default_time = 7200")}`,
    undefined,
    600,
  ],
  ["a default beyond the built-in maximum is meant", net("default_time = 900000"), undefined, 900_000],
  ["what is asked for is cut to the maximum", net("max_time = 600"), 5000, 600],
  ["a default below the minimum that nobody wrote down", net("default_time = 30"), undefined, 30],
  ["a maximum below the minimum that nobody wrote down", net("max_time = 30"), 600, 30],
  ["what is asked for is raised to the minimum", net("min_time = 6000"), 10, 6000],
  ["an inner minimum beats an outer maximum", net("max_time = 600", "min_time = 1000"), 10, 1000],
  ["an inner maximum beats an outer minimum", net("min_time = 1000", "max_time = 600"), 5000, 600],
];
for (const [name, toml, asked, expected] of times) {
  test(`lease time: ${name}`, () => assert.equal(time(toml, asked), expected));
}

test("a boot file that the field cannot hold goes as an option, whole", () => {
  const name = `${"very-long-folder/".repeat(10)}boot.efi`;
  const reply = desk(net(`options = { boot_file_name = "${name}" }`)).discover({
    options: [[CODE.parameterRequestList, Uint8Array.of(3)]],
  });
  assert.equal(reply?.message.file.length, 0);
  assert.equal(reply?.options.boot_file_name, name);
  const short = desk(net(`options = { boot_file_name = "${"x".repeat(127)}" }`)).discover();
  assert.equal(short?.message.file.length, 127);
});

test("options that do not fit are counted and told in the log", () => {
  const long = `"${"x".repeat(250)}"`;
  const { discover, counters, logged } = desk(
    net(
      `options = { root_path = ${long}, domain_name = ${long}, extensions_path = ${long}, merit_dump_file = ${long} }`,
    ),
  );
  assert.ok(discover());
  assert.ok(counters.get("options_left_out") > 0);
  assert.ok(logged.some((line) => line.includes("do not fit")));
});

test("IPv6-only preferred is sent to those who ask for it alone (RFC 8925 section 3.3)", () => {
  const toml = net("options = { ipv6_only_preferred = 1800 }");
  assert.equal(desk(toml).discover()?.options.ipv6_only_preferred, undefined);
  const asks: [number, Uint8Array] = [CODE.parameterRequestList, Uint8Array.of(108)];
  assert.equal(desk(toml).discover({ options: [asks] })?.options.ipv6_only_preferred, 1800);
});

test("an access network domain is a name in DNS form (RFC 5986 section 3.1)", () => {
  const reply = desk(net('options = { access_network_domain = "example.org" }')).discover();
  assert.deepEqual(
    [...(reply?.message.options.get(213) ?? [])].slice(0, 9),
    [7, 101, 120, 97, 109, 112, 108, 101, 3],
  );
});
