import { formatIpv4 } from "@frontdesk/lease-options/address";
import type { Config, Network, Pool, Reservation, Scope, Subnet } from "./config.ts";
import { circuitKey, clientIdKey, duidKey, macKey, remoteKey } from "./identifiers.ts";
import { mask, type Range, type RawConfig, type RawSubnet, readRange } from "./raw-config.ts";
import type { RawScope } from "./read-scope.ts";
import type { Report } from "./shape.ts";
import { reportOverlaps, type Span } from "./spans.ts";
import type { Place } from "./toml-document.ts";

type RawPool = NonNullable<RawSubnet["pool"]>[number];
type RawReservation = NonNullable<RawSubnet["reservation"]>[number];

/** The engine numbers pools and networks in sixteen bits; the last number means none. */
const MAX_NUMBERED = 0xffff;

/** Shared networks, subnets, their pools and reservations, each checked against the others. */
export function readNetworks(
  raw: RawConfig,
  scopeOf: (from: RawScope) => Scope,
  classNames: ReadonlySet<string>,
  report: Report,
): Pick<Config, "networks" | "subnets" | "relaySubnets" | "pools" | "reservedAddresses"> {
  const networks: Network[] = [];
  const subnets: Subnet[] = [];
  const pools: Pool[] = [];
  const relaySubnets = new Map<number, Subnet>();
  const subnetSpans: Array<Span<number>> = [];
  const poolSpans: Array<Span<number>> = [];
  const reservedAddresses = new Map<number, Reservation>();
  const addNetwork = (name: string, scope: Scope, place: Place): Network => {
    if (networks.length === MAX_NUMBERED) report.add(place, `there are more than ${MAX_NUMBERED} networks.`);
    const network: Network = {
      index: networks.length,
      name,
      subnets: [],
      pools: [],
      scope,
      isRestricted: false,
      reservations: new Map(),
    };
    networks.push(network);
    return network;
  };

  const shared = new Map<string, Network>();
  for (const each of raw.shared_network ?? []) {
    if (!each.name) report.add(each.place, "a [[shared_network]] needs a name.");
    else if (shared.has(each.name.value))
      report.add(each.name.place, `there are two shared networks "${each.name.value}".`);
    else shared.set(each.name.value, addNetwork(each.name.value, scopeOf(each), each.place));
  }

  for (const each of raw.subnet ?? []) {
    if (!each.network) {
      if (Object.hasOwn(each, "network")) continue;
      report.add(each.place, 'a [[subnet]] needs network = "10.77.0.0/16".');
      continue;
    }
    if ("v6" in each.network.value) continue;
    const { address, length } = each.network.value;
    const name = `${formatIpv4(address)}/${length}`;
    const named = each.shared_network;
    if (named && !shared.has(named.value)) {
      report.add(named.place, `there is no [[shared_network]] with the name "${named.value}".`);
    }
    refuseOfIpv6(each, report);
    const relays = (each.relays ?? []).flatMap(({ value, place }) => {
      if (typeof value === "number") return [{ value, place }];
      report.add(place, 'each of relays must be an IPv4 address like "10.0.0.1".');
      return [];
    });
    for (const relay of relays) {
      const other = relaySubnets.get(relay.value);
      if (other) report.add(relay.place, `${formatIpv4(relay.value)} is already a relay of ${other.name}.`);
    }
    const subnet: Subnet = {
      index: subnets.length,
      name,
      address,
      mask: mask(length),
      relays: relays.map(({ value }) => value),
      ddnsDomain: each.ddns_domain?.value,
      pools: [],
      reservations: [],
      scope: scopeOf(each),
      network: (named && shared.get(named.value)) || addNetwork(name, scopeOf({}), each.place),
    };
    subnet.network.subnets.push(subnet);
    subnets.push(subnet);
    for (const relay of subnet.relays) if (!relaySubnets.has(relay)) relaySubnets.set(relay, subnet);
    subnetSpans.push({ first: address, last: broadcastOf(subnet), name, place: each.network.place });
    for (const item of each.pool ?? []) {
      const pool = readPool(item, subnet, scopeOf, classNames, pools.length, report);
      if (!pool || !item.range) continue;
      if (pools.length === MAX_NUMBERED) report.add(item.place, `there are more than ${MAX_NUMBERED} pools.`);
      const { first, last } = pool;
      poolSpans.push({
        first,
        last,
        name: `${formatIpv4(first)} - ${formatIpv4(last)}`,
        place: item.range.place,
      });
      pools.push(pool);
      subnet.pools.push(pool);
      subnet.network.pools.push(pool);
      if (pool.classes.length > 0) subnet.network.isRestricted = true;
    }
    for (const item of each.reservation ?? [])
      readReservation(item, subnet, scopeOf, reservedAddresses, report);
  }
  reportOverlaps(subnetSpans, report, (one, other) => `${one} overlaps the subnet ${other}.`);
  reportOverlaps(poolSpans, report, (_, other) => `the range overlaps the pool ${other}.`);
  return { networks, subnets, relaySubnets, pools, reservedAddresses };
}

const within = (address: number, subnet: Subnet) => (address & subnet.mask) >>> 0 === subnet.address;
const broadcastOf = (subnet: Subnet) => (subnet.address | ~subnet.mask) >>> 0;

/** What only a subnet of IPv6 can have. */
function refuseOfIpv6(raw: RawSubnet, report: Report): void {
  const only = raw.interface ?? raw.interface_ids?.[0];
  if (only) report.add(only.place, "interface and interface_ids are for subnets of IPv6.");
  const [pool] = raw.prefix_pool ?? [];
  if (pool) report.add(pool.place, "a [[subnet.prefix_pool]] is for subnets of IPv6.");
}

function readPool(
  raw: RawPool,
  subnet: Subnet,
  scopeOf: (from: RawScope) => Scope,
  classNames: ReadonlySet<string>,
  index: number,
  report: Report,
): Pool | undefined {
  const range: Range | undefined = raw.range
    ? readRange(raw.range.value, report, "range")
    : report.add(raw.place, 'a [[subnet.pool]] needs range = "10.77.1.1 - 10.77.250.250".');
  for (const name of raw.classes ?? []) {
    if (!classNames.has(name.value))
      report.add(name.place, `there is no [[class]] with the name "${name.value}".`);
  }
  const scope = scopeOf(raw);
  if (!range || !raw.range) return undefined;
  const { first, last } = range;
  if (!within(first, subnet) || !within(last, subnet)) {
    return report.add(raw.range.place, `the range must lie inside ${subnet.name}.`);
  }
  const roomy = ~subnet.mask >>> 0 > 1;
  if (roomy && (first === subnet.address || last === broadcastOf(subnet))) {
    report.add(
      raw.range.place,
      `the range must leave out ${formatIpv4(first === subnet.address ? first : last)}, the ${first === subnet.address ? "network" : "broadcast"} address of ${subnet.name}.`,
    );
  }
  const excluded = (raw.exclude ?? []).flatMap(({ value, place }) => {
    const one = readRange(value, report, "each of exclude");
    if (one && (one.first < first || one.last > last)) {
      report.add(place, "what is excluded must lie inside the pool's range.");
    }
    return one ?? [];
  });
  return {
    index,
    first,
    last,
    excluded: joined(excluded),
    classes: (raw.classes ?? []).map(({ value }) => value),
    scope,
    subnet,
  };
}

/** Ranges in order and apart from each other. */
function joined(ranges: readonly Range[]): Range[] {
  const apart: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const last = apart.at(-1);
    if (last && range.first <= last.last + 1) {
      apart[apart.length - 1] = { first: last.first, last: Math.max(last.last, range.last) };
    } else apart.push(range);
  }
  return apart;
}

function readReservation(
  raw: RawReservation,
  subnet: Subnet,
  scopeOf: (from: RawScope) => Scope,
  taken: Map<number, Reservation>,
  report: Report,
): void {
  const identifiers = [
    ...(raw.mac ?? []).map(({ value, place }) => ({ key: macKey(value), place })),
    ...(raw.client_id ?? []).map(({ value, place }) => ({ key: clientIdKey(value), place })),
    ...(raw.duid ?? []).map(({ value, place }) => ({ key: duidKey(value), place })),
    ...(raw.circuit_id ?? []).map(({ value, place }) => ({ key: circuitKey(value), place })),
    ...(raw.remote_id ?? []).map(({ value, place }) => ({ key: remoteKey(value), place })),
  ];
  const scope = scopeOf(raw);
  if (!raw.ip || identifiers.length === 0) {
    const tried = ["mac", "client_id", "duid", "circuit_id", "remote_id"].some((key) =>
      Object.hasOwn(raw, key),
    );
    if (Object.hasOwn(raw, "ip") && tried) return;
    report.add(
      raw.place,
      "a [[subnet.reservation]] needs ip, and mac, client_id, duid, circuit_id or remote_id.",
    );
    return;
  }
  const ip = raw.ip.value;
  if (typeof ip === "bigint") {
    report.add(raw.ip.place, 'ip must be an IPv4 address like "10.0.0.1".');
    return;
  }
  const shown = formatIpv4(ip);
  if (!within(ip, subnet)) report.add(raw.ip.place, `${shown} must lie inside ${subnet.name}.`);
  else if (~subnet.mask >>> 0 > 1 && (ip === subnet.address || ip === broadcastOf(subnet))) {
    report.add(raw.ip.place, `${shown} is the network or broadcast address of ${subnet.name}.`);
  }
  // One that is switched off is as if it were not there: it takes nothing, and stands in nobody's way.
  if (raw.enabled === false) return;
  if (taken.has(ip)) report.add(raw.ip.place, `${shown} is reserved twice.`);
  const keys = identifiers.map(({ key }) => key);
  const reservation: Reservation = { ip, hostname: raw.hostname, note: raw.note, keys, scope, subnet };
  for (const { key, place } of identifiers) {
    const other = subnet.network.reservations.get(key);
    if (other) report.add(place, `${key} already has the reservation ${formatIpv4(other.ip)}.`);
    else subnet.network.reservations.set(key, reservation);
  }
  taken.set(ip, reservation);
  subnet.reservations.push(reservation);
}
