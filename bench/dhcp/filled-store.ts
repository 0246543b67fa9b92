import { STATE } from "../../services/lease/engine/src/leases/binding.ts";
import type { LeaseEvent, LeaseRecord } from "../../services/lease/engine/src/leases/lease-record.ts";
import { SqliteStore } from "../../services/lease/engine/src/store/sqlite-store.ts";

/** The address of the first lease, and of the lowest in the events: 10.80.0.1. */
export const FIRST = 0x0a500001;
const AT_ONCE = 5000;

const macOf = (n: number) => Uint8Array.of(6, 0, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255);

/** A store with leases in force, as if they had been given. */
export function fillLeases(path: string, total: number, names = false): void {
  const store = new SqliteStore(path);
  const now = Math.floor(Date.now() / 1000);
  const lease = (n: number): LeaseRecord => ({
    ip: FIRST + n,
    state: STATE.bound,
    htype: 1,
    mac: macOf(n),
    clientId: null,
    hostname: names ? `host-${n}` : null,
    fqdn: null,
    vendor: null,
    classes: null,
    starts: now,
    until: now + 864_000,
    seen: now,
    interface: null,
    giaddr: 0,
    circuitId: null,
    remoteId: null,
    relayAgent: null,
    nonce: null,
    told: now,
    renewals: 0,
    digest: 0,
  });
  for (let done = 0; done < total; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, total - done);
    store.commit({
      writes: Array.from(
        { length: count },
        (_, i) => ({ kind: "put", lease: lease(done + i), keepRelay: false }) as const,
      ),
      events: [],
      notes: [],
      clock: undefined,
    });
  }
  store.close();
}

/** Events of 65,536 addresses, each address every 65,536th: one a second from the beginning of the epoch, or of that time (ms) at that step. */
export function fillEvents(path: string, total: number, from = 0, stepMs = 1000): void {
  const store = new SqliteStore(path);
  const event = (n: number): LeaseEvent => ({
    at: from + n * stepMs,
    type: n % 3 === 0 ? "grant" : "renew",
    ip: FIRST + (Math.imul(n, 40503) & 0xffff),
    mac: macOf(n % 70_000),
    clientId: null,
    hostname: null,
    giaddr: 0,
    circuitId: null,
    remoteId: null,
    until: Math.floor((from + n * stepMs) / 1000) + 86_400,
    reason: null,
    renewals: 0,
    config: "",
  });
  for (let done = 0; done < total; done += AT_ONCE) {
    store.commit({
      writes: [],
      events: Array.from({ length: AT_ONCE }, (_, i) => event(done + i)),
      notes: [],
      clock: undefined,
    });
    if (done % 1_000_000 === 0) store.restartWal();
  }
  store.close();
}
