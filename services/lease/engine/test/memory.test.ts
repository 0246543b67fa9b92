import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CODE } from "@frontdesk/lease-options/option-table";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { desk, relayOption } from "./desk.ts";
import { desk6, ip6, na, type Sent6, TOML6 } from "./desk6.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const CLIENTS = 1000;
/** A lease whose client and relays say as much as they can costs at most so much more than one of few words. */
const MAX_MORE = 1500;

/** Octets of memory that each client leaves behind. */
function costOf(join: (n: number) => unknown): number {
  const used = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  join(0);
  const before = used();
  for (let n = 1; n <= CLIENTS; n++) assert.ok(join(n));
  return (used() - before) / CLIENTS;
}

/** So many octets, which differ by their last. */
const numbered = (n: number, length: number) => {
  const octets = new Uint8Array(length).fill(0x61);
  new DataView(octets.buffer).setUint32(length - 4, n);
  return octets;
};
const hex = (octets: Uint8Array) => Buffer.from(octets).toString("hex");

test("DHCPv6: what a lease costs in memory is bounded, however much its client and relays say", () => {
  const cost = (interfaceId: number, duid: number, more: NonNullable<Sent6["options"]> = []) => {
    const { request, store } = desk6(TOML6);
    store.commit = () => {};
    return costOf((n) => {
      const relays = [
        {
          link: ip6("fd77::1"),
          peer: ip6("fe80::1") + BigInt(n),
          options: [
            { code: CODE6.interfaceId, value: numbered(n, interfaceId) },
            { code: CODE6.remoteId, value: numbered(n, interfaceId) },
          ],
        },
      ];
      const lease = request({ duid: hex(numbered(n, duid)), ias: [na()], relays, options: more });
      return lease?.leases.length === 1;
    });
  };
  const words = [
    { code: CODE6.vendorClass, value: Uint8Array.of(0, 0, 0, 9, 1, 0, ...new Uint8Array(256).fill(0x76)) },
    { code: CODE6.userClass, value: Uint8Array.of(1, 0, ...new Uint8Array(256).fill(0x75)) },
    { code: CODE6.clientFqdn, value: Uint8Array.of(0, 60, ...new Uint8Array(60).fill(0x66), 0) },
  ];
  const few = cost(8, 10);
  assert.ok(cost(550, 10) < few + MAX_MORE);
  assert.ok(cost(200, 130, words) < few + MAX_MORE);
});

test("DHCPv4: what a lease costs in memory is bounded, however much its client and relay say", () => {
  const cost = (circuit: number, clientId: number, hostname: string) => {
    const { join, store } = desk(
      `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.250.250"\n`,
    );
    store.commit = () => {};
    return costOf((n) =>
      join(`02:00:00:00:${hex(Uint8Array.of(n >> 8))}:${hex(Uint8Array.of(n))}`, {
        giaddr: "10.77.0.2",
        options: [
          [CODE.relayAgent, relayOption([1, [...numbered(n, circuit)]])],
          [CODE.clientIdentifier, numbered(n, clientId)],
          [CODE.hostName, hostname],
          [CODE.vendorClass, hostname],
        ],
      }),
    );
  };
  const few = cost(8, 7, "pc");
  assert.ok(cost(250, 255, "p".repeat(255)) < few + MAX_MORE);
});

test("a port whose identifier is long is told apart from others that begin alike", () => {
  const ports = (length: number) => {
    const { request, dhcp6 } = desk6(TOML6);
    for (let n = 0; n < 3; n++) {
      const options = [{ code: CODE6.interfaceId, value: numbered(n >> 1, length) }];
      const relays = [{ link: ip6("fd77::1"), peer: ip6("fe80::1"), options }];
      request({ duid: hex(numbered(n, 10)), ias: [na()], relays });
    }
    return dhcp6.leases.crowdedPorts(0);
  };
  assert.deepEqual(ports(6), [
    { port: "fd77::1 616100000000", held: 2 },
    { port: "fd77::1 616100000001", held: 1 },
  ]);
  const long = ports(1200);
  assert.deepEqual(
    long.map(({ held }) => held),
    [2, 1],
  );
  for (const { port } of long) assert.match(port, /^fd77::1 (61){16}~[0-9a-f]{32}$/);
});
