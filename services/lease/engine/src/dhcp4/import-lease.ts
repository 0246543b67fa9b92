import { type Config, type Subnet, subnetOf } from "@frontdesk/lease-config/config";
import type { ImportRefusal } from "@frontdesk/lease-control-api/lease-import";
import { holds } from "../leases/allocate.ts";
import { STATE } from "../leases/binding.ts";
import type { ForeignLease } from "../leases/lease-record.ts";
import type { Batch } from "../loop/batch.ts";
import { reservationOf } from "./reservation.ts";

/** Files of other servers name no other hardware. */
export const ETHERNET = 1;

/** Why a lease cannot be taken over; undefined when it can. */
export function importRefusal(
  { ip, mac, clientId }: ForeignLease,
  identity: Uint8Array,
  {
    config,
    own,
    batch,
  }: { readonly config: Config; readonly own: ReadonlySet<number>; readonly batch: Batch },
): ImportRefusal | undefined {
  const subnet = subnetOf(config, ip);
  if (!subnet) return "no_pool";
  const reserved = reservationOf(subnet.network, { mac, clientId, circuitId: null, remoteId: null });
  if (reserved ? reserved.ip !== ip : isReserved(subnet, ip)) return "reserved";
  if (!reserved && !subnet.pools.some(({ first, last }) => first <= ip && ip <= last)) return "no_pool";
  if (own.has(ip)) return "own_address";
  const holder = batch.leases.find(ip);
  const isHeld = holder && (holder.state === STATE.bound || holder.state === STATE.declined);
  if (isHeld && !holds(holder, identity)) return "taken";
  const others = batch.leases.ofClient(identity, subnet.network.index);
  return others.some(({ address, state }) => address !== ip && state === STATE.bound)
    ? "has_another"
    : undefined;
}

const isReserved = ({ reservations }: Subnet, ip: number) => reservations.some((each) => each.ip === ip);
