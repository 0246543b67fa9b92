import { type Config6, networkOf6, type Pool6, poolOf6 } from "@frontdesk/lease-config/config6";
import { isReservedInterfaceId } from "@frontdesk/lease-config/reserved-interface-ids";
import type { AddressPlan } from "../leases/binding.ts";
import type { Uses } from "../loop/server-addresses.ts";

/** What a configuration would do with an address. */
export const usesOf6 = ({ sortedPools, reserved }: Config6): Uses<bigint> => ({
  isPooled: (address) => {
    const pool = poolOf6(sortedPools, address);
    return pool !== undefined && address % (1n << BigInt(pool.shift)) === 0n;
  },
  isReserved: (address) => reserved.has(address),
});

/** Which addresses and prefixes there are to give. `servers`: addresses of servers, which no client may have. */
export function planOf6(config: Config6, servers: ReadonlySet<bigint>): AddressPlan<bigint, Pool6> {
  const { pools, subnets, reserved } = config;
  const ranges = pools.map(({ first, last, length, excluded, subnet }) => [
    first,
    last,
    length,
    excluded,
    subnet.network.index,
  ]);
  const networks = subnets.map(({ name, network }) => [name, network.index]);
  // A prefix is no address: that all its last bits are zero means nothing.
  const isNever = (address: bigint) =>
    isReservedInterfaceId(address) && poolOf6(config.sortedPools, address)?.shift === 0;
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString(16) : value);
  return {
    pools,
    layout: JSON.stringify([ranges, networks], plain),
    reserved: {
      has: (address) => reserved.has(address) || servers.has(address) || isNever(address),
      keys: () => [...reserved.keys(), ...[...servers].filter((address) => !reserved.has(address))],
    },
    networkOf: (address) => networkOf6(config, address)?.index,
  };
}
