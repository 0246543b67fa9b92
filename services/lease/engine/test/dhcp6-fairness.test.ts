import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv6 } from "@frontdesk/lease-options/address";
import { STATUS6 } from "@frontdesk/lease-options/option6-table";
import { STATE } from "../src/leases/binding.ts";
import { CLIENT, desk6, ip6, na, octets, pd, type Reply6, TOML6 } from "./desk6.ts";

const OTHER = "00:03:00:01:02:00:00:00:00:02";
const duidOf = (n: number) =>
  `00:03:00:01:02:00:${[n >> 16, (n >> 8) & 255, n & 255].map((octet) => octet.toString(16).padStart(2, "0")).join(":")}:07`;
const given = (reply: Reply6 | undefined) => reply?.leases[0]?.[1];
const RESERVED = `${TOML6}
  [[subnet.reservation]]
  duid = "${CLIENT}"
  ip = "fd77::50"
  prefix = "fd77:2::/56"
`;

test("an address within another client's prefix is no prefix: RENEW and REBIND end it (RFC 9915 section 18.3.4)", () => {
  const { join, renew, rebind, store } = desk6();
  const held = join({ ias: [pd()] });
  const within = held.replace("::/56", "::1/56");
  for (const ask of [renew, rebind]) {
    const reply = ask({ duid: OTHER, ias: [pd(1, within)] });
    assert.deepEqual(
      reply?.leases.map(([, lease, valid]) => [lease, valid]),
      [[within, 0]],
    );
  }
  assert.equal(store.leases6.size, 1);
});

test("what is reserved for a machine stays with the interface that holds it; another one gets from the pool", () => {
  const { join, renew, pass, solicit } = desk6(RESERVED);
  assert.equal(join({ ias: [na(1)] }), "fd77::50");
  assert.equal(join({ ias: [pd(1)] }), "fd77:2::/56");
  pass(10);
  assert.notEqual(join({ ias: [na(2)] }), "fd77::50");
  assert.notEqual(join({ ias: [pd(2)] }), "fd77:2::/56");
  assert.equal(given(renew({ ias: [na(1, "fd77::50")] })), "fd77::50");
  pass(900);
  assert.notEqual(given(solicit({ ias: [na(3)] })), "fd77::50");
});

test("an interface that has missed its renewal leaves what is reserved to the machine's other one", () => {
  const { join, pass } = desk6(RESERVED);
  assert.equal(join({ ias: [na(1)] }), "fd77::50");
  // Three quarters of 2000 seconds: a client that lives has renewed by then.
  pass(1501);
  assert.equal(join({ ias: [na(2)] }), "fd77::50");
});

test("an address that rests for its old client is not taken by another's RENEW or REBIND", () => {
  const { join, release, renew, rebind } = desk6();
  const held = join();
  release({ ias: [na(1, held)] });
  assert.equal(renew({ duid: OTHER, ias: [na(1, held)] })?.ias[0]?.status?.code, STATUS6.noBinding);
  assert.equal(rebind({ duid: OTHER, ias: [na(1, held)] }), undefined);
  assert.equal(given(renew({ ias: [na(1, held)] })), held);
});

test("DECLINE is of addresses: prefixes stay as they are (RFC 9915 section 18.2.8)", () => {
  const { join, decline, store } = desk6();
  const held = join({ ias: [pd()] });
  const reply = decline({ ias: [pd(1, held)] });
  assert.equal(reply?.ias[0]?.status?.code, STATUS6.noBinding);
  assert.equal(store.find6(ip6(held.replace("/56", "")))?.state, STATE.bound);
});

test("an address that a message names twice is declined once, and released once", () => {
  const { join, decline, release, store } = desk6();
  const held = join();
  decline({ ias: [na(1, ...Array<string>(6).fill(held))] });
  assert.equal(store.find6(ip6(held))?.state, STATE.declined);
  const other = join({ duid: OTHER });
  const before = store.events.length;
  release({ duid: OTHER, ias: [na(1, other, other, other)] });
  assert.equal(store.events.length, before + 1);
});

test("offers are bounded: beyond that an ADVERTISE is answered and not kept, and its REQUEST gets the address", () => {
  const { dhcp6, solicit, request, pass } = desk6();
  const sixteen = Array.from({ length: 16 }, (_, i) => na(i + 1));
  for (let n = 0; n < 1000; n++) solicit({ duid: duidOf(n), ias: sixteen });
  const { offered } = dhcp6.leases;
  assert.ok(offered > 4000 && offered <= 8192 + 16, `${offered} offers`);
  const late = solicit({ duid: OTHER });
  assert.equal(given(request({ duid: OTHER, ias: [na(1, given(late) ?? "")] })), given(late));
  pass(61);
  assert.equal(dhcp6.leases.offered, 0, "all end when their time is over, however many there are");
});

test("within one message no address is offered twice, however full the pool is", () => {
  const small = TOML6.replace("fd77::ffff:ffff:ffff:ffff", "fd77::1002");
  const { join, release, solicit } = desk6(small);
  for (let n = 0; n < 3; n++) {
    const held = join({ duid: duidOf(n) });
    release({ duid: duidOf(n), ias: [na(1, held)] });
  }
  const reply = solicit({ duid: OTHER, ias: [na(1), na(2), na(3), na(4)] });
  const leases = reply?.leases.map(([, lease]) => lease) ?? [];
  assert.equal(new Set(leases).size, 3);
  assert.equal(leases.length, 3);
});

test("a client gets so many new leases an hour and no more; it keeps those it has, and others get theirs", () => {
  const { request, renew, store, pass } = desk6();
  const sixteen = (first: number) => Array.from({ length: 16 }, (_, i) => na(first + i));
  for (let n = 0; n < 10; n++) request({ ias: sixteen(n * 16) });
  assert.equal(store.leases6.size, 64);
  assert.equal(store.events.filter(({ type }) => type === "grant").length, 64);
  const refused = request({ ias: [na(1000)] });
  assert.equal(refused?.ias[0]?.status?.code, STATUS6.noAddrsAvail);
  const [first] = store.leases6.keys();
  assert.equal(renew({ ias: [na(0, formatIpv6(first as bigint))] })?.leases[0]?.[2], 2000);
  assert.ok(given(request({ duid: OTHER })));
  pass(3600);
  assert.ok(given(request({ ias: [na(1000)] })));
});

test("a router that comes from another address is kept with it at once, and the history tells", () => {
  const { join, renew, store } = desk6();
  const held = join({ ias: [pd()] });
  const lease = () => store.find6(ip6(held.replace("/56", "")));
  assert.equal(formatIpv6(lease()?.peer ?? 0n), "fe80::1");
  renew({ ias: [pd(1, held)], from: { sourceAddress: ip6("fe80::2") } });
  assert.equal(formatIpv6(lease()?.peer ?? 0n), "fe80::2");
  assert.equal(store.events.at(-1)?.type, "renew");
});

test("each renewal of a prefix is told: who routes it must know until when", () => {
  const { join, renew, pass, store } = desk6();
  const held = join({ ias: [pd()] });
  pass(500);
  renew({ ias: [pd(1, held)] });
  const told = store.events.at(-1);
  assert.equal(told?.type, "renew");
  assert.equal(told?.until, store.find6(ip6(held.replace("/56", "")))?.until);
});

test("ended leases are forgotten after a day: endless ones too, and those whose pool is gone", () => {
  const endless = TOML6.replace(
    "preferred_time = 1000\nvalid_time = 2000",
    "preferred_time = 4294967295\nvalid_time = 4294967295",
  );
  const { join, release, pass, store } = desk6(endless);
  const held = join();
  release({ ias: [na(1, held)] });
  pass(86_400 + 20);
  assert.equal(store.leases6.size, 0);

  const gone = desk6(TOML6, store);
  gone.join();
  const moved = desk6(TOML6.replaceAll("fd77::1000", "fd77::2:0:0:0"), store, gone.clock);
  moved.pass(2001);
  moved.pass(86_400 + 20);
  assert.equal(store.leases6.size, 0);
});

test("a client that first takes RECONFIGURE with a RENEW gets its key with the answer", () => {
  const { join, renew, store } = desk6();
  const held = join();
  const accept = { code: 20, value: new Uint8Array(0) };
  const reply = renew({ ias: [na(1, held)], options: [accept] });
  assert.ok(
    reply?.packet.message.options.some(({ code }) => code === 11),
    "the key is in an authentication option",
  );
  assert.ok(store.find6(ip6(held))?.reconfigureKey);
  const again = renew({ ias: [na(1, held)], options: [accept] });
  assert.ok(!again?.packet.message.options.some(({ code }) => code === 11), "only once");
});

test("a lease whose answer does not fit is not made", () => {
  const { request, store } = desk6();
  const interfaceId = { code: 18, value: new Uint8Array(700).fill(0x61) };
  const relays = [
    { link: ip6("fd77::1"), options: [interfaceId] },
    { link: ip6("fd77::1"), options: [interfaceId] },
  ];
  const reply = request({ relays });
  assert.deepEqual(reply?.leases ?? [], []);
  assert.equal(store.leases6.size, 0);
});

test("what a client names and does not get never takes the room of what it gets", () => {
  const { join, renew } = desk6();
  const held = join();
  const many = Array.from({ length: 52 }, (_, i) => `fd99::${i + 1}`);
  const reply = renew({ ias: [na(1, held, ...many)] });
  assert.deepEqual(reply?.leases[0], [1, held, 2000]);
});

test("explain believes the relay it is asked about", () => {
  const { dhcp6, engine } = desk6(TOML6.replace("[dhcpv6]", '[dhcpv6]\nrelays = ["fd01::1"]'));
  let outcome = "";
  engine.rehearse((batch) => {
    const query = { duid: octets(CLIENT), mac: undefined, link: ip6("fd77::1"), prefix: false };
    outcome = dhcp6.explain(query, batch).outcome;
  });
  assert.equal(outcome, "advertise");
});
