import { type Config, type Pool, subnetOf } from "@frontdesk/lease-config/config";
import type { AddressPlan } from "../leases/binding.ts";

/** Those of the engine's own addresses that pools contain: no client may have them. */
export function ownInPools({ pools }: Config, own: Iterable<number>): ReadonlySet<number> {
  const isInPool = (address: number) => pools.some(({ first, last }) => address >= first && address <= last);
  return new Set([...own].filter(isInPool));
}

export function planOf(config: Config, own: ReadonlySet<number>): AddressPlan<number, Pool> {
  const { pools, subnets, reservedAddresses } = config;
  const ranges = pools.map(({ first, last, excluded }) => [first, last, excluded]);
  const networks = subnets.map(({ address, mask, network }) => [address, mask, network.index]);
  return {
    pools,
    layout: JSON.stringify([ranges, networks]),
    reserved: {
      has: (address) => reservedAddresses.has(address) || own.has(address),
      keys: () => new Set(reservedAddresses.keys()).union(own),
    },
    networkOf: (address) => subnetOf(config, address)?.network.index,
  };
}
