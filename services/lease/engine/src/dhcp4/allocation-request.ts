import type { Pool } from "@frontdesk/lease-config/config";
import { circuitKey, remoteKey } from "@frontdesk/lease-config/identifiers";
import { readU32, sameBytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { AllocationRequest } from "../leases/allocate.ts";
import { type Binding, STATE } from "../leases/binding.ts";
import { hasMissedRenewal, isSame } from "../leases/gives-way.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Exchange } from "./exchange.ts";
import { reservationOf } from "./reservation.ts";

/** What the client may be given. */
export function allocationRequest(x: Exchange): AllocationRequest<number, Pool> {
  return {
    now: x.now,
    identity: x.identity,
    network: x.network.index,
    pools: x.network.isRestricted ? x.network.pools.filter((pool) => mayUse(x, pool)) : x.network.pools,
    reserved: x.reservation?.ip,
    requested: requestedAddress(x),
    isServer: (address) => x.isOurs(address) || x.isPeers(address),
    rights: x.failover.isPaired ? x.failover : undefined,
    isReserved: (address) => x.config.reservedAddresses.has(address),
    yields: (holder) => yields(x, holder),
  };
}

/** Whether who has a reserved address gives it up for this client. Only clients for which it is reserved are asked of. */
function yields(x: Exchange, { address, state }: Binding<number>): boolean {
  const { chaddr } = x.request;
  // One that still waits for its offer keeps it: it would never be answered.
  const waiting = x.probedFor(address);
  const isAwaited = waiting !== undefined && !sameBytes(waiting, chaddr);
  if (state === STATE.offered) return !isAwaited;
  const record = x.record(address);
  if (!record || reservationOf(x.network, record) !== x.reservation) return false;
  const isContested = x.isContested(address);
  // The system that a boot program starts: it is the device itself that answered, or for which another waits.
  if (isSame(chaddr, record.mac) && !isContested) return true;
  if (isAwaited || x.hasAnswered(address)) return false;
  if (isOnItsPort(x, record) && !isContested) return true;
  return hasMissedRenewal(record, x.now) && x.failover.hearsRenewals(address);
}

/** Whether the client's device has an address under another name, as its boot program: it may answer a probe itself. */
export const isOfItsDevice = ({ leases, record, request }: Exchange, address: number): boolean =>
  leases.find(address)?.state === STATE.bound && isSame(request.chaddr, record(address)?.mac);

/**
 * Whether this client is a new device on the port that an address is reserved for. Of two other devices for which one
 * address is reserved each may be there.
 */
function isOnItsPort({ reservation, relay }: Exchange, before: LeaseRecord): boolean {
  const isOfPort = (key: string) => reservation?.keys.includes(key) ?? false;
  const { circuitId, remoteId } = relay;
  return (
    (circuitId !== undefined && isOfPort(circuitKey(circuitId)) && isSame(circuitId, before.circuitId)) ||
    (remoteId !== undefined && isOfPort(remoteKey(remoteId)) && isSame(remoteId, before.remoteId))
  );
}

const mayUse = (x: Exchange, pool: Pool) =>
  pool.classes.length === 0 || x.classes.some(({ name }) => pool.classes.includes(name));

export const requestedAddress = (x: Exchange) => addressOption(x, CODE.requestedAddress) || undefined;

/** An option that holds one address; undefined when it was not sent or is of another size. */
export function addressOption(x: Exchange, code: number): number | undefined {
  const value = x.request.options.get(code);
  return value?.length === 4 ? readU32(value, 0) : undefined;
}
