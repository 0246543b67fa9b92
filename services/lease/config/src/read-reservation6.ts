import { formatIpv6, formatPrefix6, prefixEnd } from "@frontdesk/lease-options/address";
import type { AddressMap6 } from "@frontdesk/lease-options/address-map";
import { isWithin6, type Reservation6, type Subnet6 } from "./config6.ts";
import { duidKey, interfaceIdKey, macKey, remoteKey } from "./identifiers.ts";
import type { RawSubnet } from "./raw-config.ts";
import { refuseOfIpv4, type ScopeOf6 } from "./read-scope6.ts";
import { isReservedInterfaceId } from "./reserved-interface-ids.ts";
import type { Report } from "./shape.ts";
import type { Span } from "./spans.ts";

type RawReservation = NonNullable<RawSubnet["reservation"]>[number];

const IDENTIFIERS = ["duid", "mac", "interface_id", "remote_id"] as const;

/** An address, a prefix or both that are kept for a client. */
export function readReservation6(
  raw: RawReservation,
  subnet: Subnet6,
  scopeOf: ScopeOf6,
  taken: AddressMap6<Reservation6>,
  prefixes: Array<Span<bigint>>,
  report: Report,
): void {
  refuseOfIpv4(raw, report);
  for (const key of ["client_id", "circuit_id"] as const) {
    const [given] = raw[key] ?? [];
    if (given) report.add(given.place, `${key} is for IPv4: name the client by ${IDENTIFIERS.join(", ")}.`);
  }
  const scope = scopeOf(raw);
  const identifiers = [
    ...(raw.duid ?? []).map(({ value, place }) => ({ key: duidKey(value), place })),
    ...(raw.mac ?? []).map(({ value, place }) => ({ key: macKey(value), place })),
    ...(raw.interface_id ?? []).map(({ value, place }) => ({ key: interfaceIdKey(value), place })),
    ...(raw.remote_id ?? []).map(({ value, place }) => ({ key: remoteKey(value), place })),
  ];
  if ((!raw.ip && !raw.prefix) || identifiers.length === 0) {
    const isGiven = (keys: readonly string[]) => keys.some((key) => Object.hasOwn(raw, key));
    if (isGiven(["ip", "prefix"]) && isGiven([...IDENTIFIERS, "client_id", "circuit_id"])) return;
    report.add(
      raw.place,
      `a [[subnet.reservation]] needs ip or prefix, and ${IDENTIFIERS.slice(0, -1).join(", ")} or remote_id.`,
    );
    return;
  }
  const ip = raw.ip?.value;
  if (typeof ip === "number") {
    report.add(raw.ip?.place ?? raw.place, 'ip must be an IPv6 address like "fd77::1".');
    return;
  }
  if (raw.ip && ip !== undefined) {
    const problem = !isWithin6(subnet, ip)
      ? `must lie inside ${subnet.name}`
      : isReservedInterfaceId(ip)
        ? "has an interface identifier that no host may have (RFC 5453)"
        : undefined;
    if (problem) report.add(raw.ip.place, `${formatIpv6(ip)} ${problem}.`);
  }
  // One that is switched off is as if it were not there: it takes nothing, and stands in nobody's way.
  if (raw.enabled === false) return;
  const prefix = raw.prefix?.value;
  const { hostname, note } = raw;
  const keys = identifiers.map(({ key }) => key);
  const reservation: Reservation6 = { ip, prefix, hostname, note, keys, scope, subnet };
  if (raw.ip && ip !== undefined) {
    if (taken.has(ip)) report.add(raw.ip.place, `${formatIpv6(ip)} is reserved twice.`);
    taken.set(ip, reservation);
  }
  if (raw.prefix && prefix) {
    const last = prefixEnd(prefix.address, prefix.length);
    prefixes.push({ first: prefix.address, last, name: formatPrefix6(prefix), place: raw.prefix.place });
    taken.set(prefix.address, reservation);
  }
  for (const { key, place } of identifiers) {
    if (subnet.network.reservations.has(key)) report.add(place, `${key} already has a reservation here.`);
    else subnet.network.reservations.set(key, reservation);
  }
  subnet.reservations.push(reservation);
}
