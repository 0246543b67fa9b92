import assert from "node:assert/strict";
import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import { FOREVER, STATE } from "../src/leases/binding.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";
import type { Acked } from "./lab-clients.ts";

/** Opens a store as the engine would after a crash, and holds it to what clients were told. */
export function assertNothingLost(path: string, acked: readonly Acked[], now: number): void {
  const store = new SqliteStore(path);
  try {
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
  } finally {
    store.close();
  }
}
