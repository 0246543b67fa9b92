import type { Network, Pool, Reservation } from "@frontdesk/lease-config/config";
import { placementHash } from "./identity-index.ts";
import { isFree, type LeaseTable, STATE } from "./lease-table.ts";

export interface Wish {
  readonly identity: Uint8Array;
  readonly network: Network;
  readonly reservation: Reservation | undefined;
  /** What the client asked for; 0 when it did not. */
  readonly requested: number;
  readonly mayUse: (pool: Pool) => boolean;
  readonly reservedFor: (address: number) => Reservation | undefined;
}

export interface Choice {
  readonly address: number;
  readonly why: string;
}

/**
 * Which address a client gets. Nothing is changed and nothing is searched: each rule looks at one
 * place, so the cost is the same in a full pool and an empty one.
 */
export function chooseAddress(table: LeaseTable, wish: Wish): Choice | undefined {
  return (
    reserved(table, wish) ??
    itsOwn(table, wish) ??
    asRequested(table, wish) ??
    neverUsed(table, wish) ??
    longestFree(table, wish)
  );
}

/** Whether this client may have this address now. */
export function isOpenTo(table: LeaseTable, wish: Wish, address: number): boolean {
  const owner = wish.reservedFor(address);
  if (owner !== undefined && owner !== wish.reservation) return false;
  if (owner === undefined) {
    const pool = table.poolOf(address);
    if (!pool || pool.subnet.network !== wish.network || !wish.mayUse(pool)) return false;
    if (pool.excluded.some(({ first, last }) => address >= first && address <= last)) return false;
  }
  const slot = table.find(address);
  if (slot === undefined) return true;
  const state = table.state(slot);
  if (state === STATE.declined) return false;
  return isFree(state) || table.holds(slot, wish.identity);
}

function reserved(table: LeaseTable, wish: Wish): Choice | undefined {
  const address = wish.reservation?.ip;
  return address !== undefined && isOpenTo(table, wish, address)
    ? { address, why: "reserved for this client" }
    : undefined;
}

/** RFC 2131 section 4.3.1: its current address, then its previous one. */
function itsOwn(table: LeaseTable, wish: Wish): Choice | undefined {
  const slot = table.findClient(wish.identity, wish.network.index);
  if (slot === undefined) return undefined;
  const address = table.address(slot);
  if (!isOpenTo(table, wish, address)) return undefined;
  return { address, why: isFree(table.state(slot)) ? "it had this address before" : "it has this address" };
}

function asRequested(table: LeaseTable, wish: Wish): Choice | undefined {
  return wish.requested !== 0 && isOpenTo(table, wish, wish.requested)
    ? { address: wish.requested, why: "it asked for this address, which is free" }
    : undefined;
}

/** A place by the client's hash, or the next one there that nobody ever had. */
function neverUsed(table: LeaseTable, wish: Wish): Choice | undefined {
  const hash = placementHash(wish.identity);
  const { pools } = wish.network;
  for (let i = 0; i < pools.length; i++) {
    const pool = pools[(hash + i) % pools.length] as Pool;
    if (!wish.mayUse(pool)) continue;
    const map = table.freeMap(pool);
    const offset = map.next(hash % map.size);
    if (offset !== undefined) return { address: pool.first + offset, why: "an address nobody had yet" };
  }
  return undefined;
}

function longestFree(table: LeaseTable, wish: Wish): Choice | undefined {
  let best: number | undefined;
  for (const pool of wish.network.pools) {
    if (!wish.mayUse(pool)) continue;
    const slot = table.longestFree(pool);
    if (slot === undefined || wish.reservedFor(table.address(slot))) continue;
    if (best === undefined || table.until(slot) < table.until(best)) best = slot;
  }
  return best === undefined
    ? undefined
    : { address: table.address(best), why: "the address that has been free the longest" };
}
