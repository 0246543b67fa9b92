import { type Config6, networkOf6, type Pool6, poolOf6 } from "@frontdesk/lease-config/config6";
import { isReservedInterfaceId } from "@frontdesk/lease-config/reserved-interface-ids";
import type { AddressPlan } from "../leases/binding.ts";

/** Which addresses and prefixes there are to give. `own`: the engine's addresses. */
export function planOf6(config: Config6, own: ReadonlySet<bigint>): AddressPlan<bigint, Pool6> {
  const { pools, subnets, reserved } = config;
  const ranges = pools.map(({ first, last, length, excluded }) => [first, last, length, excluded]);
  const networks = subnets.map(({ name, network }) => [name, network.index]);
  // A prefix is no address: that all its last bits are zero means nothing.
  const isNever = (address: bigint) =>
    isReservedInterfaceId(address) && poolOf6(config.sortedPools, address)?.shift === 0;
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString(16) : value);
  return {
    pools,
    layout: JSON.stringify([ranges, networks], plain),
    reserved: {
      has: (address) => reserved.has(address) || own.has(address) || isNever(address),
      keys: () => new Set(reserved.keys()).union(own),
    },
    networkOf: (address) => networkOf6(config, address)?.index,
  };
}
