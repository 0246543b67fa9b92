import type { Config } from "@frontdesk/lease-config/config";
import { isFree, type LeaseTable, STATE, type State } from "../leases/lease-table.ts";
import type { LeaseStore } from "../store/lease-store.ts";
import { identityOf } from "./identify.ts";

const NOBODY = new Uint8Array(0);

/** Brings what the store has into memory. */
export function loadLeases(config: Config, store: LeaseStore, leases: LeaseTable): void {
  const waiting: Array<{ ip: number; identity: Uint8Array; state: State; starts: number; until: number }> =
    [];
  for (const { ip, state, htype, mac, clientId, starts, until } of store.all()) {
    const known = state === STATE.declined ? undefined : identityOf(config, htype, mac, clientId);
    const identity = known ?? NOBODY;
    if (isFree(state)) waiting.push({ ip, identity, state, starts, until });
    else leases.put(ip, identity, state, starts, until);
  }
  // What is free waits in the order it became free, not in that of the addresses.
  waiting.sort((a, b) => a.until - b.until);
  for (const { ip, identity, state, starts, until } of waiting) {
    leases.put(ip, identity, state, starts, until);
  }
}
