import { STATE } from "../../services/lease/engine/src/leases/binding.ts";
import type { Lease6Record } from "../../services/lease/engine/src/leases/lease6-record.ts";
import { SqliteStore } from "../../services/lease/engine/src/store/sqlite-store.ts";

const AT_ONCE = 5000;
const FIRST = 0xfd64n << 112n;

/** A store with leases of DHCPv6 in force, as if they had been given. */
export function fillLeases6(path: string, total: number): void {
  const store = new SqliteStore(path);
  const now = Math.floor(Date.now() / 1000);
  const lease = (n: number): Lease6Record => ({
    // Spread over the /64, as a hash would.
    address: FIRST | (((BigInt(n) * 0x9e3779b97f4a7c15n) & 0xffff_ffff_ffff_ffffn) | 1n),
    length: 128,
    state: STATE.bound,
    duid: Uint8Array.of(0, 3, 0, 1, 6, 0, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255),
    iaid: 1,
    mac: new Uint8Array(0),
    hostname: null,
    vendor: null,
    classes: null,
    starts: now,
    until: now + 864_000,
    preferred: 3600,
    seen: now,
    interface: "s0",
    link: 0n,
    peer: 0n,
    interfaceId: null,
    remoteId: null,
    relays: null,
    reconfigureKey: null,
    told: now,
    renewals: 0,
    digest: 0,
    earlierLength: 0,
    earlierUntil: 0,
  });
  for (let done = 0; done < total; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, total - done);
    store.commit({
      writes: [],
      writes6: Array.from({ length: count }, (_, i) => ({ kind: "put", lease: lease(done + i) }) as const),
      events: [],
      notes: [],
      clock: undefined,
    });
  }
  store.close();
}
