import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE } from "@frontdesk/lease-options/option-table";
import { configOf, desk, ip, relayOption } from "./desk.ts";

const NET = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const BY_MAC = `${NET}[[subnet.reservation]]\nip = "10.77.0.50"\nmac = "02:00:00:00:00:0a"\nhostname = "door"\n`;
const BY_CIRCUIT = `${NET}[[subnet.reservation]]\nip = "10.77.0.60"\ncircuit_id = "port7"\n`;
const A = "02:00:00:00:00:0a";
const B = "02:00:00:00:00:0b";
const named = (text: string): [number, Uint8Array] => [CODE.clientIdentifier, new TextEncoder().encode(text)];
const port7 = {
  giaddr: "10.77.0.254",
  options: [[82, relayOption([1, "port7"])] as [number, Uint8Array]],
};

test("a renewal past the relay keeps a reservation by circuit-id, and what the relay said stays", () => {
  const { join, renew, store } = desk(BY_CIRCUIT);
  assert.equal(join(A, port7), "10.77.0.60");
  const ack = renew("10.77.0.60", { mac: A });
  assert.deepEqual([ack?.type, ack?.ip], ["ACK", "10.77.0.60"]);
  renew("10.77.0.60", { mac: A, options: [[CODE.hostName, "now-with-a-name"]] });
  const kept = store.leases.get(ip("10.77.0.60"));
  assert.equal(Buffer.from(kept?.circuitId ?? []).toString(), "port7");
  assert.deepEqual([kept?.giaddr, kept?.hostname], [ip("10.77.0.254"), "now-with-a-name"]);
});

test("a renewal past the relay stays in a class over relay fields", () => {
  const phones = `[[class]]\nname = "phones"\nmatch = "circuit_id == 'port7'"\n[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\nclasses = ["phones"]\n`;
  const { join, renew } = desk(phones);
  const address = join(A, port7) ?? "";
  assert.ok(address);
  assert.equal(renew(address, { mac: A })?.type, "ACK");
  assert.equal(renew(address, { mac: B })?.type, "NAK");
});

const CLASSED = (match: string) =>
  `[[class]]\nname = "phones"\nmatch = "${match}"\n[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\nclasses = ["phones"]\n`;

test("option 82 counts in a class only when a relay has sent it", () => {
  const { discover } = desk(CLASSED("exists option[82]"));
  assert.equal(discover({ mac: A, options: port7.options }), undefined);
  assert.equal(discover({ mac: A, ...port7 })?.type, "OFFER");
});

test("a renewal past the relay stays in a class over option 82, whatever it says itself, after a restart too", () => {
  const toml = CLASSED(`option[82] == 0x${Buffer.from(relayOption([1, "port7"], [9, "x"])).toString("hex")}`);
  const whole = { ...port7, options: [[82, relayOption([1, "port7"], [9, "x"])] as [number, Uint8Array]] };
  const first = desk(toml);
  const address = first.join(A, whole) ?? "";
  assert.ok(address);
  assert.equal(first.renew(address, { mac: A })?.type, "ACK");
  assert.equal(first.renew(address, { mac: A, options: [[CODE.hostName, "new"]] })?.type, "ACK");
  const again = desk(toml, first.store, first.clock);
  assert.equal(again.renew(address, { mac: A, options: [[82, relayOption([1, "port8"])]] })?.type, "ACK");
});

test("a renewal that comes in by another interface stays in a class over the interface", () => {
  const { join, renew } = desk(CLASSED("interface == 'eth0'"));
  const address = join(A) ?? "";
  assert.equal(renew(address, { mac: A, from: { interfaceName: "eth1" } })?.type, "ACK");
});

test("PXE and the system it starts share the address that is reserved for their hardware", () => {
  const { join, store } = desk(BY_MAC);
  assert.equal(join(A, { options: [named("pxe-rom")] }), "10.77.0.50");
  assert.equal(join(A), "10.77.0.50", "the system, known by its hardware address");
  assert.equal(join(A, { options: [named("pxe-rom")] }), "10.77.0.50", "and back");
  assert.deepEqual(
    store.events.map(({ type, reason }) => [type, reason]),
    [
      ["grant", null],
      ["release", "yielded"],
      ["grant", null],
      ["release", "yielded"],
      ["grant", null],
    ],
  );
  assert.deepEqual([...store.leases.keys()], [ip("10.77.0.50")]);
});

test("a new device on a port takes over the address that is reserved for the port", () => {
  const { join, renew } = desk(BY_CIRCUIT);
  assert.equal(join(A, port7), "10.77.0.60");
  assert.equal(join(B, port7), "10.77.0.60");
  assert.equal(renew("10.77.0.60", { mac: A })?.type, "NAK", "the old one is told at its next message");
});

test("an offer to the second device leaves the first one its lease until it is taken", () => {
  const { join, discover, pass, renew, dhcp4 } = desk(BY_CIRCUIT);
  join(A, port7);
  assert.equal(discover({ mac: B, ...port7 })?.ip, "10.77.0.60");
  pass(61);
  assert.equal(dhcp4.leases.active, 1);
  assert.equal(renew("10.77.0.60", { mac: A })?.type, "ACK");
});

test("a holder from before the reservation does not yield", () => {
  const { join, discover, dhcp4 } = desk(NET);
  const address = join(B) ?? "";
  dhcp4.reload(configOf(BY_MAC.replace("10.77.0.50", address)), "v2");
  assert.notEqual(discover({ mac: A })?.ip, address);
});

test("a reservation that is switched off is as if it were not there", () => {
  const { discover } = desk(BY_MAC.replace("hostname =", 'enabled = false\nnote = "on leave"\nhostname ='));
  assert.notEqual(discover({ mac: A })?.ip, "10.77.0.50");
});

test("a reservation's hostname is sent when it is asked for, and when nothing is", () => {
  assert.equal(desk(BY_MAC).discover({ mac: A })?.options.host_name, "door");
  const asking = (code: number): [number, Uint8Array] => [CODE.parameterRequestList, Uint8Array.of(code)];
  assert.equal(desk(BY_MAC).discover({ mac: A, options: [asking(12)] })?.options.host_name, "door");
  assert.equal(desk(BY_MAC).discover({ mac: A, options: [asking(3)] })?.options.host_name, undefined);
});

test("of two devices at one reserved port the later one has the address; the earlier does not take it back", () => {
  const { join, renew } = desk(BY_CIRCUIT);
  assert.equal(join(A, port7), "10.77.0.60");
  assert.equal(join(B, port7), "10.77.0.60", "a replacement at the same port");
  assert.equal(renew("10.77.0.60", { mac: A, ...port7 })?.type, "NAK", "rebinding through the relay");
  assert.equal(renew("10.77.0.60", { mac: B, ...port7 })?.type, "ACK");
  assert.equal(renew("10.77.0.60", { mac: A, ...port7 })?.type, "NAK");
  assert.equal(join(A, port7), "10.77.0.60", "who begins anew is there now");
});

test("of two devices that one address is reserved for the later has another while the first is there", () => {
  const list = `[lease]\ndefault_time = 3600\n${BY_MAC.replace(`"${A}"`, `["${A}", "${B}"]`)}`;
  for (const how of [{}, port7]) {
    const { join, renew, pass } = desk(list);
    assert.equal(join(A, how), "10.77.0.50");
    const other = join(B, how) ?? "";
    assert.notEqual(other, "10.77.0.50", "though both are behind one relay, no port is reserved");
    for (let half = 0; half < 10; half++) {
      pass(1800);
      assert.equal(renew("10.77.0.50", { mac: A })?.type, "ACK");
      assert.equal(renew(other, { mac: B })?.type, "ACK");
      assert.equal(join(B, how), other);
    }
    pass(2701);
    assert.equal(renew(other, { mac: B })?.type, "ACK", "it need not move");
    assert.equal(join(B, how), "10.77.0.50", "the first has not renewed");
    assert.equal(renew("10.77.0.50", { mac: A })?.type, "NAK");
    assert.notEqual(join(A, how), "10.77.0.50");
  }
});

test("what clients hold of excluded addresses is no part of the pool: free is never below zero", () => {
  const pool = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.4"\n`;
  const excluded = `${pool}exclude = ["10.77.1.1 - 10.77.1.3"]\n`;
  const mac = (n: number) => `02:00:00:00:00:0${n}`;
  const used = ({ dhcp4 }: ReturnType<typeof desk>) =>
    dhcp4.leases.uses().map(({ size, bound, free }) => [size, bound, free]);

  const reserved = [1, 2, 3].map((n) => `[[subnet.reservation]]\nip = "10.77.1.${n}"\nmac = "${mac(n)}"\n`);
  const one = desk(excluded + reserved.join(""));
  for (const n of [1, 2, 3]) assert.equal(one.join(mac(n)), `10.77.1.${n}`);
  assert.deepEqual(used(one), [[1, 0, 1]]);
  assert.equal(one.dhcp4.leases.active, 3);
  assert.equal(one.join(mac(9)), "10.77.1.4");
  assert.deepEqual(used(one), [[1, 1, 0]]);

  const other = desk(pool);
  for (const n of [1, 2, 3, 4]) other.join(mac(n));
  other.dhcp4.reload(configOf(excluded), "v2");
  assert.deepEqual(used(other), [[1, 1, 0]]);
  assert.equal(other.dhcp4.leases.active, 4, "a lease outlives what is excluded later");
});
