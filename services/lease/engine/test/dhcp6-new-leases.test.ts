import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@frontdesk/lease-config/validate";
import { ipv6Bytes } from "@frontdesk/lease-options/address";
import { CODE6, STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { CLIENT, desk6, ip6, na, octets, pd, type Sent6, TOML6 } from "./desk6.ts";

const hex = (n: number) => n.toString(16).padStart(4, "0");
const duidOf = (n: number) => `00:03:00:01:02:00:00:00:${hex(n).slice(0, 2)}:${hex(n).slice(2)}`;
const limited = (limit: number, more = "") =>
  TOML6.replace("[dhcpv6]", `[dhcpv6]\nnew_leases_per_hour = ${limit}\n${more}`);
/** Of 200 in an hour, when all are given. */
const OF_MINUTE = 4;
const linkLocal = (n: number) => ({ from: { sourceAddress: ip6(`fe80::${hex(n)}`) } });
const behind = (interfaceId: string, peer: number): Sent6 => ({
  relays: [
    {
      link: ip6("fd77::1"),
      peer: ip6(`fe80::${hex(peer)}`),
      options: [{ code: CODE6.interfaceId, value: octets(interfaceId) }],
    },
  ],
});

test("a host that invents DUIDs gets half of its network's new leases an hour; others get theirs, and all keep what they have", () => {
  const { join, renew, solicit, store, counters, logged, pass } = desk6(limited(200));
  const held = join({ duid: duidOf(0) });
  for (let n = 1; n < 300; n++) join({ duid: duidOf(n) });
  assert.equal(store.leases6.size, 100);
  assert.equal(solicit({ duid: duidOf(400) })?.ias[0]?.status?.code, STATUS6.noAddrsAvail);
  assert.ok(counters.get("refused6_network_limit") > 0);
  assert.ok(logged.some((line) => line.includes("as many new leases began on its network")));
  assert.ok(store.events.some(({ reason }) => reason === "network-limit"));

  for (let n = 0; n < 50; n++) assert.ok(join({ duid: duidOf(1000 + n), ...linkLocal(1000 + n) }));
  assert.equal(renew({ duid: duidOf(0), ias: [na(1, held)] })?.leases[0]?.[2], 2000);
  pass(3600);
  assert.ok(join({ duid: duidOf(400) }));
});

test("who invents link-local addresses too gets no more than its network's new leases; what is reserved for a DUID is given", () => {
  const reserved = `${limited(200)}\n  [[subnet.reservation]]\n  duid = "${CLIENT}"\n  ip = "fd77::50"\n`;
  const { join, store } = desk6(reserved);
  for (let n = 0; n < 300; n++) join({ duid: duidOf(n + 256), ...linkLocal(n) });
  assert.equal(store.leases6.size, 200 + OF_MINUTE);
  assert.equal(join({ duid: CLIENT, ...linkLocal(900) }), "fd77::50");
});

test("when a network's new leases are all given, a sixtieth of them is given each minute: newcomers are served over time", () => {
  const { join, store, pass } = desk6(limited(240));
  const flood = (from: number) => {
    for (let n = from; n < from + 300; n++) join({ duid: duidOf(n), ...linkLocal(n) });
  };
  flood(0);
  assert.equal(store.leases6.size, 240 + 4);
  pass(60);
  assert.ok(join({ duid: duidOf(9000), ...linkLocal(9000) }));
  flood(1000);
  assert.equal(store.leases6.size, 240 + 2 * 4);
});

for (const how of ["renew", "rebind"] as const)
  test(`an offer that is taken by a ${how.toUpperCase()} counts as one that is taken by a REQUEST`, () => {
    const one = desk6();
    const iasOf = (round: number) => Array.from({ length: 16 }, (_, i) => na(round * 16 + i));
    for (let round = 0; round < 6; round++) one.solicit({ ias: iasOf(round) });
    for (let round = 0; round < 6; round++) one[how]({ ias: iasOf(round) });
    assert.equal(one.store.leases6.size, 64);
    assert.ok(one.counters.get("refused6_client_limit") > 0);
    const [held] = [...one.store.leases6.values()];
    assert.deepEqual(
      one[how]({ ias: [{ ...na(held?.iaid), leases: [] }] })?.leases.map(([, , seconds]) => seconds),
      [2000],
      "what it has goes on",
    );

    const many = desk6(limited(200));
    for (let n = 0; n < 300; n++) many.solicit({ duid: duidOf(n), ...linkLocal(n) });
    for (let n = 0; n < 300; n++) many[how]({ duid: duidOf(n), ...linkLocal(n) });
    assert.equal(many.store.leases6.size, 200 + OF_MINUTE);
  });

test("a port that a relay tells apart leaves new leases to the other ports", () => {
  const { join, store } = desk6(limited(2000));
  for (let n = 0; n < 1500; n++) join({ duid: duidOf(n), ...behind("01", n) });
  assert.equal(store.leases6.size, 1024);
  assert.ok(join({ duid: duidOf(5000), ...behind("02", 1) }));
});

test("clients that come and go on a network of very many new ones are told of a few times an hour each", () => {
  const { join, release, store, counters } = desk6(limited(64));
  const comeAndGo = () => {
    for (let n = 0; n < 32; n++) release({ duid: duidOf(n), ias: [na(1, join({ duid: duidOf(n) }))] });
  };
  for (let again = 0; again < 20; again++) comeAndGo();
  assert.ok(store.events.length <= 32 * 5, `${store.events.length} events`);
  assert.ok(counters.get("events_suppressed") > 0);
});

test("on a network of very many new clients, each renewal of a prefix is told: who routes it must know until when", () => {
  const { join, renew, store, pass } = desk6(limited(64));
  const prefix = join({ ias: [pd()] });
  for (let n = 0; n < 64; n++) join({ duid: duidOf(n), ...linkLocal(n) });
  for (let again = 0; again < 7; again++) {
    pass(400);
    renew({ ias: [pd(1, prefix)] });
    const told = store.events.at(-1);
    assert.deepEqual(
      [told?.type, told?.until],
      ["renew", store.find6(ip6(prefix.replace("/56", "")))?.until],
    );
  }
});

test("what a client does that had its lease before is told, however many are new on its network", () => {
  const { join, release, store, pass } = desk6(limited(64));
  const held = join();
  pass(3600);
  for (let n = 0; n < 64; n++) join({ duid: duidOf(n), ...linkLocal(n) });
  for (let again = 0; again < 10; again++) {
    assert.equal(join(), held);
    release({ ias: [na(1, held)] });
  }
  assert.equal(store.events.filter(({ type }) => type === "release").length, 10);
});

test("offers that were made before the limit was reached are not all taken beyond it", () => {
  const { solicit, request, release, store } = desk6(limited(20));
  const take = (n: number) => {
    const ias = offers[n]?.ias.map(({ type, iaid, leases }) => ({ type, iaid, leases })) ?? [];
    return request({ duid: duidOf(n), ias, ...linkLocal(n) });
  };
  const offers = Array.from({ length: 100 }, (_, n) => solicit({ duid: duidOf(n), ...linkLocal(n) }));
  for (let n = 0; n < 100; n++) take(n);
  assert.equal(store.leases6.size, 20 + 1);
  assert.equal(take(50)?.ias[0]?.status?.code, STATUS6.noAddrsAvail);
  release({ duid: duidOf(1), ias: [na(1, take(1)?.leases[0]?.[1] ?? "")] });
  offers[1] = solicit({ duid: duidOf(1), ...linkLocal(1) });
  assert.equal(take(1)?.leases.length, 1, "who had a lease is not new");
});

test("an address and a prefix of one client count as one", () => {
  const { solicit, request, store } = desk6(limited(20));
  for (let n = 0; n < 30; n++) {
    const who = { duid: duidOf(n), ...linkLocal(n) };
    const offer = solicit({ ...who, ias: [na(1), pd(2)] });
    if (offer?.leases.length !== 2) continue;
    request({ ...who, ias: offer.ias.map(({ type, iaid, leases }) => ({ type, iaid, leases })) });
  }
  assert.equal(store.leases6.size, 2 * (20 + 1));
});

test("a client that has an address is not new when it asks for a prefix", () => {
  const { join, renew, pass } = desk6(limited(20));
  const held = join();
  pass(1800);
  renew({ ias: [na(1, held)] });
  pass(1800);
  for (let n = 0; n < 40; n++) join({ duid: duidOf(n), ...linkLocal(n) });
  assert.ok(join({ ias: [pd()] }));
});

test("all clients of the lab, which send from one address, share their network's new leases", () => {
  const { join, store } = desk6(limited(200));
  for (let n = 0; n < 300; n++) join({ duid: duidOf(n), from: { lab: true } });
  assert.equal(store.leases6.size, 200 + OF_MINUTE);
});

test("without a limit any number of new leases begins", () => {
  const { join, store } = desk6(limited(0));
  for (let n = 0; n < 300; n++) join({ duid: duidOf(n) });
  assert.equal(store.leases6.size, 300);
});

function registry(limit: number) {
  const desk = desk6(limited(limit, "address_registration = true"));
  const register = (n: number, duid = duidOf(n)) => {
    const address = ip6(`fd77::${hex(n)}`);
    const value = Uint8Array.of(...ipv6Bytes(address), 0, 0, 0, 100, 0, 0, 0, 200);
    const options = [{ code: CODE6.iaAddress, value }];
    const from = { sourceAddress: address };
    return desk.send(TYPE6.addrRegInform, { duid, ias: [], options, from })?.type;
  };
  return { ...desk, register };
}

test("registrations of invented addresses end with as many as leases may begin, and are not answered then", () => {
  const { register, join, store, counters } = registry(50);
  for (let n = 0; n < 100; n++) register(n + 2);
  assert.equal(store.events.filter(({ reason }) => reason === "registered").length, 50 + 1);
  assert.equal(counters.get("drop6_registration_limit"), 50 - 1);
  assert.equal(register(500), undefined);
  assert.equal(register(2), "ADDR-REG-REPLY", "which is registered already");
  assert.ok(join({ duid: duidOf(500) }), "leases are counted for themselves");
});

test("who registers one address again and again takes nothing from others", () => {
  const { register, store, join } = registry(50);
  for (let again = 0; again < 200; again++) assert.equal(register(7), "ADDR-REG-REPLY");
  assert.equal(register(8), "ADDR-REG-REPLY");
  assert.ok(join({ duid: duidOf(500) }));
  assert.ok(store.events.length <= 60 + 2, `${store.events.length} events`);
});

test("one client registers 64 addresses within an hour, and others theirs", () => {
  const { register, pass } = registry(1000);
  const answered = (from: number) =>
    Array.from({ length: 100 }, (_, n) => register(from + n, CLIENT)).filter((each) => each).length;
  assert.equal(answered(0x100), 64);
  assert.equal(register(7), "ADDR-REG-REPLY");
  pass(3600);
  assert.equal(answered(0x200), 64);
});

test("clients that register very many addresses on a network are told of a few times an hour each", () => {
  const { register, store } = registry(40);
  for (let again = 0; again < 20; again++) for (let n = 0; n < 40; n++) register(n + 2);
  assert.ok(store.events.length <= 40 * 5, `${store.events.length} events`);
});

test("what began on a network counts there, also when a configuration puts another before it", () => {
  const { join, dhcp6, solicit } = desk6(limited(64));
  for (let n = 0; n < 100; n++) join({ duid: duidOf(n), ...linkLocal(n) });
  const other = `[[subnet]]\nnetwork = "fd78::/64"\ninterface = "eth1"\n[[subnet.pool]]\nrange = "fd78::1 - fd78::ffff"\n`;
  const both = limited(64).replace("[[subnet]]", `${other}[[subnet]]`);
  dhcp6.reload(readConfig(`[server]\ninterfaces = ["eth0", "eth1"]\n${both}`), "v2");
  const from = { ...linkLocal(200).from, interfaceName: "eth1" };
  assert.equal(solicit({ duid: duidOf(200), from })?.leases.length, 1);
  assert.equal(solicit({ duid: duidOf(201), ...linkLocal(201) })?.leases.length, 0);
});
