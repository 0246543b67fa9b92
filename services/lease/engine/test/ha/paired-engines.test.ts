import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv4, readU32, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { decodeMessage } from "../../src/dhcp4/message.ts";
import type { Core } from "../../src/ha/core-state.ts";
import { ownerOf, type Role } from "../../src/ha/ownership.ts";
import type { AnyDatagram } from "../../src/loop/wire.ts";
import { ip, packetOf } from "../desk.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair as pairOf } from "./engine-pair.ts";
import { packets4, SERVERS } from "./packets4.ts";
import { packets6 } from "./packets6.ts";
import { macOf, type WorldNode } from "./world-node.ts";

test("two engines that meet for the first time come to normal, and each owns a part of the addresses", async (t) => {
  const { primary, secondary, pass } = await pairOf(t);
  pass(30);
  assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
  assert.ok((primary.core?.durable.ownership.ranges.length ?? 0) > 0, "something is lent");
});

test("a lease that the primary gave is renewed by the secondary when the primary has died", async (t) => {
  const { primary, secondary, pass, ask } = await pairOf(t);
  pass(30);
  const offer = ask(primary, { kind: "discover" });
  assert.equal(offer?.kind, "offer");
  assert.equal(ask(secondary, { kind: "discover" }), undefined, "the primary answers");
  const address = offer?.address;
  const ack = ask(primary, { kind: "select", address, server: "primary" });
  assert.equal(ack?.kind, "ack");
  pass(2);
  primary.crash();
  pass(6);
  const renewed = ask(secondary, { kind: "renew", address });
  assert.deepEqual([renewed?.kind, renewed?.address], ["ack", address]);
});

test("the history of both nodes tells who has an address, and which of them decided it", async (t) => {
  const { primary, secondary, pass, join, historyOf } = await pairOf(t);
  pass(30);
  const address = join(primary, 9) as number;
  pass(2);
  assert.deepEqual(historyOf(primary, address), [["grant", macOf(9), null]]);
  assert.deepEqual(historyOf(secondary, address), [["grant", macOf(9), "by-peer"]]);
});

test("where a wrong takeover gave one address to two clients, one is told to leave it, and the history says so", async (t) => {
  const { world, primary, secondary, pass, join, ask, historyOf } = await pairOf(t);
  pass(30);
  world.run({ do: "partition", isOn: true, r: 1 });
  pass(8);
  const address = join(primary, 9) as number;
  world.run({ do: "partner-down", node: "secondary", isWrong: true, ago: 0, r: 1 });
  pass(40);
  assert.equal(ask(primary, { kind: "renew", client: 9, address })?.kind, "ack");
  const other = [10, 11, 12, 13, 14, 15, 16, 17].find((client) => join(secondary, client) === address);
  assert.ok(other !== undefined, "the secondary gives it to another");
  world.run({ do: "partition", isOn: false, r: 1 });
  pass(30);
  assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
  const told = historyOf(secondary, address).find(([type]) => type === "conflict");
  assert.deepEqual(told, ["conflict", macOf(9), "two-clients"]);
  assert.equal(ask(primary, { kind: "renew", client: 9, address, isUnicast: true })?.kind, "nak");
});

test("a commit that fails leaves no trace, and the pair is in normal again when the disk is", async (t) => {
  const { primary, secondary, pass, join } = await pairOf(t);
  pass(30);
  const before = primary.core?.durable.lastSeq;
  primary.commitFault = "refused";
  assert.equal(join(primary, 9), undefined);
  assert.equal(primary.core?.durable.lastSeq, before);
  pass(20);
  const address = join(primary, 9) as number;
  pass(3);
  assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
  assert.equal(secondary.rows.get(address)?.client, primary.rows.get(address)?.client);
});

test("a client that takes an offer of the peer is a sign that the peer is there: no takeover is declared against it", async (t) => {
  const { world, secondary, pass, ask } = await pairOf(t);
  pass(30);
  world.run({ do: "partition", isOn: true, r: 1 });
  pass(8);
  ask(secondary, { kind: "select", address: 0x0a4d0101, server: "primary" });
  secondary.run({ kind: "command", command: { name: "partner-down", stoppedAt: secondary.now - 1 } });
  assert.equal(secondary.core?.state, "interrupted");
  secondary.run({
    kind: "command",
    command: { name: "partner-down", stoppedAt: secondary.now - 1, force: true },
  });
  assert.equal(secondary.core?.state, "partner_down");
});

test("a peer whose clock is ahead does not set the time of this node at its next start", async (t) => {
  const { primary, secondary, pass, join } = await pairOf(t, { offsets: { primary: 3600, secondary: 0 } });
  pass(30);
  const address = join(primary, 1);
  assert.ok(address !== undefined);
  pass(5);
  const seen = (node: WorldNode) => (node as EngineNode).seen(address);
  assert.ok(seen(primary) > secondary.now, "its clock is ahead");
  assert.ok(seen(secondary) <= secondary.now, `${seen(secondary)} is after ${secondary.now}`);
});

const RELAY = "10.77.255.1";
/** As a relay sends it that wants to be taken for the server (RFC 5107). */
function relayed(
  type: number,
  to: Role,
  options: Array<[number, Uint8Array]> = [],
  ciaddr?: string,
): AnyDatagram {
  const asServer: [number, Uint8Array] = [CODE.relayAgent, Uint8Array.of(11, 4, ...u32Bytes(ip(RELAY)))];
  const bytes = packetOf(type, {
    mac: macOf(9),
    giaddr: RELAY,
    options: [...options, asServer],
    ...(ciaddr ? { ciaddr } : {}),
  });
  const ingress = {
    interfaceName: "eth0",
    addresses: [SERVERS[to]],
    sourceAddress: ip(RELAY),
    sourcePort: 67,
    unicast: true,
    lab: false,
  };
  return { bytes, ingress };
}

test("behind a relay that stands in for its servers one node answers, and the other is silent", async (t) => {
  const pair = await pairOf(t);
  pair.pass(30);
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  const [offer] = primary.receive(relayed(TYPE.discover, "primary"));
  assert.ok(offer);
  const address = u32Bytes((packets4.replyOf(offer, {} as never) as { address: number }).address);
  const options: Array<[number, Uint8Array]> = [
    [CODE.serverIdentifier, u32Bytes(ip(RELAY))],
    [CODE.requestedAddress, address],
  ];
  assert.deepEqual(secondary.receive(relayed(TYPE.request, "secondary", options)), [], "no NAK");
  assert.equal(primary.receive(relayed(TYPE.request, "primary", options)).length, 1);
  pair.pass(2);
  const held = formatIpv4(readU32(address, 0));
  assert.deepEqual(secondary.receive(relayed(TYPE.request, "secondary", [], held)), [], "nor a second ACK");
  assert.equal(primary.receive(relayed(TYPE.request, "primary", [], held)).length, 1);
});

test("a lease of another server is imported only by the node that may give its address", async (t) => {
  const pair = await pairOf(t);
  pair.pass(30);
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  const { ownership } = (primary.core as Core).durable;
  const [pool] = (primary.core as Core).plan.pools;
  const all = Array.from({ length: 8 }, (_, i) => Number(pool?.first) + i);
  const lent = all.find((address) => ownerOf(ownership, address).owner === "secondary");
  assert.ok(lent !== undefined);
  const mac = Uint8Array.of(2, 0, 0, 0, 9, 9);
  const lease = { ip: lent, mac, clientId: null, hostname: null, until: 4_000_000_000 };
  assert.equal(primary.import(lease), "peer");
  assert.equal(secondary.import(lease), "pending");
});

test("a lease of another server counts as imported once the peer has it, and is not taken over while the peer is away", async (t) => {
  const pair = await pairOf(t);
  pair.pass(30);
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  const { durable, plan } = primary.core as Core;
  const isOwn = (address: number) => ownerOf(durable.ownership, address).owner === "primary";
  const own = Array.from({ length: 8 }, (_, i) => Number(plan.pools[0]?.first) + i).filter(
    (address) => isOwn(address) && !plan.reserved.has(address) && !primary.rows.has(address),
  );
  const [first, second] = own as [number, number];
  const leaseAt = (ip: number, last: number, until = 4_000_000_000) => ({
    ip,
    mac: Uint8Array.of(2, 0, 0, 0, 9, last),
    clientId: null,
    hostname: null,
    until,
  });
  assert.equal(primary.import(leaseAt(first, 1), 2), "pending", "also where it is named twice");
  pair.pass(1);
  const before = primary.core?.durable.lastSeq;
  assert.equal(primary.import(leaseAt(first, 1)), undefined);
  assert.equal(primary.core?.durable.lastSeq, before, "nothing is written for what is there");
  assert.equal(secondary.rows.get(first)?.end, 4_000_000_000);
  secondary.crash();
  pair.pass(10);
  assert.equal(primary.core?.state, "interrupted");
  assert.equal(primary.import(leaseAt(second, 2)), "unacknowledged");
  assert.equal(primary.rows.has(second), false);
  // Within the lead the peer waits for it anyway.
  assert.equal(primary.import(leaseAt(second, 2, Math.floor(primary.now) + 20)), undefined);
  assert.equal(primary.import(leaseAt(first, 1)), undefined, "the peer has it");
});

test("a BOOTP client of a pair gets what is reserved for it, and nothing else", async (t) => {
  const pair = await pairOf(t);
  pair.pass(30);
  const primary = pair.primary as EngineNode;
  // The first address of the plan is reserved for the first client.
  const [reserved] = [...(primary.core as Core).plan.reserved.keys()] as [number];
  const mac = macOf(0);
  const ingress = {
    interfaceName: "eth0",
    addresses: [SERVERS.primary],
    sourceAddress: 0,
    sourcePort: 68,
    unicast: false,
    lab: false,
  };
  const bootp = () =>
    primary.receive({ bytes: packetOf(0, { mac }), ingress }).map(({ bytes }) => {
      const message = decodeMessage(bytes);
      return "malformed" in message ? 0 : message.yiaddr;
    });
  assert.deepEqual(bootp(), [reserved]);
  const server: [number, Uint8Array] = [CODE.serverIdentifier, u32Bytes(SERVERS.primary)];
  const decline = packetOf(TYPE.decline, {
    mac,
    options: [server, [CODE.requestedAddress, u32Bytes(reserved)]],
  });
  primary.receive({ bytes: decline, ingress });
  assert.deepEqual(bootp(), [], "what is reserved for it rests");
});

test("DHCPv6: what is released and asked for again in one batch is told for no longer than the peer could know", async (t) => {
  const pair = await pairOf(t, {}, packets6);
  pair.pass(30);
  const primary = pair.primary as EngineNode;
  const address = pair.join(primary, 9);
  assert.ok(address !== undefined);
  pair.pass(2);
  const said = {
    client: 9,
    sentAt: pair.world.now,
    wanted: 60,
    tries: 1,
    isUnicast: false,
    address,
    server: "primary",
  };
  const [release, select] = (["release", "select"] as const).map((kind, i) =>
    packets6.datagram({ ...said, kind, xid: 100 + i } as never, "primary"),
  );
  const replies = primary.receive(release as AnyDatagram, select as AnyDatagram);
  const told = replies.map((reply) =>
    packets6.replyOf(reply, { ...said, kind: "select", xid: 101 } as never),
  );
  for (const each of told) if (each?.kind === "ack") assert.ok(each.seconds <= 3600, `${each.seconds} s`);
});

for (const [name, packets] of [
  ["DHCPv4", packets4],
  ["DHCPv6", packets6],
] as const) {
  test(`${name}: a client that gets nothing for want of an address makes its node ask for the peer's last one`, async (t) => {
    const { primary, pass, join } = await pairOf(t, { addresses: 3 }, packets);
    pass(30);
    const first = Number(primary.core?.plan.pools[0]?.first);
    const isOwn = (node: WorldNode, address: number) =>
      ownerOf((node.core as Core).durable.ownership, address).owner === node.role;
    const free = () => [first + 1, first + 2].filter((address) => !primary.rows.has(address));
    // One address each, but for the reserved one: the primary gives its own away.
    assert.deepEqual(
      free()
        .map((address) => isOwn(primary, address))
        .sort(),
      [false, true],
    );
    const given = [9, 10, 11].map((client) => join(primary, client)).filter((each) => each !== undefined);
    assert.equal(given.length, 1);
    pass(3);
    assert.ok(join(primary, 12) !== undefined, "the secondary has lent its last one");
  });
}
