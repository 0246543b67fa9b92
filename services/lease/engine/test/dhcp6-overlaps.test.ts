import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { planOf6 } from "../src/dhcp6/address-plan.ts";
import { identityOf } from "../src/dhcp6/identity.ts";
import { Overlaps } from "../src/dhcp6/overlaps.ts";
import { ipv6 } from "../src/leases/address-family.ts";
import { type Binding, STATE } from "../src/leases/binding.ts";
import { LeaseTable } from "../src/leases/lease-table.ts";
import { PendingLeases } from "../src/leases/pending-leases.ts";
import { configOf } from "./desk.ts";
import { desk6, ip6, na, octets, pd, TOML6 } from "./desk6.ts";

const duid = (n: number) => `00:03:00:01:02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;
const HEAD = "[dhcpv6]\npreferred_time = 1000\nvalid_time = 2000\n";
const SUBNET = `${HEAD}[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n`;

function spanOf(text: string) {
  const [address = "", length = "128"] = text.split("/");
  const first = ip6(address);
  return { text, first, last: first + (1n << BigInt(128 - Number(length))) - 1n };
}

function assertApart(given: readonly string[]): void {
  const spans = given.map(spanOf).sort((one, other) => (one.first < other.first ? -1 : 1));
  spans.forEach((span, i) => {
    const next = spans[i + 1];
    assert.ok(!next || next.first > span.last, `${next?.text} lies across ${span.text}`);
  });
}

const ofLength = (length: number, within: string) =>
  TOML6.replace("delegated_length = 56", `delegated_length = ${length}`).replace("fd77:1::/48", within);
const places = [...Array(6).keys()];

for (const [before, after] of [
  [56, 60],
  [60, 56],
] as const)
  for (const how of ["reload", "restart"] as const)
    test(`no prefix is delegated across one that is held: /${before} becomes /${after} by a ${how}`, () => {
      const first = desk6(ofLength(before, "fd77:1::/52"));
      const held = places.map((n) => first.join({ duid: duid(n), ias: [pd()] }));
      const toml = ofLength(after, "fd77:1::/52");
      if (how === "reload") first.dhcp6.reload(configOf(toml), "v2");
      const desk = how === "reload" ? first : desk6(toml, first.store, first.clock);
      const step = 1n << BigInt(128 - after);
      const given = held.map((prefix, n) => {
        // The one that lies across it is asked for.
        const base = (spanOf(prefix).first / step) * step;
        const wanted = after > before ? base + step : base;
        const text = wanted.toString(16).padStart(32, "0").match(/..../g)?.join(":");
        return desk.join({ duid: duid(100 + n), ias: [pd(1, `${text}/${after}`)] });
      });
      const others = places.map((n) => desk.join({ duid: duid(200 + n), ias: [pd()] }));
      const all = [...given, ...others].filter((prefix) => prefix);
      assert.ok(all.length >= 10, `${all.length} were given`);
      assertApart([...held, ...all]);
      desk.pass(2001);
      const base = (spanOf(held[0] as string).first / step) * step;
      const text = base.toString(16).padStart(32, "0").match(/..../g)?.join(":");
      if (after < before)
        assert.equal(
          spanOf(desk.join({ duid: duid(250), ias: [pd(1, `${text}/${after}`)] })).first,
          base,
          "what has ended is in nobody's way",
        );
    });

for (const what of ["has", "may believe to have"] as const)
  test(`what a router ${what} is not lost where another's lease at its place was decided and could not be written`, () => {
    const [first, place] = [ip6("fd77:1:0:100::"), ip6("fd77:1:0:110::")];
    const leaseOf = (n: number): Binding<bigint> => ({
      address: first,
      identity: identityOf(CODE6.iaPd, 1, octets(duid(n))),
      state: STATE.bound,
      starts: 0,
      until: 2000,
      port: "",
      told: 0,
      digest: 0,
      relayDigest: 0,
      ...(what === "has" ? { length: 56 } : { length: 60, earlier: { length: 56, until: 2000 } }),
    });
    const overlaps = new Overlaps(configOf(ofLength(60, "fd77:1::/52")).v6);
    const held = leaseOf(1);
    overlaps.add(held);
    overlaps.add(leaseOf(2));
    const asking = (holder: Binding<bigint>) => ({
      now: 100,
      identity: identityOf(CODE6.iaPd, 1, octets(duid(9))),
      reservation: undefined,
      leases: { find: () => holder },
    });
    assert.deepEqual(overlaps.at(place, asking(held)), {
      first,
      last: ip6("fd77:1:0:1ff:ffff:ffff:ffff:ffff"),
      until: 2000,
    });
    const { earlier: _, ...next } = { ...leaseOf(2), length: 60 };
    assert.equal(
      overlaps.at(place, asking(next)),
      undefined,
      "what another has there by now has the right length",
    );
  });

test("a prefix that grew with its renewal is held whole when the length is changed back", () => {
  const [short, long] = [ofLength(60, "fd77:1::/55"), ofLength(56, "fd77:1::/55")];
  const desk = desk6(short);
  const held = { duid: duid(1), ias: [pd(1, "fd77:1::/60")] };
  assert.equal(desk.join(held), "fd77:1::/60");
  desk.dhcp6.reload(configOf(long), "v2");
  assert.deepEqual(desk.renew(held)?.leases, [
    [1, "fd77:1::/56", 2000],
    [1, "fd77:1::/60", 0],
  ]);
  desk.dhcp6.reload(configOf(short), "v3");
  const given = [2, 3, 4].map((n) => desk.join({ duid: duid(n), ias: [pd(1, `fd77:1:0:${n}0::/60`)] }));
  assertApart(["fd77:1::/56", ...given]);
});

test("a prefix is held as long as it was given, whoever had its place with another length before", () => {
  const [short, long] = [ofLength(60, "fd77:1::/55"), ofLength(56, "fd77:1::/55")];
  const desk = desk6(short);
  assert.equal(desk.join({ duid: duid(1), ias: [pd(1, "fd77:1::/60")] }), "fd77:1::/60");
  desk.dhcp6.reload(configOf(long), "v2");
  desk.pass(2001);
  assert.equal(desk.join({ duid: duid(2), ias: [pd(1, "fd77:1::/56")] }), "fd77:1::/56");
  desk.dhcp6.reload(configOf(short), "v3");
  assertApart(["fd77:1::/56", desk.join({ duid: duid(3), ias: [pd(1, "fd77:1:0:20::/60")] })]);
});

test("what a prefix lost with its renewal is given to nobody before its old time is over: the reply may be lost", () => {
  const [short, long] = [ofLength(60, "fd77:1::/56"), ofLength(56, "fd77:1::/56")];
  const desk = desk6(long);
  assert.equal(desk.join({ duid: duid(1), ias: [pd()] }), "fd77:1::/56");
  desk.dhcp6.reload(configOf(short), "v2");
  desk.pass(1000);
  assert.equal(desk.renew({ duid: duid(1), ias: [pd(1, "fd77:1::/56")] })?.leases[0]?.[1], "fd77:1::/60");
  const asks = { duid: duid(2), ias: [pd(1, "fd77:1:0:20::/60")] };
  assert.equal(desk.join(asks), "");
  desk.dhcp6.reload(configOf(ofLength(62, "fd77:1::/56")), "v3");
  assert.equal(desk.join({ duid: duid(2), ias: [pd(1, "fd77:1:0:20::/62")] }), "");
  desk.dhcp6.reload(configOf(short), "v4");
  desk.pass(1001);
  assert.equal(desk.join(asks), "fd77:1:0:20::/60");
});

for (const by of ["a restart", "reloads with the old length and another"] as const)
  test(`what a prefix lost with its renewal is remembered through ${by}`, () => {
    const [short, long] = [ofLength(60, "fd77:1::/56"), ofLength(56, "fd77:1::/56")];
    const first = desk6(long);
    assert.equal(first.join({ duid: duid(1), ias: [pd()] }), "fd77:1::/56");
    first.dhcp6.reload(configOf(short), "v2");
    first.pass(500);
    const renew = { duid: duid(1), ias: [pd(1, "fd77:1::/56")] };
    assert.equal(first.renew(renew)?.leases[0]?.[1], "fd77:1::/60");
    first.pass(500);
    first.renew(renew);
    if (by !== "a restart") for (const toml of [long, short]) first.dhcp6.reload(configOf(toml), "v3");
    const desk = by === "a restart" ? desk6(short, first.store, first.clock) : first;
    const asks = { duid: duid(2), ias: [pd(1, "fd77:1:0:20::/60")] };
    assert.equal(desk.join(asks), "");
    desk.pass(1001);
    assert.equal(desk.join(asks), "fd77:1:0:20::/60");
  });

for (const how of ["names the smaller one alone", "begins anew"] as const)
  test(`what a prefix lost with its renewal is free as soon as its router ${how}, and stays so after a restart`, () => {
    const endless = ofLength(56, "fd77:1::/56").replace("valid_time = 2000", "valid_time = 4294967295");
    const short = ofLength(60, "fd77:1::/56");
    const first = desk6(endless);
    assert.equal(first.join({ duid: duid(1), ias: [pd()] }), "fd77:1::/56");
    first.dhcp6.reload(configOf(short), "v2");
    const both = { duid: duid(1), ias: [pd(1, "fd77:1::/60", "fd77:1::/56")] };
    assert.equal(first.renew({ duid: duid(1), ias: [pd(1, "fd77:1::/56")] })?.leases[0]?.[1], "fd77:1::/60");
    first.renew(both);
    const asks = (n: number) => ({ duid: duid(n), ias: [pd(1, `fd77:1:0:${n}0::/60`)] });
    assert.equal(first.join(asks(2)), "");
    const knows = { duid: duid(1), ias: [pd(1, "fd77:1::/60")] };
    if (how === "begins anew") first.join(knows);
    else first.renew(knows);
    assert.equal(first.join(asks(2)), "fd77:1:0:20::/60");
    const again = desk6(short, first.store, first.clock);
    assert.equal(again.join(asks(3)), "fd77:1:0:30::/60");
  });

test("no larger prefix is given over one that a renewal moved its router away from: the reply may be lost", () => {
  const desk = desk6(ofLength(60, "fd77:1::/48"));
  const held = { duid: duid(1), ias: [pd(1, "fd77:1:0:10::/60")] };
  assert.equal(desk.join(held), "fd77:1:0:10::/60");
  desk.dhcp6.reload(configOf(ofLength(56, "fd77:1::/48")), "v2");
  assert.match(String(desk.renew(held)?.leases[0]?.[1]), /00::\/56$/);
  const asks = { duid: duid(2), ias: [pd(1, "fd77:1::/56")] };
  assert.notEqual(desk.solicit(asks)?.leases[0]?.[1], "fd77:1::/56");
  desk.pass(2001);
  assert.equal(desk.join(asks), "fd77:1::/56");
});

test("a larger prefix is not given in the part of a second by which a lease within it ends later", () => {
  const desk = desk6(ofLength(60, "fd77:1::/56"));
  desk.clock.advance(900);
  assert.equal(desk.join({ duid: duid(1), ias: [pd(1, "fd77:1:0:10::/60")] }), "fd77:1:0:10::/60");
  desk.dhcp6.reload(configOf(ofLength(56, "fd77:1::/56")), "v2");
  desk.clock.advance(1_999_300);
  desk.engine.tick();
  assert.equal(desk.join({ duid: duid(2), ias: [pd()] }), "");
  desk.pass(1);
  assert.equal(desk.join({ duid: duid(2), ias: [pd()] }), "fd77:1::/56");
});

test("a quarantine within a larger prefix is kept", () => {
  const addresses = `${HEAD}[[subnet]]\nnetwork = "fd77:1::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77:1::1000 - fd77:1::2000"\n`;
  const prefixes = `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/64"\ndelegated_length = 64\n`;
  const desk = desk6(addresses);
  const address = desk.join({ duid: duid(1), ias: [na()] });
  desk.decline({ duid: duid(1), ias: [na(1, address)] });
  desk.dhcp6.reload(configOf(prefixes), "v2");
  assert.equal(desk.join({ duid: duid(2), ias: [pd()] }), "");
});

test("a prefix of a vast pool is not delegated across one that is held", () => {
  const desk = desk6(ofLength(64, "fd00::/16"));
  const held = desk.join({ duid: duid(1), ias: [pd()] });
  desk.dhcp6.reload(configOf(ofLength(48, "fd00::/16")), "v2");
  const base = (spanOf(held).first >> 80n) << 80n;
  const text = base.toString(16).padStart(32, "0").match(/..../g)?.join(":");
  assertApart([held, desk.join({ duid: duid(2), ias: [pd(1, `${text}/48`)] })]);
});

test("no prefix is delegated over an address that is leased, and no address out of a prefix", () => {
  const addresses = `${HEAD}[[subnet]]\nnetwork = "fd77:1::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77:1::1000 - fd77:1::2000"\n`;
  const prefixes = `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/56"\ndelegated_length = 64\n`;
  const desk = desk6(addresses);
  const address = desk.join({ duid: duid(1), ias: [na()] });
  desk.dhcp6.reload(configOf(prefixes), "v2");
  const prefix = desk.join({ duid: duid(2), ias: [pd(1, "fd77:1::/64")] });
  assert.ok(prefix);
  assertApart([address, prefix]);

  const other = desk6(prefixes);
  const held = other.join({ duid: duid(1), ias: [pd(1, "fd77:1::/64")] });
  assert.equal(held, "fd77:1::/64");
  other.dhcp6.reload(configOf(addresses), "v2");
  assert.equal(other.join({ duid: duid(2), ias: [na()] }), "", "all of them are within the prefix");
});

test("a reserved prefix is not given over one that is held", () => {
  const pool = `[[subnet.prefix_pool]]\nprefix = "fd77:1::/56"\ndelegated_length = 64\n`;
  const reserved = `[[subnet.reservation]]\nprefix = "fd77:1::/56"\nduid = "${duid(2)}"\n`;
  const desk = desk6(SUBNET + pool);
  const held = desk.join({ duid: duid(1), ias: [pd(1, "fd77:1:0:10::/64")] });
  assert.equal(held, "fd77:1:0:10::/64");
  desk.dhcp6.reload(configOf(SUBNET + reserved), "v2");
  assert.equal(desk.join({ duid: duid(2), ias: [pd()] }), "");
  desk.pass(2001);
  assert.equal(desk.join({ duid: duid(2), ias: [pd()] }), "fd77:1::/56");
});

test("what ended within a larger prefix gives its place back", () => {
  const desk = desk6(ofLength(60, "fd77:1::/55"));
  desk.join({ duid: duid(1), ias: [pd(1, "fd77:1:0:10::/60")] });
  desk.dhcp6.reload(configOf(ofLength(56, "fd77:1::/55")), "v2");
  desk.pass(2001);
  for (let times = 0; times < 10; times++) desk.pass(86_400);
  assert.deepEqual([2, 3, 4].map((n) => desk.join({ duid: duid(n), ias: [pd()] })).sort(), [
    "",
    "fd77:1:0:100::/56",
    "fd77:1::/56",
  ]);
});

test("a prefix pool that moves to another subnet belongs to its network at once", () => {
  const pool = `[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 56\n`;
  const two = (one: string, other: string) => `${SUBNET}${one}[[subnet]]\nnetwork = "fd78::/64"\n${other}`;
  const desk = desk6(two(pool, ""));
  const had = desk.join({ duid: duid(1), ias: [pd()] });
  desk.dhcp6.reload(configOf(two("", pool)), "v2");
  assert.equal(desk.join({ duid: duid(1), ias: [pd()], relays: [{ link: ip6("fd78::1") }] }), had);
});

test("a lease of another server is not taken over across one that is held, nor where no prefix of a pool begins", () => {
  const { engine, dhcp6, join } = desk6(ofLength(56, "fd77:1::/48"));
  const held = join({ duid: duid(2), ias: [pd()] });
  dhcp6.reload(configOf(ofLength(60, "fd77:1::/48")), "v2");
  const imported = (prefix: string, n: number) => {
    const client = { duid: octets(duid(n)), iaid: 1, mac: new Uint8Array(0), hostname: null };
    const lease = { ...client, address: spanOf(prefix).first, length: 60, until: 4294967295 };
    return engine.rehearse((batch) => dhcp6.import(lease, batch));
  };
  assert.equal(imported(held.replace("/56", "/60"), 3), "taken");
  assert.equal(imported(held.replace("00::/56", "30::/60"), 3), "taken");
  const free = held.startsWith("fd77:1:0:4400") ? "fd77:1:0:5500::/60" : "fd77:1:0:4400::/60";
  assert.equal(imported(free, 3), undefined);
  assert.equal(imported(free.replace("00::", "08::"), 3), "no_pool");
});

test("places that lie across leases of another length are looked at once, and again when those have ended", () => {
  const config = configOf(ofLength(60, "fd77:1::/48")).v6;
  const [pool] = config.pools.filter(({ length }) => length < 128) as [(typeof config.pools)[0]];
  const table = new LeaseTable(ipv6, planOf6(config, new Set()), 1000, 1);
  let looked = 0;
  const held = new Set(Array(3000).keys());
  const choose = (now = 1000) => {
    looked = 0;
    table.uncover(now);
    return new PendingLeases(table).unused(pool, 0, undefined, undefined, (address) => {
      looked++;
      return held.has(Number((address - pool.first) >> 68n))
        ? { first: address + 7n, last: address + 15n, until: 2000 }
        : undefined;
    });
  };
  assert.equal(choose(), pool.first + (3000n << 68n));
  assert.equal(looked, 3001);
  assert.equal(choose(), pool.first + (3000n << 68n));
  assert.equal(looked, 1);
  // One of them is released.
  const inner = { address: pool.first + 7n, state: STATE.released, until: 2000, starts: 0, length: 124 };
  held.delete(0);
  const unknown = { identity: octets(duid(1)), port: "", told: 0, digest: 0, relayDigest: 0 };
  table.put({ ...inner, ...unknown });
  assert.equal(choose(), pool.first);
  held.delete(5);
  held.add(0);
  assert.equal(choose(), pool.first + (3000n << 68n), "nobody has told of it");
  assert.equal(choose(2001), pool.first + (5n << 68n));
});

test("a place that lies across a lease is looked at again where that could not be written", () => {
  const config = configOf(ofLength(60, "fd77:1::/48")).v6;
  const [pool] = config.pools.filter(({ length }) => length < 128) as [(typeof config.pools)[0]];
  const table = new LeaseTable(ipv6, planOf6(config, new Set()), 1000, 1);
  const within = { address: pool.first + 7n, length: 124, state: STATE.bound, starts: 1000, until: 2000 };
  const unknown = { identity: octets(duid(1)), port: "", told: 0, digest: 0, relayDigest: 0 };
  const choose = (leases: PendingLeases<bigint, typeof pool>) =>
    leases.unused(pool, 0, undefined, undefined, (address) => {
      const isAcross = address === pool.first && leases.find(within.address);
      return isAcross ? { first: within.address, last: pool.first + 15n, until: 2000 } : undefined;
    });
  const failing = new PendingLeases(table);
  failing.put({ ...within, ...unknown });
  assert.equal(choose(failing), pool.first + (1n << 68n));
  assert.equal(choose(new PendingLeases(table)), pool.first);
});

test("places that lie across leases of another length are not counted as free", () => {
  const free = (desk: ReturnType<typeof desk6>) => desk.dhcp6.leases.uses().at(-1)?.free;
  const left = (desk: ReturnType<typeof desk6>) => {
    const given = places.map((n) => desk.join({ duid: duid(100 + n), ias: [pd()] }));
    return given.filter((prefix) => prefix).length;
  };
  const [short, long] = [ofLength(60, "fd77:1::/54"), ofLength(56, "fd77:1::/54")];
  // The second place of four has a lease within it, the third one at its beginning.
  const within = desk6(short);
  for (const [n, prefix] of ["fd77:1:0:110::/60", "fd77:1:0:120::/60", "fd77:1:0:200::/60"].entries())
    assert.equal(within.join({ duid: duid(n), ias: [pd(1, prefix)] }), prefix);
  within.dhcp6.reload(configOf(long), "v2");
  const restarted = desk6(long, within.store, within.clock);
  assert.deepEqual([free(within), free(restarted), left(restarted)], [2, 2, 2]);

  const around = desk6(long);
  const held = { duid: duid(1), ias: [pd(1, "fd77:1:0:100::/56")] };
  around.join(held);
  around.dhcp6.reload(configOf(short), "v2");
  assert.equal(free(around), 64 - 16);
  around.renew(held);
  assert.equal(free(around), 64 - 16, "it may not know that it has less");
  around.renew({ duid: duid(1), ias: [pd(1, "fd77:1:0:100::/60")] });
  assert.equal(free(around), 63);
  around.pass(2001);
  assert.equal(free(around), 64);

  within.pass(2012);
  assert.deepEqual([free(within), left(within)], [4, 4]);
});

test("a place is not counted as free while one of several leases lasts within it, however long", () => {
  const free = ({ dhcp6 }: ReturnType<typeof desk6>) => dhcp6.leases.uses().at(-1)?.free;
  const lasting = (toml: string) => toml.replace("valid_time = 2000", "valid_time = 2592000");
  const desk = desk6(lasting(ofLength(60, "fd77:1::/54")));
  const held = ["fd77:1:0:110::/60", "fd77:1:0:120::/60", "fd77:1:0:310::/60"];
  for (const [n, prefix] of held.entries()) desk.join({ duid: duid(n), ias: [pd(1, prefix)] });
  desk.dhcp6.reload(configOf(lasting(ofLength(56, "fd77:1::/54"))), "v2");
  const end = (n: number) => {
    desk.release({ duid: duid(n), ias: [pd(1, held[n] as string)] });
    desk.pass(1);
  };
  assert.equal(free(desk), 2);
  end(0);
  assert.equal(free(desk), 2, "the other lease within its place lasts");
  for (const _day of places) {
    desk.pass(86_400);
    desk.pass(1);
    assert.equal(free(desk), 2);
  }
  end(1);
  assert.equal(free(desk), 3);
  const given = places.map((n) => desk.join({ duid: duid(100 + n), ias: [pd()] }));
  assert.equal(given.filter((prefix) => prefix).length, 3);
});

test("what a client no longer believes to have is counted as free, after a restart as well", () => {
  const free = ({ dhcp6 }: ReturnType<typeof desk6>) => dhcp6.leases.uses().at(-1)?.free;
  const desk = desk6(ofLength(56, "fd77:1::/56"));
  const held = { duid: duid(1), ias: [pd(1, "fd77:1::/56")] };
  desk.join(held);
  const short = ofLength(60, "fd77:1::/56").replace("valid_time = 2000", "valid_time = 86400");
  desk.dhcp6.reload(configOf(short), "v2");
  desk.renew(held);
  desk.pass(2000);
  assert.deepEqual([free(desk), free(desk6(short, desk.store, desk.clock))], [0, 0]);
  desk.pass(11);
  assert.deepEqual([free(desk), free(desk6(short, desk.store, desk.clock))], [15, 15]);
  desk.release({ duid: duid(1), ias: [pd(1, "fd77:1::/60")] });
  assert.equal(free(desk), 16);
});

test("a large lease of another length is passed over in one step", () => {
  const config = configOf(ofLength(64, "fd77:1::/40")).v6;
  const [pool] = config.pools.filter(({ length }) => length < 128) as [(typeof config.pools)[0]];
  const table = new LeaseTable(ipv6, planOf6(config, new Set()), 1000, 1);
  const last = pool.first + (1n << 80n) - 1n;
  let looked = 0;
  const found = new PendingLeases(table).unused(pool, 100, undefined, undefined, (address) => {
    looked++;
    return address <= last ? { first: pool.first, last, until: 2000 } : undefined;
  });
  assert.deepEqual([found, looked], [last + 1n, 2]);
  const all = new PendingLeases(table).unused(pool, 100, undefined, undefined, () => ({
    first: pool.first,
    last: pool.last + (1n << 90n),
    until: 2000,
  }));
  assert.equal(all, undefined);
});

test("where there is no other, a router gets the larger prefix around the one that it has", () => {
  const desk = desk6(ofLength(60, "fd77:1::/56"));
  const held = { duid: duid(1), ias: [pd(1, "fd77:1:0:10::/60")] };
  assert.equal(desk.join(held), "fd77:1:0:10::/60");
  desk.dhcp6.reload(configOf(ofLength(56, "fd77:1::/56")), "v2");
  assert.equal(desk.join({ duid: duid(2), ias: [pd()] }), "");
  assert.equal(desk.renew(held)?.leases[0]?.[1], "fd77:1::/56");
});
