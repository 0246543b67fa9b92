import { sameBytes } from "@frontdesk/lease-options/address";
import {
  type Address,
  type Binding,
  isActive,
  isExcluded,
  isFree,
  type PoolRange,
  STATE,
} from "./binding.ts";
import { placementHash } from "./identity-index.ts";
import type { PendingLeases } from "./pending-leases.ts";

/** What a client may be given. */
export interface Wish<A extends Address, P extends PoolRange<A>> {
  readonly identity: Uint8Array;
  readonly network: number;
  /** The pools of its network that it may use. */
  readonly pools: readonly P[];
  /** The address that is reserved for it. */
  readonly reserved: A | undefined;
  /** What it asked for. */
  readonly requested: A | undefined;
  /** Whether an address is reserved, for whomever. */
  readonly isReserved: (address: A) => boolean;
  /** Whether another client gives way on the reserved address: one for which it is reserved as well. */
  readonly yields: (holder: Binding<A>) => boolean;
}

export type Reason = "reserved" | "held" | "held-before" | "requested" | "unused" | "longest-free";

export interface Choice<A extends Address> {
  readonly address: A;
  readonly reason: Reason;
}

/** Which address a client gets. Each rule looks at one place, so a full pool costs what an empty one does. */
export function chooseAddress<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
): Choice<A> | undefined {
  return (
    reserved(leases, wish) ??
    itsOwn(leases, wish) ??
    asRequested(leases, wish) ??
    unused(leases, wish) ??
    longestFree(leases, wish)
  );
}

/** Whether this client may have this address now. */
export function isOpenTo<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
  address: A,
): boolean {
  const own = address === wish.reserved;
  if (!own) {
    if (wish.isReserved(address)) return false;
    const pool = leases.poolOf(address);
    if (!pool || !wish.pools.includes(pool) || isExcluded(pool, address)) return false;
  }
  const binding = leases.find(address);
  if (!binding || isFree(binding.state)) return true;
  if (binding.state === STATE.declined) return false;
  return holds(binding, wish.identity) || (own && isActive(binding.state) && wish.yields(binding));
}

export const holds = <A extends Address>(binding: Binding<A>, identity: Uint8Array) =>
  sameBytes(binding.identity, identity);

function reserved<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
): Choice<A> | undefined {
  return wish.reserved !== undefined && isOpenTo(leases, wish, wish.reserved)
    ? { address: wish.reserved, reason: "reserved" }
    : undefined;
}

/** RFC 2131 section 4.3.1: its current address, then its previous one. */
function itsOwn<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
): Choice<A> | undefined {
  const own = leases.ofClient(wish.identity, wish.network);
  const found =
    own.find(({ state }) => state === STATE.bound) ??
    own.find(({ state }) => state === STATE.offered) ??
    own[0];
  if (!found || !isOpenTo(leases, wish, found.address)) return undefined;
  return { address: found.address, reason: isFree(found.state) ? "held-before" : "held" };
}

function asRequested<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
): Choice<A> | undefined {
  return wish.requested !== undefined && isOpenTo(leases, wish, wish.requested)
    ? { address: wish.requested, reason: "requested" }
    : undefined;
}

/** A place by the client's hash, or the next one there that nobody ever had. */
function unused<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
): Choice<A> | undefined {
  const hash = placementHash(wish.identity);
  const { pools } = wish;
  for (let i = 0; i < pools.length; i++) {
    const address = leases.unused(pools[(hash + i) % pools.length] as P, hash);
    if (address !== undefined) return { address, reason: "unused" };
  }
  return undefined;
}

function longestFree<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  wish: Wish<A, P>,
): Choice<A> | undefined {
  let best: Binding<A> | undefined;
  for (const pool of wish.pools) {
    const found = leases.longestFree(pool);
    if (found && (!best || found.until < best.until)) best = found;
  }
  return best && { address: best.address, reason: "longest-free" };
}
