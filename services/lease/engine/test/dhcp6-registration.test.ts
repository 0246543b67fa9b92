import assert from "node:assert/strict";
import { test } from "node:test";
import { ipv6Bytes } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { CLIENT, desk6, ip6, pd, TOML6 } from "./desk6.ts";

const OTHER = "00:03:00:01:02:00:00:00:00:02";
const WITH = TOML6.replace("[dhcpv6]", "[dhcpv6]\naddress_registration = true");

function registry(toml = WITH) {
  const desk = desk6(toml);
  const register = (address: string, duid = CLIENT, ask: readonly number[] = []) => {
    const value = Uint8Array.of(...ipv6Bytes(ip6(address)), 0, 0, 0, 100, 0, 0, 0, 200);
    const options = [{ code: CODE6.iaAddress, value }];
    const from = { sourceAddress: ip6(address) };
    return desk.send(TYPE6.addrRegInform, { duid, ias: [], ask, options, from })?.type ?? "silence";
  };
  return { ...desk, register };
}

test("a client registers addresses of the prefix that is delegated to it, while it is, and nobody else does (RFC 9686 section 4.2)", () => {
  const { join, register, pass, counters } = registry();
  const within = join({ ias: [pd()] }).replace("::/56", "::7");
  assert.equal(register(within), "ADDR-REG-REPLY");
  assert.equal(register(within, OTHER), "silence");
  assert.equal(register("fd77:1:0:7700::7"), "silence", "which is delegated to nobody");
  assert.equal(counters.get("drop6_foreign_address"), 2);
  pass(2001);
  assert.equal(register(within), "silence", "whose lease is over");
});

test("a pool of prefixes within the subnet is not its link: of those the same holds", () => {
  const inside = WITH.replace('network = "fd77::/64"', 'network = "fd77::/16"');
  const { join, register } = registry(inside);
  const within = join({ ias: [pd()] }).replace("::/56", "::7");
  assert.deepEqual([register(within), register(within, OTHER)], ["ADDR-REG-REPLY", "silence"]);
  assert.equal(register("fd77:1:0:7700::7", OTHER), "silence");
  assert.equal(register("fd77:2::7", OTHER), "ADDR-REG-REPLY");
});

test("of a reserved prefix its client alone registers addresses, once it has it", () => {
  const reserved = `${WITH}\n  [[subnet.reservation]]\n  duid = "${CLIENT}"\n  prefix = "fd77:0:0:0:8000::/72"\n`;
  const { join, register } = registry(reserved.replace("fd77::ffff:ffff:ffff:ffff", "fd77::ffff"));
  const address = "fd77::8000:0:0:7";
  assert.equal(register(address), "silence");
  assert.equal(join({ ias: [pd()] }), "fd77::8000:0:0:0/72");
  assert.deepEqual([register(address), register(address, OTHER)], ["ADDR-REG-REPLY", "silence"]);
});

test("an address that another client has a lease of, or that is the engine's own, is not registered", () => {
  const { join, register } = registry();
  const held = join();
  assert.equal(register(held, OTHER), "silence");
  assert.equal(register("fd77::1"), "silence");
});

test("a registration that asks for options is dropped (RFC 9686 section 4.2)", () => {
  const { register, counters } = registry();
  assert.equal(register("fd77::abcd", CLIENT, [23]), "silence");
  assert.equal(counters.get("drop6_options_in_registration"), 1);
});
