import assert from "node:assert/strict";
import { test } from "node:test";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { configOf, desk, ip, packetOf, relayOption, SERVER } from "./desk.ts";

const POOL = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const A = "02:00:00:00:00:0a";
const B = "02:00:00:00:00:0b";
const macOf = (n: number) => `02:00:00:00:0${n >> 8}:${(n & 255).toString(16).padStart(2, "0")}`;
const selecting = (address: string): Array<[number, Uint8Array]> => [
  [CODE.requestedAddress, u32Bytes(ip(address))],
  [CODE.serverIdentifier, u32Bytes(SERVER)],
];
const bindings = ({ dhcp4 }: ReturnType<typeof desk>) =>
  [...dhcp4.leases.all()].map(({ identity, ...rest }) => ({ ...rest, identity: [...identity] }));

test("a failed commit leaves table, counters and clients as they were", () => {
  const server = desk(POOL);
  const { discover, select, release, store, counters, join } = server;
  const held = join(A) ?? "";
  const offer = discover({ mac: B })?.ip ?? "";
  const before = bindings(server);
  const acks = counters.get("sent_ack");
  store.broken = true;
  assert.equal(select(offer, { mac: B }), undefined);
  release(held, { mac: A });
  assert.deepEqual(bindings(server), before);
  assert.equal(counters.get("sent_ack"), acks);
  assert.equal(counters.get("drop_store"), 1);
  store.broken = false;
  assert.equal(select(offer, { mac: B })?.type, "ACK");
  assert.equal(counters.get("sent_ack"), acks + 1);
});

test("an ACK whose transaction took long is not sent, since clients may count its time from now; asked again, it is", () => {
  const { discover, select, renew, store, clock, counters } = desk(POOL);
  const offer = discover({ mac: A })?.ip ?? "";
  const commit = store.commit.bind(store);
  let late = 3900;
  store.commit = (what) => {
    commit(what);
    clock.advance(late);
  };
  assert.equal(select(offer, { mac: A })?.type, "ACK", "a slow disk is no reason to serve nobody");
  late = 4100;
  assert.equal(select(offer, { mac: A }), undefined);
  assert.equal(renew(offer, { mac: A }), undefined);
  assert.equal(counters.get("drop_late"), 2);
  store.commit = commit;
  assert.equal(select(offer, { mac: A })?.type, "ACK");
  assert.equal(counters.get("drop_late"), 2);
});

test("a release by hand that cannot be written is not done, and says so", () => {
  const { join, store, engine, dhcp4 } = desk(POOL);
  const address = ip(join(A) ?? "");
  const release = () => engine.run((batch) => dhcp4.release(address, batch));
  store.broken = true;
  assert.deepEqual(release(), { saved: false });
  assert.equal(dhcp4.leases.active, 1);
  store.broken = false;
  assert.deepEqual(release(), { saved: true, value: true });
  assert.equal(dhcp4.leases.active, 0);
  assert.deepEqual(release(), { saved: true, value: false });
});

test("leases that fall due while nothing can be written end when it can again, each told once", () => {
  const { join, store, pass, dhcp4, counters, logged } = desk(POOL);
  join(A);
  store.broken = true;
  pass(3601);
  pass(1);
  assert.deepEqual([dhcp4.leases.active, counters.get("expired"), counters.get("store_failing")], [1, 0, 1]);
  store.broken = false;
  pass(1);
  assert.deepEqual([dhcp4.leases.active, counters.get("expired")], [0, 1]);
  pass(5);
  assert.equal(counters.get("store_failing"), 0);
  assert.deepEqual(
    store.events.map(({ type }) => type),
    ["grant", "expire"],
  );
  assert.equal(logged.filter((line) => line.includes("could not be written")).length, 1, "told once");
  assert.ok(logged.includes("leases are written again"));
});

test("on a full disk that still takes little, health and log do not waver", () => {
  const { discover, select, store, pass, clock, counters, logged } = desk(POOL);
  const { ip } = discover({ mac: A }) ?? { ip: "" };
  store.room = 1;
  for (let i = 0; i < 30; i++) {
    assert.equal(select(ip, { mac: A }), undefined);
    clock.step(10_000);
    for (let quiet = 0; quiet < 10; quiet++) {
      pass(1);
      assert.equal(counters.get("store_failing"), 1);
    }
    discover({ mac: A });
  }
  assert.equal(logged.filter((line) => line.includes("written")).length, 1);
  store.room = Number.POSITIVE_INFINITY;
  pass(5);
  assert.equal(counters.get("store_failing"), 0);
  assert.equal(select(ip, { mac: A })?.type, "ACK");
});

test("a batch sees what it has decided: hundreds of new clients at once get an address each", () => {
  const wide = POOL.replace("10.77.1.10", "10.77.3.255");
  const { engine, ingress, taken } = desk(wide);
  const round = Array.from({ length: 700 }, (_, n) => ({
    bytes: packetOf(TYPE.discover, { mac: macOf(n) }),
    ingress,
  }));
  engine.handle(round);
  const offers = taken().map((offer) => offer.ip);
  assert.equal(new Set(offers).size, 700);
});

test("in one batch, an address that is released goes to the next who needs it, and never to two", () => {
  const one = POOL.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1");
  const { engine, ingress, taken, join, store } = desk(one);
  assert.equal(join(A), "10.77.1.1");
  const at = { ...ingress, unicast: true };
  engine.handle([
    { bytes: packetOf(TYPE.release, { mac: A, ciaddr: "10.77.1.1" }), ingress: at },
    { bytes: packetOf(TYPE.discover, { mac: B }), ingress },
    { bytes: packetOf(TYPE.request, { mac: B, options: selecting("10.77.1.1") }), ingress },
    { bytes: packetOf(TYPE.discover, { mac: A }), ingress },
  ]);
  assert.deepEqual(
    taken().map(({ type }) => type),
    ["OFFER", "ACK"],
  );
  assert.deepEqual(
    store.events.map(({ type }) => type),
    ["grant", "release", "grant", "refusal"],
  );
});

test("a client that comes back gets the address it had last, also when an earlier one was offered to another since", () => {
  const { renew, discover, pass } = desk(POOL);
  const mac = "02:00:00:00:00:03";
  assert.equal(renew("10.77.1.1", { mac })?.type, "ACK");
  pass(3601);
  const other = {
    mac: "02:00:00:00:00:04",
    options: [[CODE.requestedAddress, "10.77.1.1"]] as [number, string][],
  };
  assert.equal(discover(other)?.ip, "10.77.1.1");
  assert.equal(renew("10.77.1.2", { mac })?.type, "ACK");
  pass(3601);
  assert.equal(discover({ mac })?.ip, "10.77.1.2");
});

test("a released address rests until its old expiry, unless the pool is short", () => {
  const two = POOL.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1 - 10.77.1.2");
  const { join, release, pass } = desk(two);
  const kept = join(A) ?? "";
  const short = join(B, { options: [[CODE.leaseTime, 600]] }) ?? "";
  pass(10);
  release(kept, { mac: A });
  pass(700);
  assert.equal(join(macOf(1)), short, "the one that expired, though it has been free for less time");
  assert.equal(join(macOf(2)), kept, "there is no other");
});

test("nobody is given another's address that rests by asking for it; its own client is, and anyone when the rest is over", () => {
  const { join, release, pass, discover } = desk(POOL);
  const kept = join(A) ?? "";
  release(kept, { mac: A });
  const asking: [number, string][] = [[CODE.requestedAddress, kept]];
  assert.notEqual(discover({ mac: B, options: asking })?.ip, kept);
  assert.equal(discover({ mac: A })?.ip, kept);
  pass(3601);
  assert.equal(discover({ mac: macOf(1), options: asking })?.ip, kept);
});

test("a packet that brings out a fault costs nobody else anything", () => {
  const { engine, ingress, taken, mishaps, counters } = desk(POOL);
  const broken = {
    ...ingress,
    get addresses(): readonly number[] {
      throw new Error("planted");
    },
  };
  engine.handle([
    { bytes: packetOf(TYPE.discover, { mac: A }), ingress },
    { bytes: packetOf(TYPE.discover, { mac: B }), ingress: broken },
    { bytes: packetOf(TYPE.discover, { mac: macOf(3) }), ingress },
  ]);
  assert.equal(taken().length, 2);
  assert.equal(mishaps.length, 1);
  assert.equal(counters.get("drop_fault"), 1);
});

test("renewals that say nothing new are counted with the lease, and told once a day or with what ends it", () => {
  const { join, renew, release, store, clock } = desk(`[lease]\ndefault_time = 3600\n${POOL}`);
  const address = join(A) ?? "";
  const half = () => {
    clock.advance(1_800_000);
    renew(address, { mac: A });
  };
  const told = () => store.events.map(({ type, renewals }) => [type, renewals]);
  for (let n = 0; n < 47; n++) half();
  assert.deepEqual(told(), [["grant", 0]]);
  half();
  assert.deepEqual(told().slice(1), [["renew", 48]]);
  half();
  half();
  release(address, { mac: A });
  assert.deepEqual(told().slice(2), [["release", 2]]);
});

test("a lease is given and renewed without a look at the disk, also through a relay and after a restart", () => {
  const server = desk(POOL);
  const said = (remote: string) => ({
    giaddr: "10.77.0.9",
    options: [[CODE.relayAgent, relayOption([1, "port 7"], [2, remote])] as [number, Uint8Array]],
  });
  let looked = 0;
  const count = (store: typeof server.store) => {
    store.find = (address) => {
      looked++;
      return store.leases.get(address);
    };
  };
  count(server.store);
  const address = server.join(A, said("switch 1")) ?? "";
  server.pass(1800);
  assert.equal(server.renew(address, { mac: A, ...said("switch 1") })?.type, "ACK");
  const again = desk(POOL, server.store, server.clock);
  again.pass(10);
  assert.equal(again.renew(address, { mac: A, ...said("switch 1") })?.type, "ACK");
  assert.equal(looked, 0);
  const types = () => server.store.events.map(({ type }) => type);
  assert.deepEqual(types(), ["grant"]);
  assert.equal(again.renew(address, { mac: A, ...said("switch 2") })?.type, "ACK");
  assert.deepEqual(types(), ["grant", "renew"], "what the relay says now is another thing");
  assert.deepEqual(again.store.leases.get(ip(address))?.remoteId, new Uint8Array(Buffer.from("switch 2")));
});

test("renewals through a relay are folded too, while the relay says the same", () => {
  const { join, renew, store } = desk(POOL);
  const through = (name: string) => ({
    mac: A,
    giaddr: "10.77.0.254",
    options: [[82, relayOption([1, "port7"], [2, name])] as [number, Uint8Array]],
  });
  const address = join(A, through("left")) ?? "";
  for (let n = 0; n < 5; n++) assert.equal(renew(address, through("left"))?.type, "ACK");
  assert.deepEqual([store.events.length, store.leases.get(ip(address))?.renewals], [1, 5]);
  renew(address, through("right"));
  assert.deepEqual([store.events.length, store.events.at(-1)?.renewals], [2, 6]);
  renew(address, { mac: A });
  assert.equal(store.events.length, 2, "past the relay");
});

test("a renewal that says something new is an event at once", () => {
  const { join, renew, store } = desk(POOL);
  const address = join(A) ?? "";
  renew(address, { mac: A, options: [[CODE.hostName, "new-name"]] });
  assert.deepEqual(
    store.events.map(({ type, hostname }) => [type, hostname]),
    [
      ["grant", null],
      ["renew", "new-name"],
    ],
  );
  assert.equal(store.leases.get(ip(address))?.hostname, "new-name");
});

test("a renewal that is not told of is counted in the next event that is", () => {
  const { join, renew, store, counters, pass } = desk(POOL);
  const address = join(A) ?? "";
  const say = (name: string) => renew(address, { mac: A, options: [[CODE.hostName, name]] });
  for (let n = 0; n < 100; n++) say(`name${n}`);
  for (let n = 0; n < 10; n++) say("name99");
  say("other");
  assert.ok(counters.get("events_suppressed") > 0);
  assert.equal(store.leases.get(ip(address))?.hostname, "other", "what it says is kept");
  pass(2000);
  say("other");
  pass(2000);
  say("last");
  const told = store.events.filter(({ type }) => type === "renew");
  assert.equal(
    told.reduce((sum, { renewals }) => sum + renewals, 0),
    113,
  );
  assert.equal(store.leases.get(ip(address))?.renewals, 0);
});

test("a client that comes and goes all day fills no disk", () => {
  const { join, release, store, counters, pass } = desk(POOL);
  for (let n = 0; n < 500; n++) release(join(A) ?? "", { mac: A });
  assert.ok(store.events.length <= 61, `${store.events.length} events`);
  assert.equal(store.events.length + counters.get("events_suppressed"), 1000);
  assert.ok(join(B), "others are told of as before");
  assert.equal(store.events.at(-1)?.mac[5], 0x0b);
  pass(3700);
  join(A);
  assert.equal(store.events.at(-1)?.mac[5], 0x0a, "and it is again, an hour later");
});

test("however often a client has come and gone, the history says who holds an address", () => {
  const one = POOL.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1");
  const { join, release, store } = desk(one);
  const holder = () => {
    const last = store.events.at(-1);
    return last?.type === "grant" ? last.mac[5] : undefined;
  };
  // An even and an odd number of events before the budget is spent.
  for (const [mac, other] of [
    [A, B],
    [B, "02:00:00:00:00:0c"],
  ] as const) {
    for (let n = 0; n < 100; n++) {
      join(mac);
      assert.equal(holder(), Number(`0x${mac.slice(-2)}`), "while it is held");
      release("10.77.1.1", { mac });
    }
    join(other);
    assert.equal(holder(), Number(`0x${other.slice(-2)}`), "when another has it");
    release("10.77.1.1", { mac: other });
  }
  assert.ok(store.events.length < 250, `${store.events.length} events`);
});

test("two devices that take a reserved address from each other all day are told as far as the budget goes, each change in any case", () => {
  const shared = `${POOL}[[subnet.reservation]]\nip = "10.77.0.60"\ncircuit_id = "port7"\n`;
  const { join, store } = desk(shared);
  const port7 = { giaddr: "10.77.0.254", options: [[82, relayOption([1, "port7"])] as [number, Uint8Array]] };
  for (let n = 0; n < 100; n++) for (const mac of [A, B]) assert.equal(join(mac, port7), "10.77.0.60");
  const grants = store.events.filter(({ type }) => type === "grant");
  assert.equal(grants.length, 200);
  assert.ok(store.events.length <= 200 + 2 * 60, `${store.events.length} events`);
});

test("an event without an end has none, however the wall clock was set", () => {
  const { select, clock, engine, store } = desk(POOL);
  clock.step(-3_600_000);
  engine.tick();
  assert.equal(select("10.77.1.5", { mac: A })?.type, "NAK");
  assert.equal(store.events.at(-1)?.until, 0);
});

test("events tell by which configuration they were decided", () => {
  const { join, store, dhcp4 } = desk(POOL);
  join(A);
  dhcp4.reload(dhcp4.config, "v2");
  join(B);
  assert.deepEqual(
    store.events.map(({ config }) => config),
    ["v1", "v2"],
  );
});

test("a fault in what time brings is told, and the engine goes on", () => {
  const { join, pass, dhcp4, logged, counters } = desk(POOL);
  join(A);
  const { expire } = dhcp4;
  dhcp4.expire = () => {
    throw new Error("planted");
  };
  pass(4000);
  assert.ok(logged.includes("leases could not be ended"));
  assert.equal(counters.get("drop_fault"), 1);
  dhcp4.expire = expire;
  pass(1);
  assert.equal(dhcp4.leases.active, 0);
});

test("a fault in the middle of a packet leaves nothing of it in the batch", () => {
  const server = desk(POOL);
  const { engine, ingress, taken, store, counters, dhcp4 } = server;
  const offers = [A, B].map((mac) => server.discover({ mac })?.ip ?? "");
  const before = bindings(server);
  const { receive } = dhcp4;
  dhcp4.receive = (datagram, batch) => {
    receive.call(dhcp4, datagram, batch);
    // It has changed a lease, written a row, told an event, counted and replied by now.
    if (datagram.bytes[33] === 0x0a) throw new Error("planted");
  };
  const [forA, forB] = [A, B].map((mac, i) => ({
    bytes: packetOf(TYPE.request, { mac, options: selecting(offers[i] ?? "") }),
    ingress,
  }));
  assert.ok(forA && forB);
  engine.handle([forB, forA]);
  assert.deepEqual(
    taken().map((reply) => [reply.type, reply.ip]),
    [["ACK", offers[1]]],
  );
  assert.deepEqual([...store.leases.keys()], [ip(offers[1] ?? "")]);
  assert.equal(store.events.length, 1);
  assert.deepEqual([counters.get("sent_ack"), counters.get("drop_fault")], [1, 1]);
  const of = (all: ReturnType<typeof bindings>, address = "") =>
    all.find((each) => each.address === ip(address));
  assert.deepEqual(of(bindings(server), offers[0]), of(before, offers[0]), "the offer is as it was");
});

test("what follows a transaction and fails keeps nobody's reply back", () => {
  const { engine, ingress, taken, dhcp4, logged } = desk(POOL);
  const { receive } = dhcp4;
  dhcp4.receive = (datagram, batch) => {
    batch.after(() => {
      throw new Error("planted");
    });
    receive.call(dhcp4, datagram, batch);
  };
  engine.handle([A, B].map((mac) => ({ bytes: packetOf(TYPE.discover, { mac }), ingress })));
  assert.equal(taken().length, 2);
  assert.equal(logged.filter((line) => line === "a callback after a commit failed").length, 2);
});

test("a batch that is rolled back to a savepoint is as if the rest had never been decided", () => {
  const { dhcp4, engine, join } = desk(POOL);
  const held = ip(join(A) ?? "");
  engine.run((batch) => {
    const { leases } = batch;
    const first = leases.find(held);
    assert.ok(first);
    leases.put({ ...first, until: first.until + 1 });
    const savepoint = leases.savepoint;
    const [free] = dhcp4.config.pools.map((pool) => leases.unused(pool, 0));
    assert.ok(free !== undefined);
    leases.put({ ...first, address: free, port: "p" });
    leases.put({ ...first, state: 0 });
    leases.rollBackTo(savepoint);
    assert.equal(leases.find(held)?.until, first.until + 1);
    assert.equal(leases.find(free), undefined);
    assert.equal(leases.portUse("p"), 0);
    assert.equal(leases.ofClient(first.identity, 0).length, 1);
    assert.equal(leases.unused(dhcp4.config.pools[0] as never, 0), free);
  });
  assert.equal([...dhcp4.leases.all()].length, 1);
});

test("an offer outlives a reload that changes what names a client", () => {
  const short = `[lease]\ndefault_time = 60\n${POOL.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1")}`;
  const { join, pass, discover, dhcp4, select, store, clock } = desk(short);
  const address = join(A) ?? "";
  pass(100);
  assert.equal(discover({ mac: B })?.ip, address, "what someone else had before");
  dhcp4.reload(configOf(`identity = "mac"\n${short}`), "v2");
  assert.equal(select(address, { mac: B })?.type, "ACK");
  assert.equal(desk(short, store, clock).dhcp4.leases.active, 1);
});

test("what fails in the middle leaves nothing of itself in its batch, also no name", () => {
  const { engine } = desk(POOL);
  const kept = { kept: null, keptFor: null, keptDhcid: null, keptAt: null, peerOwner: null };
  const result = {
    address: "10.77.1.1",
    side: "forward",
    seq: 1,
    sentFor: null,
    state: "removed",
    error: null,
  } as const;
  engine.rehearse((batch) => {
    const half = () => {
      batch.named({ ...result, ...kept, tries: 0 });
      throw new Error("a mistake");
    };
    assert.throws(() => batch.whole(half), /a mistake/);
    assert.equal(batch.isEmpty, true);
  });
});
