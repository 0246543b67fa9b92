import type { Prefix6 } from "@frontdesk/lease-options/address";
import type { AddressMap6, AddressSet } from "@frontdesk/lease-options/address-map";
import type { Options } from "@frontdesk/lease-options/option-types";

/** What a level of the configuration gives to a client of DHCPv6; what is undefined, an outer level gives. */
export interface Scope6 {
  readonly options: Options;
  readonly preferredTime: number | undefined;
  readonly validTime: number | undefined;
}

export interface Range6 {
  readonly first: bigint;
  readonly last: bigint;
}

/** Addresses to give, or prefixes to delegate. */
export interface Pool6 extends Range6 {
  /** Its place in `Config6.pools`. */
  readonly index: number;
  /** 128 for addresses; the length of each prefix that is delegated. */
  readonly length: number;
  /** Bits after the prefix: two neighbours in the pool are 2^shift addresses apart. */
  readonly shift: number;
  readonly excluded: readonly Range6[];
  /** Clients of any of these classes may have it; empty: everyone. */
  readonly classes: readonly string[];
  /** The part of each prefix that a router keeps for its uplink: which of that length, from 0 on (RFC 6603). */
  readonly exclude: { readonly length: number; readonly number: number } | undefined;
  readonly scope: Scope6;
  readonly subnet: Subnet6;
}

export interface Reservation6 {
  readonly ip: bigint | undefined;
  readonly prefix: Prefix6 | undefined;
  readonly hostname: string | undefined;
  readonly note: string | undefined;
  /** Identifier keys, see `identifiers.ts`. */
  readonly keys: readonly string[];
  readonly scope: Scope6;
  readonly subnet: Subnet6;
}

export interface Subnet6 {
  readonly index: number;
  /** As written: `fd77::/64`. */
  readonly name: string;
  readonly address: bigint;
  readonly length: number;
  readonly last: bigint;
  /** Served on this interface, whatever addresses that has. */
  readonly interface: string | undefined;
  /** The domain of its clients' names, where it has one of its own. */
  readonly ddnsDomain: string | undefined;
  readonly pools: Pool6[];
  readonly reservations: Reservation6[];
  readonly scope: Scope6;
  readonly network: Network6;
}

/** One link: a shared network, or a subnet that shares with no other. */
export interface Network6 {
  readonly index: number;
  readonly name: string;
  readonly subnets: Subnet6[];
  /** The pools of all its subnets, of addresses and of prefixes. */
  readonly pools: Pool6[];
  readonly scope: Scope6;
  /** Whether some of its pools are for some classes only. */
  isRestricted: boolean;
  /** Reservations of all its subnets, by identifier. */
  readonly reservations: Map<string, Reservation6>;
}

export interface Config6 {
  readonly enabled: boolean;
  /** RFC 9915 section 21.8; 0 is not sent. */
  readonly preference: number;
  readonly rapidCommit: boolean;
  /** What holds where no level of the configuration gives a time, in seconds. */
  readonly preferredTime: number;
  readonly validTime: number;
  readonly scope: Scope6;
  /** Whether clients may register addresses that they made themselves (RFC 9686). */
  readonly addressRegistration: boolean;
  /** How many leases may begin on a network within an hour, of clients that had none; 0: any number. */
  readonly newLeasesPerHour: number;
  /** Addresses of relays that are believed; empty: any. */
  readonly relays: Pick<AddressSet<bigint>, "size" | "has" | typeof Symbol.iterator>;
  readonly networks: readonly Network6[];
  readonly subnets: readonly Subnet6[];
  readonly pools: readonly Pool6[];
  /** By address, and by the first address of a prefix. */
  readonly reserved: Pick<AddressMap6<Reservation6>, "get" | "has" | "keys">;
  /** The subnets that name a relay, an Interface-Id of a relay, or an interface of the engine's. */
  readonly relaySubnets: Pick<AddressMap6<Subnet6>, "get">;
  readonly interfaceIdSubnets: ReadonlyMap<string, Subnet6>;
  readonly interfaceSubnets: ReadonlyMap<string, Subnet6>;
  readonly sortedSubnets: readonly Subnet6[];
  readonly sortedPools: readonly Pool6[];
}

export const isWithin6 = ({ address, last }: Pick<Subnet6, "address" | "last">, other: bigint) =>
  other >= address && other <= last;

/** The subnet an address lies in. */
export const subnetOf6 = ({ sortedSubnets }: Pick<Config6, "sortedSubnets">, address: bigint) =>
  found(sortedSubnets, address, ({ address: first, last }) => ({ first, last }));

/** The network that an address or a prefix belongs to: a prefix need not lie in a subnet. */
export function networkOf6(config: Config6, address: bigint): Network6 | undefined {
  const pool = poolOf6(config.sortedPools, address);
  return (pool?.subnet ?? config.reserved.get(address)?.subnet ?? subnetOf6(config, address))?.network;
}

/** The pool that an address, or one of a prefix, lies in. */
export const poolOf6 = (sortedPools: readonly Pool6[], address: bigint) =>
  found(sortedPools, address, endsOf);

const endsOf = ({ first, last, shift }: Pool6) => ({ first, last: last + (1n << BigInt(shift)) - 1n });

/** By halving: the items are in order and apart from each other. */
function found<T>(items: readonly T[], address: bigint, ends: (item: T) => Range6): T | undefined {
  let low = 0;
  let high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const item = items[middle] as T;
    const { first, last } = ends(item);
    if (address < first) high = middle - 1;
    else if (address > last) low = middle + 1;
    else return item;
  }
  return undefined;
}
