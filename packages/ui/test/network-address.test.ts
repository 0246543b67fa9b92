import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import { addressProblem, macProblem, normalMac } from "../src/network-address.ts";

const ADDRESSES = [
  "10.0.0.20",
  "0.0.0.0",
  "255.255.255.255",
  "10.0.0.300",
  "10.0.0",
  "10.0.0.0.1",
  "010.0.0.1",
  "10.0.0.-1",
  "",
  "a",
  "fd77::20",
  "::",
  "::1",
  "1::",
  "1:2:3:4:5:6:7:8",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1::2::3",
  "::ffff:10.0.0.1",
  "::ffff:10.0.0.300",
  "12345::",
  "g::",
  "1:2:3:4:5:6:7::",
  "::2:3:4:5:6:7:8",
  ":1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:",
  ":::",
];

test("a prefix has its length; what is leased is an address or a prefix", () => {
  const kinds = ["prefix", "leased"] as const;
  const isRight = (text: string) => kinds.map((kind) => addressProblem(text, kind) === undefined);
  for (const prefix of ["fd77:1::/48", "::/0", "fd77::20/128"])
    assert.deepEqual(isRight(prefix), [true, true], prefix);
  for (const address of ["fd77::20", "10.0.0.20"]) assert.deepEqual(isRight(address), [false, true], address);
  for (const wrong of ["", "10.0.0.0/8", "fd77::/", "fd77::/129", "fd77::/1/2", "fd77/48", "fd77::/x"])
    assert.deepEqual(isRight(wrong), [false, false], wrong);
  assert.notEqual(addressProblem("fd77:1::/48"), undefined);
});

for (const address of ADDRESSES) {
  test(`"${address}" is judged as the operating system judges it`, () => {
    assert.equal(addressProblem(address) === undefined, isIP(address) !== 0, addressProblem(address));
  });
}

test("an address of the other family is told which one is wanted", () => {
  assert.match(addressProblem("fd77::20", "v4") ?? "", /An IPv4 address is wanted/);
  assert.match(addressProblem("10.0.0.1", "v6") ?? "", /An IPv6 address is wanted/);
});

test("hardware addresses are taken in every spelling, and in no other", () => {
  for (const text of [
    "02:00:5e:10:00:01",
    "02-00-5E-10-00-01",
    "0200.5e10.0001",
    "02005E100001",
    "0x02005E100001",
  ]) {
    assert.equal(normalMac(text), "02:00:5e:10:00:01");
  }
  for (const text of ["0200.5e10.0001.0203", "0x02005E1000010203", "02-00-5e-10-00-01-02-03"]) {
    assert.equal(normalMac(text), "02:00:5e:10:00:01:02:03", "EUI-64");
  }
  for (const text of [
    "",
    "2:0:5e:10:0:1",
    "02:00:5e:10:00",
    "02:00:5e:10:00:01:02",
    "02005e10000102",
    "02:00-5e:10:00:01",
    "02:00:5e:10:00:0g",
    "0".repeat(1_000),
  ]) {
    assert.ok(macProblem(text), text);
  }
});
