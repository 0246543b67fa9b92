import type { Network, Pool } from "@frontdesk/lease-config/config";
import { readU32 } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { Wish } from "../leases/allocate.ts";
import type { Exchange } from "./exchange.ts";

/** What the client may be given. */
export function wishOf(x: Exchange, requested: number = requestedAddress(x)): Wish {
  return {
    identity: x.identity,
    network: x.network as Network,
    reservation: x.reservation,
    requested,
    mayUse: (pool) => mayUse(x, pool),
    reservedFor: (address) => x.config.reservedAddresses.get(address),
  };
}

const mayUse = (x: Exchange, pool: Pool) =>
  pool.classes.length === 0 || x.classes.some(({ name }) => pool.classes.includes(name));

export function requestedAddress(x: Exchange): number {
  return addressOption(x, CODE.requestedAddress) ?? 0;
}

/** An option that holds one address; undefined when it was not sent or is of another size. */
export function addressOption(x: Exchange, code: number): number | undefined {
  const value = x.request.options.get(code);
  return value?.length === 4 ? readU32(value, 0) : undefined;
}
