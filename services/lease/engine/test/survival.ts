import assert from "node:assert/strict";
import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import { leaseText } from "../src/dhcp6/sentences.ts";
import { FOREVER, STATE } from "../src/leases/binding.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";
import type { Acked } from "./lab-clients.ts";
import type { Acked6 } from "./lab-clients6.ts";

/** What clients were told. */
export interface Told {
  readonly acked: readonly Acked[];
  readonly acked6: readonly Acked6[];
}

/** Opens a store as the engine would after a crash, and holds it to what clients were told. */
export function assertNothingLost(path: string, { acked, acked6 }: Told, now: number): void {
  const store = new SqliteStore(path);
  try {
    holdTo(store, acked, now);
    holdTo6(store, acked6, now);
  } finally {
    store.close();
  }
}

function holdTo(store: SqliteStore, acked: readonly Acked[], now: number): void {
  const kept = new Map([...store.all()].map((lease) => [formatIpv4(lease.ip), lease]));
  const latest = new Map(acked.map((each) => [each.mac, each]));
  const holders = new Map<string, string>();
  for (const { mac, ip, until } of latest.values()) {
    if (until <= now) continue;
    const lease = kept.get(ip);
    assert.ok(lease && lease.state === STATE.bound, `${mac} was told ${ip}, and it is not on disk`);
    assert.equal(formatHex(lease.mac), mac, `${ip} is on disk for another client`);
    // The client counts from when it heard, so it may think of a second more.
    assert.ok(
      lease.until === FOREVER || lease.until + 2 >= until,
      `${ip} ends earlier than its client was told`,
    );
    assert.equal(holders.get(ip), undefined, `${ip} is held twice`);
    holders.set(ip, mac);
  }
}

function holdTo6(store: SqliteStore, acked: readonly Acked6[], now: number): void {
  const kept = new Map([...store.all6()].map((lease) => [leaseText(lease), lease]));
  const holders = new Map<string, string>();
  for (const { duid, ip, until } of acked) {
    if (until <= now) continue;
    const lease = kept.get(ip);
    assert.ok(lease && lease.state === STATE.bound, `${duid} was told ${ip}, and it is not on disk`);
    assert.equal(formatHex(lease.duid), duid, `${ip} is on disk for another client`);
    assert.ok(lease.until + 2 >= until, `${ip} ends earlier than its client was told`);
    assert.equal(holders.get(ip) ?? duid, duid, `${ip} is held twice`);
    holders.set(ip, duid);
  }
}

/** A subnet of each family, for `listen` and `listen6`. */
export const BOTH_FAMILIES = `[dhcpv6]
enabled = true
[[subnet]]
network = "10.0.0.0/8"
[[subnet.pool]]
range = "10.1.0.1 - 10.2.255.255"
[[subnet]]
network = "fd77::/64"
[[subnet.pool]]
range = "fd77::1000 - fd77::ffff:ffff:ffff:ffff"
[[subnet.prefix_pool]]
prefix = "fd78::/32"
delegated_length = 56
`;
