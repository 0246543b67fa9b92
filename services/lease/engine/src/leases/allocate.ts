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
import type { Across, Own, Scatter } from "./pool-space.ts";

/** What a pair of servers allows one of them to give. */
export interface Rights<A extends Address> {
  mayBind(address: A, identity: Uint8Array, isReserved: boolean): "no" | "yes" | "probe";
  /** Whether its holder keeps an address whatever the configuration says of it. */
  mayKeep(address: A): boolean;
  /** The first addresses from one on, up to `last`, that are this server's. */
  nextOwn(address: A, last: A): { readonly first: A; readonly last: A } | undefined;
}

/** What a client may be given. */
export interface AllocationRequest<A extends Address, P extends PoolRange<A>> {
  /** Seconds of the engine's clock. */
  readonly now: number;
  readonly identity: Uint8Array;
  readonly network: number;
  /** The pools of its network that it may use. */
  readonly pools: readonly P[];
  /** The address that is reserved for it. */
  readonly reserved: A | undefined;
  /** What it asked for. */
  readonly requested: A | undefined;
  /** Whether an address can be no client's: it is a server's own. */
  readonly isServer: (address: A) => boolean;
  /** What a pair of servers allows; without it, everything. */
  readonly rights?: Rights<A> | undefined;
  /** Whether an address is reserved, for whomever. */
  readonly isReserved: (address: A) => boolean;
  /** What of another client's lies across what begins at an address; undefined where nothing can. */
  readonly overlaps?: ((address: A) => Across<A> | undefined) | undefined;
  /** Whether another client gives way on the reserved address: one for which it is reserved as well. */
  readonly yields: (holder: Binding<A>) => boolean;
  /** Where it belongs by a hash with a secret; undefined: by a hash of its identity alone. */
  readonly place?: { readonly hash: number; readonly scatter: Scatter<A> };
}

export type Reason = "reserved" | "held" | "held-before" | "requested" | "unused" | "longest-free";

export interface Choice<A extends Address> {
  readonly address: A;
  readonly reason: Reason;
}

/** Which address a client gets. Each rule looks at one place, so a full pool costs what an empty one does. */
export function chooseAddress<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
): Choice<A> | undefined {
  return (
    ifOpen(leases, request, request.reserved, "reserved") ??
    itsOwn(leases, request) ??
    asRequested(leases, request) ??
    unused(leases, request) ??
    longestFree(leases, request)
  );
}

/** Whether this client may have this address now. */
export function isOpenTo<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
  address: A,
): boolean {
  if (request.isServer(address)) return false;
  const own = address === request.reserved;
  const isKept = keptAt(leases, request, address) !== undefined;
  if (!own && !isKept) {
    if (request.isReserved(address)) return false;
    const pool = leases.poolOf(address);
    if (!pool || !request.pools.includes(pool) || isExcluded(pool, address)) return false;
  }
  if (!isAllowed(request, address) || (!isKept && request.overlaps?.(address))) return false;
  const binding = leases.find(address);
  if (!binding || isFree(binding.state)) return true;
  if (binding.state === STATE.declined) return false;
  return holds(binding, request.identity) || (own && isActive(binding.state) && request.yields(binding));
}

/** Of a pair whose configurations differ, what a client holds by the other one: it is renewed as it is. */
export function keptAt<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  { rights, identity }: Pick<AllocationRequest<A, P>, "rights" | "identity">,
  address: A,
): Binding<A> | undefined {
  const binding = rights && leases.find(address);
  const isKept = binding?.state === STATE.bound && holds(binding, identity) && rights?.mayKeep(address);
  return isKept ? binding : undefined;
}

const isAllowed = <A extends Address, P extends PoolRange<A>>(
  { rights, identity, reserved }: AllocationRequest<A, P>,
  address: A,
) => rights?.mayBind(address, identity, address === reserved) !== "no";

export const holds = <A extends Address>(binding: Binding<A>, identity: Uint8Array) =>
  sameBytes(binding.identity, identity);

function ifOpen<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
  address: A | undefined,
  reason: Reason,
): Choice<A> | undefined {
  return address !== undefined && isOpenTo(leases, request, address) ? { address, reason } : undefined;
}

/** RFC 2131 section 4.3.1: its current address, then its previous one. */
function itsOwn<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
): Choice<A> | undefined {
  const own = leases.ofClient(request.identity, request.network);
  const held = own.filter(({ state }) => state === STATE.bound);
  // It holds two while it may not know of the one that it was given last.
  const found =
    held.find(({ address }) => held.length > 1 && isOpenTo(leases, request, address)) ??
    held[0] ??
    own.find(({ state }) => state === STATE.offered) ??
    own[0];
  return found && ifOpen(leases, request, found.address, isFree(found.state) ? "held-before" : "held");
}

/** Whether another client's address rests: it is given only when there is no other, its client may come back for it. */
export function isResting<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  { identity, now }: AllocationRequest<A, P>,
  address: A,
): boolean {
  const binding = leases.find(address);
  return binding?.state === STATE.released && binding.until > now && !holds(binding, identity);
}

function asRequested<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
): Choice<A> | undefined {
  const { requested } = request;
  if (requested === undefined || isResting(leases, request, requested)) return undefined;
  return ifOpen(leases, request, requested, "requested");
}

/** A place by the client's hash, or the next one there that nobody ever had. */
function unused<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
): Choice<A> | undefined {
  const { pools, place } = request;
  const hash = place?.hash ?? placementHash(request.identity);
  for (let i = 0; i < pools.length; i++) {
    const pool = pools[(hash + i) % pools.length] as P;
    const address = leases.unused(pool, hash, place?.scatter, ownIn(request), request.overlaps);
    if (address !== undefined) return { address, reason: "unused" };
  }
  return undefined;
}

/** Which addresses that nobody ever had a server of a pair may give; undefined without a peer: all of them. */
function ownIn<A extends Address, P extends PoolRange<A>>(
  request: AllocationRequest<A, P>,
): Own<A> | undefined {
  const { rights } = request;
  return (
    rights && {
      next: (address, last) => rights.nextOwn(address, last),
      isAllowed: (address) => isAllowed(request, address),
    }
  );
}

function longestFree<A extends Address, P extends PoolRange<A>>(
  leases: PendingLeases<A, P>,
  request: AllocationRequest<A, P>,
): Choice<A> | undefined {
  let best: Binding<A> | undefined;
  const { rights, overlaps } = request;
  const mayGive = rights || overlaps ? (each: A) => isAllowed(request, each) && !overlaps?.(each) : undefined;
  for (const pool of request.pools) {
    const found = leases.longestFree(pool, mayGive);
    if (found && (!best || found.until < best.until)) best = found;
  }
  return best && { address: best.address, reason: "longest-free" };
}
