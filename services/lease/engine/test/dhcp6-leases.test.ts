import assert from "node:assert/strict";
import { test } from "node:test";
import { isReservedInterfaceId } from "@frontdesk/lease-config/reserved-interface-ids";
import { CODE6, STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { STATE } from "../src/leases/binding.ts";
import { configOf } from "./desk.ts";
import { CLIENT, desk6, hint, ip6, MemoryStore6, na, packetOf6, pd, type Reply6, TOML6 } from "./desk6.ts";
import type { FakeTime } from "./fake-time.ts";

const OTHER = "00:03:00:01:02:00:00:00:00:02";
const statuses = (reply: Reply6 | undefined) => reply?.ias.map(({ status }) => status?.code);
const valid = (reply: Reply6 | undefined) => reply?.leases.map(([, lease, seconds]) => [lease, seconds]);
const types = (store: MemoryStore6) => store.events.map(({ type }) => type);

test("SOLICIT is answered by ADVERTISE, REQUEST by REPLY with the same address (RFC 9915 section 18.3.1, 18.3.2)", () => {
  const { solicit, request, store } = desk6();
  const advertise = solicit();
  assert.equal(advertise?.type, "ADVERTISE");
  assert.equal(advertise?.to, "[fe80::1]:546");
  assert.equal(advertise?.packet.message.xid, 0xabcdef);
  assert.deepEqual(advertise?.options.client_id, CLIENT);
  assert.equal(store.leases6.size, 0, "an offer is not on disk");
  const [[, address = ""] = []] = advertise?.leases ?? [];
  const reply = request({ ias: [na(1, address)] });
  assert.equal(reply?.type, "REPLY");
  assert.deepEqual(reply?.leases, [[1, address, 2000]]);
  assert.equal(store.leases6.size, 1);
  assert.deepEqual(types(store), ["grant"]);
});

test("nothing is answered before it is on disk", () => {
  const { request, store } = desk6();
  store.broken = true;
  assert.equal(request(), undefined);
  store.broken = false;
  assert.equal(request()?.type, "REPLY");
});

for (const [what, hold] of [
  ["took long", (clock: FakeTime) => clock.advance(1500)],
  ["was under way while the machine slept", (clock: FakeTime) => clock.sleep(60_000)],
  ["was under way while the host of the machine had stopped it", (clock: FakeTime) => clock.step(60_000)],
] as const) {
  test(`a reply whose transaction ${what} is not sent, since its lifetimes would count from now; asked again, it is`, () => {
    const { request, store, clock, counters } = desk6();
    const commit = store.commit.bind(store);
    store.commit = (what) => {
      commit(what);
      hold(clock);
    };
    assert.equal(request(), undefined);
    assert.equal(store.leases6.size, 1);
    assert.equal(counters.get("drop6_late"), 1);
    store.commit = commit;
    assert.equal(request()?.leases.length, 1);
    assert.equal(counters.get("drop6_late"), 1);
  });
}

test("several IAs of both types are answered in one message, each on its own (RFC 9915 section 12)", () => {
  const { request } = desk6();
  const reply = request({ ias: [na(1), na(2), pd(1), pd(7)] });
  const leases = reply?.leases.map(([, lease]) => lease) ?? [];
  assert.equal(new Set(leases).size, 4);
  assert.deepEqual(
    reply?.ias.map(({ type, iaid }) => [type, iaid]),
    [
      [3, 1],
      [3, 2],
      [25, 1],
      [25, 7],
    ],
  );
  for (const prefix of leases.slice(2)) assert.match(prefix, /^fd77:1:0?:?.*::\/56$/);
});

test("T1 and T2 are half and four fifths of the shortest preferred lifetime, the same in all IAs (RFC 9915 section 18.3, 21.4)", () => {
  const { request } = desk6(`${TOML6}preferred_time = 300\nvalid_time = 400\n`);
  const reply = request({ ias: [na(1), pd(2)] });
  assert.deepEqual(
    reply?.ias.map(({ t1, t2 }) => [t1, t2]),
    [
      [150, 240],
      [150, 240],
    ],
  );
  assert.deepEqual(
    reply?.ias.map(({ leases }) => leases[0]?.preferred),
    [1000, 300],
  );
});

test("rapid commit only where it is asked for and switched on; the option comes back (RFC 9915 section 18.3.1, 21.14)", () => {
  const rapid = [{ code: 14, value: new Uint8Array(0) }];
  assert.equal(desk6().solicit({ options: rapid })?.type, "ADVERTISE");
  const { solicit, store } = desk6(TOML6.replace("[dhcpv6]", "[dhcpv6]\nrapid_commit = true"));
  assert.equal(solicit()?.type, "ADVERTISE");
  const reply = solicit({ options: rapid });
  assert.deepEqual([reply?.type, reply?.options.rapid_commit], ["REPLY", true]);
  assert.equal(store.leases6.size, 1, "committed first");
});

test("a client gets the same address again, after its lease was forgotten and after a restart", () => {
  const store = new MemoryStore6();
  const first = desk6(TOML6, store);
  const address = first.join();
  const again = desk6(TOML6, store, first.clock);
  assert.equal(again.join(), address);
  assert.equal(desk6().join(), address, "by its hash");
});

test("addresses cannot be told without the secret, and use the whole pool", () => {
  const [one, other] = [new MemoryStore6(), new MemoryStore6()];
  other.secret = new Uint8Array(32).fill(8);
  assert.notEqual(desk6(TOML6, one).join(), desk6(TOML6, other).join());
  const { request } = desk6();
  const ids = Array.from({ length: 200 }, (_, i) => {
    const duid = `00:03:00:01:02:00:00:00:01:${i.toString(16).padStart(2, "0")}`;
    return hint(request({ duid })?.leases[0]?.[1] ?? "").address & ((1n << 64n) - 1n);
  });
  assert.equal(new Set(ids).size, 200);
  for (let bit = 0n; bit < 64n; bit++) {
    const ones = ids.filter((id) => (id >> bit) & 1n).length;
    assert.ok(ones > 50 && ones < 150, `bit ${bit} is ${ones} times one`);
  }
  assert.ok(!ids.some(isReservedInterfaceId));
});

test("an interface identifier that no host may have is never given, asked for or not (RFC 5453)", () => {
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77:: - fd77::2"\n`;
  const { request } = desk6(toml);
  assert.deepEqual(valid(request({ ias: [na(1, "fd77::")] })), [["fd77::2", 7200]]);
  assert.deepEqual(statuses(request({ duid: OTHER, ias: [na(1, "fd77::")] })), [STATUS6.noAddrsAvail]);
  const big = desk6();
  assert.notEqual(
    big.request({ ias: [na(1, "fd77::fdff:ffff:ffff:ff80")] })?.leases[0]?.[1],
    "fd77::fdff:ffff:ffff:ff80",
  );
});

test("the engine's own address is given to nobody", () => {
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::1 - fd77::2"\n`;
  const { request } = desk6(toml);
  assert.deepEqual(valid(request({ ias: [na(1, "fd77::1")] })), [["fd77::2", 7200]]);
  assert.deepEqual(statuses(request({ duid: OTHER })), [STATUS6.noAddrsAvail]);
});

test("where nothing is free the IA says so, in ADVERTISE too, and the others get theirs (RFC 9915 section 18.3.9)", () => {
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::2 - fd77::2"\n`;
  const { request, solicit, logged, store } = desk6(toml);
  const reply = request({ ias: [na(1), na(2), pd(3)] });
  assert.deepEqual(statuses(reply), [undefined, STATUS6.noAddrsAvail, STATUS6.noPrefixAvail]);
  assert.deepEqual(valid(reply), [["fd77::2", 7200]]);
  assert.deepEqual(
    reply?.ias.map(({ t1 }) => t1),
    [1800, 0, 0],
  );
  const advertise = solicit({ duid: OTHER });
  assert.deepEqual([advertise?.type, ...(statuses(advertise) ?? [])], ["ADVERTISE", STATUS6.noAddrsAvail]);
  assert.ok(logged.some((line) => line.includes("pools of this network are full")));
  assert.deepEqual(types(store).filter((type) => type === "refusal").length, 3);
});

test("an address of another link in a REQUEST gives NotOnLink in that IA alone (RFC 9915 section 18.3.2)", () => {
  const { request } = desk6();
  const reply = request({ ias: [na(1, "fd99::5"), na(2)] });
  assert.deepEqual(statuses(reply), [STATUS6.notOnLink, undefined]);
  assert.equal(reply?.leases.length, 1);
  assert.equal(reply?.leases[0]?.[0], 2);
});

test("a RENEW goes on with the lease, and is told once a day (RFC 9915 section 18.3.4)", () => {
  const { join, renew, pass, store } = desk6();
  const address = join();
  const ends = () => store.find6(ip6(address))?.until ?? 0;
  const before = ends();
  pass(500);
  const reply = renew({ ias: [na(1, address)] });
  assert.deepEqual(reply?.leases, [[1, address, 2000]]);
  assert.equal(ends(), before + 500);
  assert.equal(store.find6(ip6(address))?.renewals, 1);
  assert.deepEqual(types(store), ["grant"]);
});

test("a RENEW of what is not known creates the lease where it may, else NoBinding in that IA (RFC 9915 section 18.3.4)", () => {
  const { renew, join, store } = desk6();
  const taken = join({ duid: OTHER });
  const reply = renew({ ias: [na(1, "fd77::abcd:0:0:1"), na(2, taken)] });
  assert.deepEqual(reply?.leases, [[1, "fd77::abcd:0:0:1", 2000]]);
  assert.deepEqual(statuses(reply), [undefined, STATUS6.noBinding]);
  assert.equal(store.leases6.size, 2);
});

test("off-link addresses and prefixes end in RENEW and REBIND: lifetimes of zero (RFC 9915 section 18.3.4, 18.3.5)", () => {
  for (const verb of ["renew", "rebind"] as const) {
    const desk = desk6();
    const reply = desk[verb]({ ias: [na(1, "fd99::5"), pd(2, "fd99:1::/56")] });
    assert.deepEqual(reply?.leases, [
      [1, "fd99::5", 0],
      [2, "fd99:1::/56", 0],
    ]);
    assert.deepEqual(statuses(reply), [undefined, undefined]);
    assert.equal(desk.store.leases6.size, 0);
  }
});

test("a client whose pool is gone gets another address, and the old one ends (RFC 9915 section 18.3.4)", () => {
  const store = new MemoryStore6();
  const before = desk6(TOML6, store);
  const address = before.join();
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::2 - fd77::2"\n`;
  const after = desk6(toml, store, before.clock);
  const reply = after.renew({ ias: [na(1, address)] });
  assert.deepEqual(valid(reply), [
    ["fd77::2", 7200],
    [address, 0],
  ]);
  assert.deepEqual(types(store), ["grant", "grant"], "the reply may be lost: it has both");
  assert.deepEqual(valid(after.renew({ ias: [na(1, "fd77::2")] })), [["fd77::2", 7200]]);
  assert.equal(store.find6(ip6(address)), undefined);
  assert.deepEqual(types(store), ["grant", "grant", "release"]);
});

const RESERVED6 = TOML6.replace(
  "[[subnet.prefix_pool]]",
  `[[subnet.reservation]]\n  ip = "fd77::50"\n  duid = "${CLIENT}"\n  [[subnet.prefix_pool]]`,
);

for (const type of ["renew", "rebind"] as const)
  test(`what a ${type.toUpperCase()} moves a client away from is nobody else's before its time is over: the reply may be lost`, () => {
    const first = desk6();
    const address = first.join();
    first.dhcp6.reload(configOf(RESERVED6), "v2");
    first.pass(500);
    const lost = first[type]({ ias: [na(1, address)] });
    assert.deepEqual(valid(lost), [
      ["fd77::50", 2000],
      [address, 0],
    ]);
    const asks = (n: number) => ({ duid: OTHER.replace(/02$/, `1${n}`), ias: [na(1, address)] });
    assert.notEqual(first.solicit(asks(1))?.leases[0]?.[1], address);
    const desk = desk6(RESERVED6, first.store, first.clock);
    assert.notEqual(desk.solicit(asks(2))?.leases[0]?.[1], address, "nor after a restart");
    desk.pass(1499);
    assert.deepEqual(
      valid(desk[type]({ ias: [na(1, address)] })),
      valid(lost),
      "asked again, it is told the same",
    );
    assert.notEqual(desk.solicit(asks(3))?.leases[0]?.[1], address);
    desk.pass(3);
    assert.equal(desk.join(asks(4)), address);
    assert.deepEqual(types(desk.store), ["grant", "grant", "expire", "grant"]);
  });

test("a client that a RENEW moved has one lease again as soon as it shows that it knows the new one", () => {
  const desk = desk6();
  const address = desk.join();
  desk.dhcp6.reload(configOf(RESERVED6), "v2");
  desk.renew({ ias: [na(1, address)] });
  assert.equal(desk.dhcp6.leases.active, 2);
  desk.renew({ ias: [na(1, "fd77::50", address)] });
  assert.equal(desk.dhcp6.leases.active, 2, "it has the old one still");
  desk.renew({ ias: [na(1, "fd77::50")] });
  assert.equal(desk.dhcp6.leases.active, 1);
  assert.equal(desk.join({ duid: OTHER, ias: [na(1, address)] }), address);
  assert.deepEqual(types(desk.store), ["grant", "grant", "release", "grant"]);
});

test("a client that goes from class to class with each RENEW does not collect leases", () => {
  const pool = (name: string, range: string) =>
    `[[subnet.pool]]\nrange = "${range}"\nclasses = ["${name}"]\n`;
  const named = (name: string) => `[[class]]\nname = "${name}"\nmatch = "vendor_class == '${name}'"\n`;
  const subnet = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n`;
  const desk = desk6(
    `${named("a")}${named("b")}${subnet}${pool("a", "fd77::a00 - fd77::aff")}${pool("b", "fd77::b00 - fd77::bff")}`,
  );
  const vendorClass = (name: string) => ({
    code: CODE6.vendorClass,
    value: Uint8Array.from([0, 0, 0, 9, 0, 1, name.charCodeAt(0)]),
  });
  const first = desk.join({ options: [vendorClass("a")] });
  assert.match(first, /^fd77::a/);
  const seen = new Set<string>();
  for (let i = 0; i < 10; i++)
    for (const name of ["b", "a"]) {
      const reply = desk.renew({ ias: [na()], options: [vendorClass(name)] });
      seen.add(String(reply?.leases[0]?.[1]));
    }
  assert.equal(seen.size, 2);
  assert.equal(desk.dhcp6.leases.active, 2);
});

test("a REBIND of a client that nobody knows here is left to the server that does (RFC 9915 section 18.3.5)", () => {
  const { join, rebind, counters } = desk6();
  const taken = join({ duid: OTHER });
  assert.equal(rebind({ ias: [na(1, taken)] }), undefined);
  assert.equal(counters.get("drop6_unknown_client"), 1);
  assert.deepEqual(valid(rebind({ duid: OTHER, ias: [na(1, taken)] })), [[taken, 2000]]);
});

test("a released address is free at once for its client, and rests for others (RFC 9915 section 18.3.6)", () => {
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::2 - fd77::3"\n`;
  const { join, release, store, request } = desk6(toml);
  const address = join();
  const reply = release({ ias: [na(1, address), na(2, "fd77::3")] });
  assert.equal(reply?.status, STATUS6.success);
  assert.deepEqual(
    reply?.ias.map(({ iaid, status }) => [iaid, status?.code]),
    [[2, STATUS6.noBinding]],
    "only IAs without a lease are in the reply",
  );
  assert.deepEqual(types(store), ["grant", "release"]);
  const other = address === "fd77::2" ? "fd77::3" : "fd77::2";
  assert.deepEqual(valid(request({ duid: OTHER })), [[other, 7200]]);
  assert.deepEqual(valid(request()), [[address, 7200]]);
});

test("an address of somebody else cannot be released or declined", () => {
  const { join, release, decline, store } = desk6();
  const address = join({ duid: OTHER });
  assert.deepEqual(statuses(release({ ias: [na(1, address)] })), [STATUS6.noBinding]);
  assert.deepEqual(statuses(decline({ ias: [na(1, address)] })), [STATUS6.noBinding]);
  assert.deepEqual(types(store), ["grant"]);
});

test("a declined address rests for everyone until its quarantine ends (RFC 9915 section 18.3.7)", () => {
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::2 - fd77::2"\n`;
  const { join, decline, request, pass, store } = desk6(toml);
  const address = join();
  assert.equal(decline({ ias: [na(1, address)] })?.status, STATUS6.success);
  assert.deepEqual(statuses(request()), [STATUS6.noAddrsAvail]);
  pass(3601);
  assert.deepEqual(valid(request()), [[address, 7200]]);
  assert.deepEqual(
    types(store).filter((type) => type === "decline"),
    ["decline"],
  );
});

test("one client cannot put a pool into quarantine", () => {
  const { join, decline, store } = desk6();
  for (let i = 0; i < 8; i++) {
    const address = join({ ias: [na(i)] });
    decline({ ias: [na(i, address)] });
  }
  assert.equal([...store.leases6.values()].filter(({ state }) => state === 5).length, 5);
});

test("one client cannot put a pool into quarantine with declines that come in together", () => {
  const { join, engine, ingress, store } = desk6();
  const round = Array.from({ length: 8 }, (_, i) => {
    const address = join({ ias: [na(i)] });
    return { family: 6, bytes: packetOf6(TYPE6.decline, { ias: [na(i, address)] }), ingress } as const;
  });
  engine.handle(round);
  assert.equal([...store.leases6.values()].filter(({ state }) => state === 5).length, 5);
});

test("a lease ends by time, is told, and is forgotten a day later", () => {
  const { join, pass, store, dhcp6, counters } = desk6();
  const address = join();
  pass(2001);
  assert.deepEqual(types(store), ["grant", "expire"]);
  assert.equal(dhcp6.leases.active, 0);
  assert.equal(counters.get("active_leases"), 0);
  assert.ok(store.find6(ip6(address)));
  pass(86_400);
  pass(11);
  assert.equal(store.find6(ip6(address)), undefined);
});

test("an offer that nobody takes is withdrawn", () => {
  const { solicit, pass, dhcp6 } = desk6();
  solicit();
  assert.equal([...dhcp6.leases.all()].length, 1);
  pass(61);
  assert.equal([...dhcp6.leases.all()].length, 0);
});

const PD = `
[[subnet]]
network = "fd77::/64"
interface = "eth0"
  [[subnet.prefix_pool]]
  prefix = "fd77:1::/48"
  delegated_length = 56
  exclude_length = 64
  exclude_number = 1
  [[subnet.prefix_pool]]
  prefix = "fd77:2::/48"
  delegated_length = 60
`;

test("the length that a router hints at is honoured, else the next one to it (RFC 8168 section 3.2)", () => {
  const lengthFor = (text: string) =>
    desk6(PD)
      .request({ ias: [pd(1, text)] })
      ?.leases[0]?.[1].split("/")[1];
  assert.equal(lengthFor("::/60"), "60");
  assert.equal(lengthFor("::/56"), "56");
  assert.equal(lengthFor("::/64"), "60");
  assert.equal(lengthFor("::/48"), "56");
});

test("a prefix that a router asks for is given when it is free, and not when its bits do not fit (RFC 9915 section 18.2.1)", () => {
  const { request } = desk6(PD);
  assert.deepEqual(valid(request({ ias: [pd(1, "fd77:1:0:ab00::/56")] })), [["fd77:1:0:ab00::/56", 7200]]);
  const other = request({ duid: OTHER, ias: [pd(1, "fd77:1:0:ab00::/56")] });
  assert.notEqual(other?.leases[0]?.[1], "fd77:1:0:ab00::/56");
  const odd = request({ ias: [pd(2, "fd77:1:0:cd01::/56")] });
  assert.match(odd?.leases[0]?.[1] ?? "", /00::\/56$|0::\/60$/);
});

test("what a router keeps for its uplink is told to routers that ask (RFC 6603 section 4)", () => {
  const { request } = desk6(PD);
  const ias = [pd(1, "fd77:1:0:ab00::/56")];
  assert.equal(request({ ias })?.ias[0]?.leases[0]?.exclude, undefined);
  assert.deepEqual(request({ ias, ask: [67] })?.ias[0]?.leases[0]?.exclude, {
    address: ip6("fd77:1:0:ab01::"),
    length: 64,
  });
});

test("every prefix of a pool is given before it is full, and none twice", () => {
  const toml = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.prefix_pool]]\nprefix = "fd77:1::/60"\ndelegated_length = 64\n`;
  const { request } = desk6(toml);
  const given = Array.from({ length: 16 }, (_, i) => request({ ias: [pd(i)] })?.leases[0]?.[1]);
  assert.equal(new Set(given).size, 16);
  assert.ok(
    given.every((prefix) => /^fd77:1:0:.?::\/64$|^fd77:1::\/64$/.test(prefix ?? "")),
    String(given),
  );
  assert.deepEqual(statuses(request({ ias: [pd(16)] })), [STATUS6.noPrefixAvail]);
});

test("a port may be limited to so many leases", () => {
  const { request } = desk6(`[lease]\nper_port_limit = 1\n${TOML6}`);
  assert.equal(request()?.leases.length, 1);
  assert.deepEqual(statuses(request({ duid: OTHER })), [STATUS6.noAddrsAvail]);
  assert.equal(request()?.leases.length, 1, "who holds one keeps it");
});

for (const how of ["release", "decline"] as const)
  test(`a ${how} of the lease that a client was moved to ends the one that it had`, () => {
    const toml = (range: string) =>
      `[dhcpv6]\nvalid_time = 4294967295\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "${range}"\n`;
    const desk = desk6(toml("fd77::1000 - fd77::1010"));
    const held = desk.join();
    desk.pass(10);
    desk.dhcp6.reload(configOf(toml("fd77::2000 - fd77::2010")), "v2");
    const moved = desk.renew({ ias: [na(1, held)] })?.leases[0]?.[1] ?? "";
    assert.match(moved, /^fd77::20/);
    desk[how]({ ias: [na(1, moved)] });
    assert.equal(desk.dhcp6.leases.active, 0);
  });

test("a lease that a client is moved to stays when it gives back the one that it had", () => {
  const toml = (range: string) =>
    `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "${range}"\n`;
  const desk = desk6(toml("fd77::1000 - fd77::1010"));
  const held = desk.join();
  desk.pass(10);
  desk.dhcp6.reload(configOf(toml("fd77::2000 - fd77::2010")), "v2");
  const moved = desk.renew({ ias: [na(1, held)] })?.leases[0]?.[1] ?? "";
  desk.release({ ias: [na(1, held)] });
  assert.equal(desk.dhcp6.leases.find(ip6(moved))?.state, STATE.bound);
});

test("a prefix of a pool that was replaced counts for no port, and ends where its client begins anew", () => {
  const toml = (prefix: string) =>
    `[lease]\nper_port_limit = 1\n[dhcpv6]\nvalid_time = 4294967295\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.prefix_pool]]\nprefix = "${prefix}"\ndelegated_length = 56\n`;
  const first = desk6(toml("fd77:1::/48"));
  assert.ok(first.join({ ias: [pd()] }));
  first.dhcp6.reload(configOf(toml("fd77:2::/48")), "v2");
  const again = desk6(toml("fd77:2::/48"), first.store, first.clock);
  for (const { dhcp6, join } of [first, again]) {
    assert.deepEqual(dhcp6.leases.crowdedPorts(0), []);
    assert.match(join({ ias: [pd()] }), /^fd77:2:/);
    assert.equal(dhcp6.leases.active, 1);
    assert.deepEqual(dhcp6.leases.crowdedPorts(0), [{ port: "eth0", held: 1 }]);
  }
});

test("what a client was moved away from does not count for its port, after a restart neither", () => {
  const toml = (range: string) =>
    `[lease]\nper_port_limit = 2\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "${range}"\n`;
  const [before, after] = [toml("fd77::1000 - fd77::1010"), toml("fd77::2000 - fd77::2010")];
  const desk = desk6(before);
  const [first, second, third] = [CLIENT, OTHER, OTHER.replace(/02$/, "03")] as const;
  const held = desk.join({ duid: first });
  desk.dhcp6.reload(configOf(after), "v2");
  const renew = { duid: first, ias: [na(1, held)] };
  assert.equal(desk.renew(renew)?.leases.length, 2);
  assert.equal(desk.dhcp6.leases.active, 2);
  assert.ok(desk.join({ duid: second }));
  assert.equal(desk.join({ duid: third }), "");
  desk.renew(renew);
  const again = desk6(after, desk.store, desk.clock);
  assert.deepEqual(again.dhcp6.leases.crowdedPorts(0), [{ port: "eth0", held: 2 }]);
  again.release({ duid: second, ias: [na(1, again.join({ duid: second }))] });
  assert.ok(again.join({ duid: third }));
});
