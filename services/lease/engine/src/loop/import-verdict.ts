import type { ImportRefusal } from "@frontdesk/lease-control-api/lease-import";
import type { Failover } from "../ha/failover.ts";
import { holds } from "../leases/allocate.ts";
import { type Address, type PoolRange, STATE } from "../leases/binding.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";

/** Whether a lease of another server goes on here. Of a pair, the peer must have it on disk before that is said. */
export type ImportVerdict =
  | { readonly refusal: ImportRefusal }
  | {
      /** It is here already. */
      readonly isHeld: boolean;
      /** It can be relied on: if this server is lost, its peer gives the address to nobody else before the end. */
      readonly isKnown: boolean;
      readonly isReserved: boolean;
    };

/** A lease of an address that there is to give, or that is reserved for its client. */
export interface Adoptable<A extends Address> {
  readonly address: A;
  readonly identity: Uint8Array;
  readonly network: number;
  readonly isReserved: boolean;
  readonly until: number;
}

/** By who has the address, what else the client has, and what the pair allows. */
export function importVerdict<A extends Address, P extends PoolRange<A>>(
  { address, identity, network, isReserved, until }: Adoptable<A>,
  leases: PendingLeases<A, P>,
  failover: Failover,
): ImportVerdict {
  const holder = leases.find(address);
  const isTaken = holder && (holder.state === STATE.bound || holder.state === STATE.declined);
  if (isTaken && !holds(holder, identity)) return { refusal: "taken" };
  if (failover.mayBind(address, identity, isReserved) !== "yes") return { refusal: "peer" };
  const others = leases.ofClient(identity, network);
  if (others.some((other) => other.address !== address && other.state === STATE.bound))
    return { refusal: "has_another" };
  const isHeld = holder?.state === STATE.bound && holder.until >= until;
  const isKnown = until <= failover.latestEnd(address, identity, isReserved);
  if (!isKnown && !failover.isNormal) return { refusal: "unacknowledged" };
  return { isHeld, isKnown, isReserved };
}
