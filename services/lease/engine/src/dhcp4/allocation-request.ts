import type { Pool } from "@frontdesk/lease-config/config";
import { readU32 } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { AllocationRequest } from "../leases/allocate.ts";
import { STATE } from "../leases/binding.ts";
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
    yields: (holder) => {
      // Only clients for which it is reserved are offered it at all.
      if (holder.state === STATE.offered) return true;
      const record = x.record(holder.address);
      return record !== undefined && reservationOf(x.network, record) === x.reservation;
    },
  };
}

const mayUse = (x: Exchange, pool: Pool) =>
  pool.classes.length === 0 || x.classes.some(({ name }) => pool.classes.includes(name));

export const requestedAddress = (x: Exchange) => addressOption(x, CODE.requestedAddress) || undefined;

/** An option that holds one address; undefined when it was not sent or is of another size. */
export function addressOption(x: Exchange, code: number): number | undefined {
  const value = x.request.options.get(code);
  return value?.length === 4 ? readU32(value, 0) : undefined;
}
