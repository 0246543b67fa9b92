import { formatIpv6, formatPrefix6, prefixEnd } from "@frontdesk/lease-options/address";
import { AddressMap6 } from "@frontdesk/lease-options/address-map";
import {
  type Config6,
  isWithin6,
  type Network6,
  type Pool6,
  poolOf6,
  type Reservation6,
  type Scope6,
  type Subnet6,
} from "./config6.ts";
import { interfaceIdKey } from "./identifiers.ts";
import type { RawConfig, RawSubnet } from "./raw-config.ts";
import { readPool6, readPrefixPool } from "./read-pools6.ts";
import { readReservation6 } from "./read-reservation6.ts";
import { refuseOfIpv4, type ScopeOf6 } from "./read-scope6.ts";
import type { Report } from "./shape.ts";
import { reportOverlaps, type Span } from "./spans.ts";
import type { Place } from "./toml-document.ts";

/** The engine numbers pools and networks in sixteen bits; the last number means none. */
const MAX_NUMBERED = 0xffff;

type Links6 = Omit<
  Config6,
  | "enabled"
  | "preference"
  | "rapidCommit"
  | "addressRegistration"
  | "newLeasesPerHour"
  | "preferredTime"
  | "validTime"
  | "scope"
  | "relays"
>;

/** Shared networks and subnets of IPv6, their pools and reservations, each checked against the others. */
export function readNetworks6(
  raw: RawConfig,
  scopeOf: ScopeOf6,
  classNames: ReadonlySet<string>,
  report: Report,
): Links6 {
  const networks: Network6[] = [];
  const subnets: Subnet6[] = [];
  const pools: Pool6[] = [];
  const reserved = new AddressMap6<Reservation6>();
  const relaySubnets = new AddressMap6<Subnet6>();
  const interfaceIdSubnets = new Map<string, Subnet6>();
  const interfaceSubnets = new Map<string, Subnet6>();
  const subnetSpans: Array<Span<bigint>> = [];
  const poolSpans: Array<Span<bigint>> = [];
  const delegated: Array<Span<bigint>> = [];
  const reservedPrefixes: Array<Span<bigint>> = [];

  const addNetwork = (name: string, scope: Scope6, place: Place): Network6 => {
    if (networks.length === MAX_NUMBERED) report.add(place, `there are more than ${MAX_NUMBERED} networks.`);
    const common = { index: networks.length, name, scope, isRestricted: false };
    const network: Network6 = { ...common, subnets: [], pools: [], reservations: new Map() };
    networks.push(network);
    return network;
  };
  const shared = new Map<string, Network6>();
  for (const each of raw.shared_network ?? []) {
    if (!each.name || shared.has(each.name.value)) continue;
    const scope = scopeOf({
      options: each.options6,
      preferred_time: each.preferred_time,
      valid_time: each.valid_time,
      place: each.place,
    });
    shared.set(each.name.value, addNetwork(each.name.value, scope, each.place));
  }

  for (const each of raw.subnet ?? []) {
    if (!each.network || !("v6" in each.network.value)) continue;
    refuseOfIpv4(each, report);
    const { address, length } = each.network.value.v6;
    const name = formatPrefix6(each.network.value.v6);
    const named = each.shared_network;
    if (named && !shared.has(named.value)) {
      report.add(named.place, `there is no [[shared_network]] with the name "${named.value}".`);
    }
    const subnet: Subnet6 = {
      index: subnets.length,
      name,
      address,
      length,
      last: prefixEnd(address, length),
      interface: each.interface?.value,
      ddnsDomain: each.ddns_domain?.value,
      pools: [],
      reservations: [],
      scope: scopeOf(each),
      network: (named && shared.get(named.value)) || addNetwork(name, scopeOf({}), each.place),
    };
    subnet.network.subnets.push(subnet);
    subnets.push(subnet);
    subnetSpans.push({ first: address, last: subnet.last, name, place: each.network.place });
    readWays(each, subnet, { relaySubnets, interfaceIdSubnets, interfaceSubnets }, report);
    const add = (pool: Pool6 | undefined, place: Place) => {
      if (!pool) return;
      if (pools.length === MAX_NUMBERED) report.add(place, `there are more than ${MAX_NUMBERED} pools.`);
      pools.push(pool);
      subnet.pools.push(pool);
      subnet.network.pools.push(pool);
      if (pool.classes.length > 0) subnet.network.isRestricted = true;
      const last = pool.last + (1n << BigInt(pool.shift)) - 1n;
      const span = { first: pool.first, last, name: poolName(pool), place };
      poolSpans.push(span);
      if (pool.shift > 0) delegated.push(span);
    };
    for (const item of each.pool ?? []) {
      add(
        readPool6(item, subnet, scopeOf, classNames, pools.length, report),
        item.range?.place ?? item.place,
      );
    }
    for (const item of each.prefix_pool ?? []) {
      add(
        readPrefixPool(item, subnet, scopeOf, classNames, pools.length, report),
        item.prefix?.place ?? item.place,
      );
    }
    for (const item of each.reservation ?? []) {
      readReservation6(item, subnet, scopeOf, reserved, reservedPrefixes, report);
    }
  }
  reportOverlaps(subnetSpans, report, (one, other) => `${one} overlaps the subnet ${other}.`);
  reportOverlaps(poolSpans, report, (_, other) => `the range overlaps the pool ${other}.`);
  reportOverlaps(reservedPrefixes, report, (one, other) => `${one} overlaps the reservation ${other}.`);
  const byFirst = <T>(items: readonly T[], first: (item: T) => bigint) =>
    items.toSorted((a, b) => (first(a) < first(b) ? -1 : 1));
  const sortedPools = byFirst(pools, ({ first }) => first);
  for (const each of reservedPrefixes) checkAgainstPools(each, reserved, sortedPools, report);
  for (const each of [...reservedPrefixes, ...delegated]) checkAgainstSubnets(each, subnets, report);
  return {
    networks,
    subnets,
    pools,
    reserved,
    relaySubnets,
    interfaceIdSubnets,
    interfaceSubnets,
    sortedSubnets: byFirst(subnets, ({ address }) => address),
    sortedPools,
  };
}

/** A pool delegates whole prefixes: one that is reserved inside it is one of them, or it would be given in part. */
function checkAgainstPools(
  { first, last, name, place }: Span<bigint>,
  reserved: Pick<AddressMap6<Reservation6>, "get">,
  pools: readonly Pool6[],
  report: Report,
): void {
  const { length } = reserved.get(first)?.prefix ?? { length: 0 };
  const at = poolOf6(pools, first) ?? poolOf6(pools, last);
  const held = pools.find((pool) => pool.first >= first && pool.last <= last);
  if (at && at.length !== length) {
    report.add(place, `${name} lies in the pool ${poolName(at)}, of which it must be one prefix.`);
  } else if (!at && held) report.add(place, `${name} holds the pool ${poolName(held)}.`);
}

/** A prefix that is delegated is another's to use: no link of the configuration may lie in it. */
function checkAgainstSubnets(
  { first, last, name, place }: Span<bigint>,
  subnets: readonly Subnet6[],
  report: Report,
): void {
  const held = subnets.find((subnet) => subnet.address >= first && subnet.last <= last);
  if (held) report.add(place, `${name} holds the subnet ${held.name}, which cannot be delegated.`);
}

const poolName = ({ first, last, length, shift }: Pool6) =>
  shift === 0
    ? `${formatIpv6(first)} - ${formatIpv6(last)}`
    : `${formatIpv6(first)}/${length} - ${formatIpv6(last)}/${length}`;

interface Ways<K> {
  get(key: K): Subnet6 | undefined;
  set(key: K, subnet: Subnet6): unknown;
}

/** How packets come to a subnet beside its own addresses: relays, their Interface-Ids, the engine's interfaces. */
function readWays(
  raw: RawSubnet,
  subnet: Subnet6,
  ways: {
    relaySubnets: AddressMap6<Subnet6>;
    interfaceIdSubnets: Map<string, Subnet6>;
    interfaceSubnets: Map<string, Subnet6>;
  },
  report: Report,
): void {
  const claim = <K>(known: Ways<K>, key: K, place: Place, what: string) => {
    const other = known.get(key);
    if (other && other.network !== subnet.network)
      report.add(place, `${what} already leads to ${other.name}.`);
    else if (!other) known.set(key, subnet);
  };
  for (const { value, place } of raw.relays ?? []) {
    if (typeof value === "number")
      report.add(place, 'each of relays must be an IPv6 address like "fd77::1".');
    else if (isWithin6(subnet, value)) continue;
    else claim(ways.relaySubnets, value, place, `the relay ${formatIpv6(value)}`);
  }
  for (const { value, place } of raw.interface_ids ?? []) {
    claim(ways.interfaceIdSubnets, interfaceIdKey(value), place, "this Interface-Id");
  }
  if (raw.interface) {
    const { value, place } = raw.interface;
    claim(ways.interfaceSubnets, value, place, `the interface ${value}`);
  }
}
