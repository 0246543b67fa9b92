import { type Config, type Pool, subnetOf } from "@frontdesk/lease-config/config";
import type { AddressPlan } from "../leases/binding.ts";
import type { Uses } from "../loop/server-addresses.ts";

/** What a configuration would do with an address. */
export const usesOf = ({ pools, reservedAddresses }: Config): Uses<number> => ({
  isPooled: (address) => pools.some(({ first, last }) => address >= first && address <= last),
  isReserved: (address) => reservedAddresses.has(address),
});

/** Which addresses there are to give. `servers`: addresses of servers, which no client may have. */
export function planOf(config: Config, servers: ReadonlySet<number>): AddressPlan<number, Pool> {
  const { pools, subnets, reservedAddresses } = config;
  const ranges = pools.map(({ first, last, excluded }) => [first, last, excluded]);
  const networks = subnets.map(({ address, mask, network }) => [address, mask, network.index]);
  return {
    pools,
    layout: JSON.stringify([ranges, networks]),
    reserved: {
      has: (address) => reservedAddresses.has(address) || servers.has(address),
      keys: () => new Set(reservedAddresses.keys()).union(servers),
    },
    networkOf: (address) => subnetOf(config, address)?.network.index,
  };
}
