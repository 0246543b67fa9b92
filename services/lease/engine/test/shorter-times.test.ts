import assert from "node:assert/strict";
import { test } from "node:test";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { FOREVER } from "../src/leases/binding.ts";
import { configOf, desk, ip, SERVER } from "./desk.ts";
import { desk6, ip6, na, pd } from "./desk6.ts";

const [A, B] = ["02:00:00:00:00:0a", "02:00:00:00:00:0b"];
const ADDRESS = "10.77.0.50";
const lasting = (seconds: number) =>
  `[lease]\ndefault_time = ${seconds}\n[[subnet]]\nnetwork = "10.77.0.0/24"\n[[subnet.pool]]\nrange = "${ADDRESS} - ${ADDRESS}"\n`;

const [ONE, OTHER] = [1, 2].map((n) => `00:03:00:01:02:00:00:00:00:0${n}`) as [string, string];
const ADDRESS6 = "fd77::1000";
const lasting6 = (seconds: number, length = 56) =>
  `[dhcpv6]\npreferred_time = ${seconds / 2}\nvalid_time = ${seconds}\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "${ADDRESS6} - ${ADDRESS6}"\n[[subnet.prefix_pool]]\nprefix = "fd77:1::/56"\ndelegated_length = ${length}\n`;

const NAMES_SERVER: Array<[number, Uint8Array]> = [[CODE.serverIdentifier, u32Bytes(SERVER)]];

for (const [what, how, options] of [
  ["a renewal", "renew", []],
  ["a renewal that names the server", "renew", NAMES_SERVER],
  ["a start with what it had", "reboot", []],
] as const)
  test(`an address is given to nobody before the latest end that its client was told: the ACK of ${what} is lost`, () => {
    const first = desk(lasting(2000));
    assert.equal(first.join(A), ADDRESS);
    first.pass(10);
    first.dhcp4.reload(configOf(lasting(300)), "v2");
    const ack = first[how](ADDRESS, { mac: A, options });
    assert.equal(ack?.options.lease_time, 300, "the client is told the time in force");
    first.pass(320);
    assert.equal(first.join(B), undefined);
    const again = desk(lasting(300), first.store, first.clock);
    again.pass(1660);
    assert.equal(again.join(B), undefined);
    again.pass(11);
    assert.equal(again.join(B), ADDRESS);
  });

test("a renewal prolongs a lease as ever once its time passes the end that was told before", () => {
  const server = desk(lasting(2000));
  server.join(A);
  server.dhcp4.reload(configOf(lasting(300)), "v2");
  server.pass(1900);
  server.renew(ADDRESS, { mac: A });
  server.pass(299);
  assert.equal(server.join(B), undefined);
  server.pass(2);
  assert.equal(server.join(B), ADDRESS);
});

test("who begins anew or gives its address back has left the longer time", () => {
  for (const leave of ["anew", "release"] as const) {
    const server = desk(lasting(FOREVER));
    server.join(A);
    server.dhcp4.reload(configOf(lasting(300)), "v2");
    server.renew(ADDRESS, { mac: A });
    assert.equal(server.dhcp4.leases.find(ip(ADDRESS))?.until, FOREVER);
    if (leave === "anew") server.join(A);
    else server.release(ADDRESS, { mac: A });
    server.pass(301);
    assert.equal(server.join(B), ADDRESS, leave);
  }
});

for (const how of ["renew", "rebind"] as const)
  test(`an address or a prefix is given to nobody before the latest end that its client was told: ${how}, the REPLY is lost`, () => {
    const first = desk6(lasting6(2000));
    const address = { duid: ONE, ias: [na(1, ADDRESS6)] };
    const prefix = { duid: ONE, ias: [pd(1, "fd77:1::/56")] };
    assert.deepEqual([first.join(address), first.join(prefix)], [ADDRESS6, "fd77:1::/56"]);
    first.pass(10);
    first.dhcp6.reload(configOf(lasting6(300)), "v2");
    assert.deepEqual(first[how](address)?.leases, [[1, ADDRESS6, 300]]);
    assert.deepEqual(first[how](prefix)?.leases, [[1, "fd77:1::/56", 300]]);
    const others = (server: typeof first) =>
      [na(), pd()].map((ia) => server.join({ duid: OTHER, ias: [ia] }));
    first.pass(320);
    assert.deepEqual(others(first), ["", ""]);
    const again = desk6(lasting6(300), first.store, first.clock);
    again.pass(1660);
    assert.deepEqual(others(again), ["", ""]);
    again.pass(11);
    assert.deepEqual(others(again), [ADDRESS6, "fd77:1::/56"]);
  });

test("a prefix that is made smaller and shorter lived at once is held whole as long as its client was told", () => {
  const server = desk6(lasting6(2000));
  const held = { duid: ONE, ias: [pd(1, "fd77:1::/56")] };
  server.join(held);
  server.dhcp6.reload(configOf(lasting6(300, 60)), "v2");
  assert.deepEqual(server.renew(held)?.leases[0], [1, "fd77:1::/60", 300]);
  const asks = { duid: OTHER, ias: [pd(1, "fd77:1:0:20::/60")] };
  server.pass(1999);
  assert.equal(server.join(asks), "");
  server.pass(2);
  assert.equal(server.join(asks), "fd77:1:0:20::/60");
});

test("who begins anew has left the longer lifetime", () => {
  const server = desk6(lasting6(2000));
  server.join({ duid: ONE, ias: [na()] });
  server.dhcp6.reload(configOf(lasting6(300)), "v2");
  server.join({ duid: ONE, ias: [na()] });
  server.pass(301);
  assert.equal(server.dhcp6.leases.find(ip6(ADDRESS6))?.state, 4);
  assert.equal(server.join({ duid: OTHER, ias: [na()] }), ADDRESS6);
});
