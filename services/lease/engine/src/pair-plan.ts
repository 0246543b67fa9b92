import { hash } from "node:crypto";
import type { Config } from "@frontdesk/lease-config/config";
import { AddressMap } from "@frontdesk/lease-options/address-map";
import { clientName } from "./client-name.ts";
import type { AddressRange } from "./ha/ownership.ts";
import type { Plan } from "./ha/plan.ts";
import type { Address, PoolRange } from "./leases/binding.ts";
import { ADDRESS_BITS } from "./leases/lease6-record.ts";

/**
 * Another configuration, as far as it can be taken up while the engine runs. Until a restart the clients of a node that is
 * one of a pair, or is to become one, keep the names by which the peer knows them, and it serves the families that it has
 * sockets for.
 */
export const reloaded = (next: Config, started: Config): Config =>
  started.ha ? { ...next, identity: started.identity, dhcpv6Enabled: started.dhcpv6Enabled } : next;

/** Which addresses there are to give, and to whom, as the pair compares it. Devices that match one reservation are one client. */
export function pairPlanOf(config: Config, service = ""): Plan {
  const { pools, reservedAddresses, dhcpv6Enabled, v6, identity } = config;
  const ranges: AddressRange[] = [
    ...pools.flatMap(rangesOf),
    ...(dhcpv6Enabled ? v6.pools.flatMap(rangesOf) : []),
  ];
  ranges.sort((a, b) => (a.first < b.first ? -1 : 1));
  const named = new AddressMap<Address, string>();
  const reserve = (address: Address, keys: readonly string[]) =>
    named.set(address, `reservation ${[...keys].sort().join(" ")}`);
  for (const [address, { keys }] of reservedAddresses) reserve(address, keys);
  if (dhcpv6Enabled)
    for (const address of v6.reserved.keys()) reserve(address, v6.reserved.get(address)?.keys ?? []);
  const prefixes = dhcpv6Enabled ? prefixesOf(v6) : [];
  const lines = [
    identity,
    ...ranges.map(({ first, last }) => `${first} ${last}`),
    ...[...named].map(([address, client]) => `${address} ${client}`).sort(),
    ...prefixes.map(({ first, last, length }) => `${first} ${last} /${length}`).sort(),
  ];
  const reserved = new AddressMap<Address, string>();
  for (const [address, name] of named) reserved.set(address, clientName(name));
  return { hash: hash("sha256", lines.join("\n"), "hex"), pools: ranges, reserved, prefixes, service };
}

function prefixesOf({ pools, reserved }: Config["v6"]): NonNullable<Plan["prefixes"]> {
  const pooled = pools.filter(({ length }) => length < ADDRESS_BITS);
  const kept = [...reserved.keys()].map((address) => ({ address, prefix: reserved.get(address)?.prefix }));
  return [
    ...pooled.map(({ first, last, length }) => ({ first, last, length })),
    ...kept.flatMap(({ address, prefix }) =>
      prefix?.address === address
        ? [{ first: address, last: lastOfPrefix(address, prefix.length), length: prefix.length }]
        : [],
    ),
  ];
}

const lastOfPrefix = (address: bigint, length: number) =>
  address | ((1n << BigInt(ADDRESS_BITS - length)) - 1n);

/** A pool without what is left out of it. */
function rangesOf<A extends Address>({ first, last, excluded }: PoolRange<A>): AddressRange[] {
  const ranges: AddressRange[] = [];
  let from: Address = first;
  for (const gap of excluded) {
    if (from < gap.first) ranges.push({ first: from, last: plus(gap.first, -1) });
    from = plus(gap.last, 1);
  }
  if (from <= last) ranges.push({ first: from, last });
  return ranges;
}

const plus = (address: Address, by: 1 | -1): Address =>
  typeof address === "number" ? address + by : address + BigInt(by);
