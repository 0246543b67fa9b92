import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv4, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { STATE } from "../src/leases/binding.ts";
import { EchoProbe, readArp } from "../src/loop/address-probe.ts";
import { libc } from "../src/loop/libc.ts";
import { desk, packetOf, SERVER } from "./desk.ts";

const POOL = `[lease]\nprobe = true\nprobe_wait_ms = 500\n[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const A = "02:00:00:00:00:0a";
const HARDWARE = Uint8Array.of(2, 0, 0, 0, 0, 10);

test("rapid commit: nothing is bound before its address is known to be free", () => {
  const rapid: [number, Uint8Array] = [80, new Uint8Array(0)];
  const { send, clock, engine, store, taken, probed, discover } = desk(`rapid_commit = true\n${POOL}`);
  assert.deepEqual(send(TYPE.discover, { mac: A, options: [rapid] }), []);
  assert.equal(store.events.length, 0);
  engine.answered({ address: probed[0] as number, hardware: undefined });
  clock.advance(500);
  engine.tick();
  assert.deepEqual(
    taken().map(({ type }) => type),
    ["ACK"],
  );
  assert.deepEqual(
    store.events.map(({ type }) => type),
    ["conflict", "grant"],
  );
  assert.equal(discover({ mac: A })?.type, "OFFER", "its own address is not probed again");
});

test("a probed DISCOVER is counted once, however often its client repeats itself or is answered for", () => {
  const { send, clock, engine, counters, probed, taken } = desk(POOL);
  send(TYPE.discover, { mac: A });
  send(TYPE.discover, { mac: A });
  engine.answered({ address: probed[0] as number, hardware: undefined });
  clock.advance(500);
  engine.tick();
  assert.equal(taken().length, 1);
  assert.deepEqual(
    ["packets_received", "received_discover", "sent_offer", "probes", "conflicts"].map((name) =>
      counters.get(name),
    ),
    [2, 2, 1, 2, 1],
  );
});

test("a REQUEST for an address that is being probed binds nothing: no OFFER was sent", () => {
  const { send, select, reboot, renew, clock, engine, store, probed, taken, counters } = desk(POOL);
  send(TYPE.discover, { mac: A });
  const address = formatIpv4(probed[0] as number);
  for (const ask of [select, reboot, renew]) assert.equal(ask(address, { mac: A }), undefined);
  assert.deepEqual([store.leases.size, counters.get("drop_being_probed")], [0, 3]);
  clock.advance(500);
  engine.tick();
  assert.equal(taken()[0]?.type, "OFFER");
  assert.equal(select(address, { mac: A })?.type, "ACK");
});

test("DISCOVERs of one client that come in together are one probe, and a REQUEST among them binds nothing", () => {
  const { engine, ingress, taken, store, counters, probed } = desk(POOL);
  const discover = { bytes: packetOf(TYPE.discover, { mac: A }), ingress };
  const requests = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => ({
    bytes: packetOf(TYPE.request, {
      mac: A,
      options: [
        [CODE.requestedAddress, `10.77.1.${n}`],
        [CODE.serverIdentifier, u32Bytes(SERVER)],
      ],
    }),
    ingress,
  }));
  engine.handle([discover, discover, discover, ...requests]);
  assert.deepEqual([probed.length, counters.get("probes"), store.leases.size], [1, 1, 0]);
  assert.equal(
    taken().some(({ type }) => type === "ACK"),
    false,
  );
});

test("the client itself may answer for the address: that is no conflict", () => {
  const { send, clock, engine, counters, probed, taken } = desk(POOL);
  send(TYPE.discover, { mac: A });
  engine.answered({ address: probed[0] as number, hardware: HARDWARE });
  clock.advance(500);
  engine.tick();
  assert.equal(taken()[0]?.type, "OFFER");
  assert.equal(counters.get("conflicts"), 0);
});

test("a client that comes back is offered its own address without a probe", () => {
  const { send, clock, engine, select, release, discover, probed, taken } = desk(POOL);
  send(TYPE.discover, { mac: A });
  clock.advance(500);
  engine.tick();
  const address = taken()[0]?.ip ?? "";
  select(address, { mac: A });
  release(address, { mac: A });
  clock.advance(120_000);
  assert.equal(discover({ mac: A })?.ip, address);
  assert.equal(probed.length, 1);
});

test("a conflict that cannot be written is met again at the next answer", () => {
  const { send, engine, store, probed, dhcp4 } = desk(POOL);
  send(TYPE.discover, { mac: A });
  const address = probed[0] as number;
  store.broken = true;
  engine.answered({ address, hardware: undefined });
  assert.equal(dhcp4.leases.find(address)?.state, 1);
  store.broken = false;
  engine.answered({ address, hardware: undefined });
  assert.equal(dhcp4.leases.find(address)?.state, 5);
});

test("only the echo reply that carries our token answers a question", () => {
  const probe = new EchoProbe(-1);
  const reply = (from: number[], token: Uint8Array, id = process.pid & 0xffff) => {
    const packet = Buffer.alloc(20 + 8 + 8);
    packet[0] = 0x45;
    packet.set(from, 12);
    packet.writeUInt16BE(id, 24);
    packet.set(token, 28);
    return packet;
  };
  assert.equal(probe.answerOf(reply([10, 0, 0, 1], new Uint8Array(8))), undefined);
  assert.equal(probe.answerOf(Buffer.alloc(0)), undefined);
  assert.equal(probe.answerOf(Buffer.alloc(20)), undefined);
  const token = probe.ask(0x0a000001);
  assert.equal(probe.answerOf(reply([10, 0, 0, 1], new Uint8Array(8))), undefined, "forged");
  assert.equal(probe.answerOf(reply([10, 0, 0, 2], token)), undefined, "by another address");
  assert.equal(probe.answerOf(reply([10, 0, 0, 1], token, 1 + (process.pid & 0xff))), undefined, "another's");
  assert.equal(probe.answerOf(reply([10, 0, 0, 1], token)), 0x0a000001);
});

test("an answer that comes when its address is bound takes it from nobody", () => {
  const { send, engine, probed, dhcp4 } = desk(`bootp = true\n${POOL}`);
  send(TYPE.discover, { mac: A });
  const address = probed[0] as number;
  // The same device asks by BOOTP while the probe is under way, has the address at once, and answers for it itself.
  const [reply] = send(0, { mac: A });
  assert.equal(reply?.ip, formatIpv4(address));
  engine.answered({ address, hardware: undefined });
  assert.equal(dhcp4.leases.active, 1);
});

test("an address that someone answered for is not offered because the conflict could not be written", () => {
  const { send, engine, store, probed, dhcp4, clock, taken, counters } = desk(POOL);
  send(TYPE.discover, { mac: A });
  const address = probed[0] as number;
  store.broken = true;
  engine.answered({ address, hardware: undefined });
  clock.advance(500);
  engine.tick();
  assert.deepEqual(taken(), [], "not while it cannot be written");
  send(TYPE.discover, { mac: A });
  clock.advance(500);
  engine.tick();
  assert.deepEqual(taken(), []);
  assert.ok(engine.patience() > 0, "it is tried again in a while, not at once");
  store.broken = false;
  clock.advance(2000);
  engine.tick();
  assert.equal(dhcp4.leases.find(address)?.state, STATE.declined);
  assert.equal(counters.get("conflicts"), 1);
  assert.equal(probed.length, 2, "another address is probed for its client");
  clock.advance(500);
  engine.tick();
  const [offer] = taken();
  assert.equal(offer?.type, "OFFER");
  assert.notEqual(offer?.ip, formatIpv4(address));
});

const B = "02:00:00:00:00:0b";
const SHARED = `${POOL}[[subnet.reservation]]\nip = "10.77.0.50"\nmac = ["${A}", "${B}"]\n`;

test("who asks for a reserved address whose holder is late but answers the probe gets another one", () => {
  const { send, select, renew, clock, engine, probed, taken, dhcp4, store } = desk(SHARED);
  send(TYPE.discover, { mac: A });
  clock.advance(500);
  engine.tick();
  assert.equal(taken()[0]?.ip, "10.77.0.50");
  assert.equal(select("10.77.0.50", { mac: A })?.type, "ACK");
  clock.advance(2_800_000);
  engine.tick();
  send(TYPE.discover, { mac: B });
  assert.equal(formatIpv4(probed.at(-1) as number), "10.77.0.50");
  engine.answered({ address: probed.at(-1) as number, hardware: HARDWARE });
  clock.advance(500);
  engine.tick();
  const [offer] = taken();
  assert.equal(offer?.type, "OFFER");
  assert.notEqual(offer?.ip, "10.77.0.50");
  assert.equal(select(offer?.ip ?? "", { mac: B })?.type, "ACK");
  assert.equal(renew("10.77.0.50", { mac: A })?.type, "ACK");
  assert.equal(dhcp4.leases.active, 2);
  assert.equal(store.events.filter(({ type }) => type === "conflict").length, 0);
});

test("two devices of one reservation that begin at once are both answered", () => {
  for (const apart of [true, false]) {
    const { engine, ingress, clock, taken } = desk(SHARED);
    const discovers = [A, B].map((mac) => ({ bytes: packetOf(TYPE.discover, { mac }), ingress }));
    if (apart) for (const each of discovers) engine.handle([each]);
    else engine.handle(discovers);
    clock.advance(500);
    engine.tick();
    const offers = taken().map(({ message, type }) => [type, message.chaddr.at(5)]);
    assert.deepEqual(offers, [
      ["OFFER", 0x0a],
      ["OFFER", 0x0b],
    ]);
  }
});

test("a device that begins again under another client identifier is answered by its latest message", () => {
  const { send, engine, clock, taken, probed } = desk(SHARED);
  send(TYPE.discover, { mac: A });
  send(TYPE.discover, { mac: A, options: [[CODE.clientIdentifier, "system"]] });
  clock.advance(500);
  engine.tick();
  assert.deepEqual([taken().map(({ ip }) => ip), probed.length], [["10.77.0.50"], 1]);
});

test("what a device has is offered to the system that its boot program starts without a probe, which it would answer itself", () => {
  for (const pool of ["", `[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`]) {
    const reserved = `[[subnet.reservation]]\nip = "10.77.0.50"\nmac = "${A}"\n`;
    const { send, select, clock, engine, probed, taken } = desk(
      `${POOL.slice(0, POOL.indexOf("[[subnet.pool]]"))}${pool}${reserved}`,
    );
    const relayed = {
      giaddr: "10.77.0.9",
      from: { sourceAddress: 0x0a4d0009, sourcePort: 67, unicast: true },
    };
    send(TYPE.discover, { mac: A, ...relayed });
    clock.advance(500);
    engine.tick();
    taken();
    assert.equal(select("10.77.0.50", { mac: A, ...relayed })?.type, "ACK");
    clock.advance(70_000);
    const system: [number, string] = [CODE.clientIdentifier, "\u0000system"];
    const [offer] = send(TYPE.discover, { mac: A, options: [system], ...relayed });
    assert.deepEqual([offer?.type, offer?.ip, probed.length], ["OFFER", "10.77.0.50", 1]);
  }
});

test("of three devices of one reservation two begin when the third is gone: both are answered", () => {
  const others = [B, "02:00:00:00:00:0c"];
  const macs = [A, ...others].map((mac) => `"${mac}"`).join(", ");
  const { send, select, clock, engine, taken } = desk(
    `${POOL}[[subnet.reservation]]\nip = "10.77.0.50"\nmac = [${macs}]\n`,
  );
  send(TYPE.discover, { mac: A });
  clock.advance(500);
  engine.tick();
  taken();
  assert.equal(select("10.77.0.50", { mac: A })?.type, "ACK");
  clock.advance(2_800_000);
  engine.tick();
  for (const mac of others) send(TYPE.discover, { mac });
  clock.advance(500);
  engine.tick();
  const offers = taken().map(({ message, type }) => [type, message.chaddr.at(5)]);
  assert.deepEqual(offers, [
    ["OFFER", 0x0b],
    ["OFFER", 0x0c],
  ]);
});

test("a device that begins again while another waits for its address is answered at once", () => {
  const { send, select, clock, engine, taken } = desk(SHARED);
  send(TYPE.discover, { mac: A });
  clock.advance(500);
  engine.tick();
  taken();
  assert.equal(select("10.77.0.50", { mac: A })?.type, "ACK");
  clock.advance(2_800_000);
  engine.tick();
  send(TYPE.discover, { mac: B });
  const system: [number, string] = [CODE.clientIdentifier, "\u0000system"];
  assert.equal(send(TYPE.discover, { mac: A, options: [system] })[0]?.ip, "10.77.0.50");
  assert.equal(select("10.77.0.50", { mac: A, options: [system] })?.type, "ACK");
  for (const _ of ["its probe", "that of an address of the pool"]) {
    clock.advance(500);
    engine.tick();
  }
  assert.match(taken()[0]?.ip ?? "", /^10\.77\.1\./);
});

test("ARP and echo replies that never cease keep nobody from the packets that wait", {
  skip: process.platform === "linux" ? false : "needs Linux",
}, (t) => {
  const endless = 100_000;
  const heard: number[] = [];
  const { mock: arp } = t.mock.method(libc(), "recvfrom", () => (arp.callCount() < endless ? 28 : -1));
  readArp(-1, [], () => heard.push(1));
  const { mock: echo } = t.mock.method(libc(), "recv", () => (echo.callCount() < endless ? 64 : -1));
  new EchoProbe(-1).read(() => heard.push(1));
  assert.deepEqual([arp.callCount() < endless, echo.callCount() < endless, heard], [true, true, []]);
});
