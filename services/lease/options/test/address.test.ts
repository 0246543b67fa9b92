import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv6, parseHex, parseIpv6, parseMac } from "../src/address.ts";

const shown: Array<[text: string, canonical: string]> = [
  ["::", "::"],
  ["::1", "::1"],
  ["fd77:1::", "fd77:1::"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["::ffff:192.0.2.1", "::ffff:c000:201"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
  ["fe80::0:0:5", "fe80::5"],
];
for (const [text, canonical] of shown) {
  test(`an IPv6 address in its canonical form (RFC 5952): ${text}`, () => {
    const address = parseIpv6(text);
    assert.ok(address !== undefined);
    assert.equal(formatIpv6(address), canonical);
    assert.equal(parseIpv6(canonical), address);
  });
}

test("what is no IPv6 address is none", () => {
  for (const text of [
    "",
    ":",
    ":::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1::2::3",
    "g::",
    "12345::",
    "::1%eth0",
    "1.2.3.4",
    "::1.2.3.4.5",
    "1:2:3:4:5:6:7:8::",
    `${"0".repeat(100)}::`,
  ]) {
    assert.equal(parseIpv6(text), undefined, text);
  }
});

test("octets are written with two digits each", () => {
  assert.deepEqual([...(parseHex("02-00-0a") ?? [])], [2, 0, 10]);
  assert.deepEqual([...(parseHex("0x02000a") ?? [])], [2, 0, 10]);
  for (const text of ["2:0:a", "02:00-0a", "02:0", "0x2", "02::0a", ":02", "02:"])
    assert.equal(parseHex(text), undefined, text);
  assert.equal(parseMac("02:00:00:00:00"), undefined);
  assert.equal(parseMac("0200.0000.0050"), undefined);
  assert.equal(parseMac("020000000050")?.length, 6);
});
