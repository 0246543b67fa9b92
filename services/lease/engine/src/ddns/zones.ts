import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import { isBelow, reverseName } from "./domain-name.ts";
import type { DnsServer } from "./update-exchange.ts";

export interface Zone {
  /** Canonical. */
  readonly name: string;
  readonly server: DnsServer;
  /** Of a reverse zone that is not cut at an octet (RFC 2317): the addresses it has. */
  readonly network?: { readonly address: number; readonly mask: number } | undefined;
}

/** The zones of a configuration, each with its server and the key for it. */
export const zonesOf = ({ zones }: DdnsConfig): Zone[] =>
  zones.map(({ name, server, key, network }) => ({ name, server: { ...server, key }, network }));

/** Whether a zone leads from addresses to names: no device is called by a name in it. */
export const isReverse = ({ name, network }: Pick<Zone, "name" | "network">): boolean =>
  network !== undefined || isBelow(name, "in-addr.arpa") || isBelow(name, "ip6.arpa");

/** The zone that a name is in: the longest that fits. */
export function zoneOf<T extends Pick<Zone, "name">>(zones: readonly T[], name: string): T | undefined {
  const fitting = zones.filter((zone) => isBelow(name, zone.name));
  return fitting.sort((one, other) => other.name.length - one.name.length)[0];
}

/** Where the PTR of an address is, and in which zone. */
export function reversePlace<T extends Pick<Zone, "name" | "network">>(
  zones: readonly T[],
  address: Uint8Array,
): { readonly name: string; readonly zone: T } | undefined {
  if (address.length === 4) {
    const ip = Buffer.from(address).readUInt32BE();
    const classless = zones.find(({ network }) => network && (ip & network.mask) >>> 0 === network.address);
    // RFC 2317 section 4: the last octet below the name of the zone.
    if (classless) return { name: `${address[3]}.${classless.name}`, zone: classless };
  }
  const name = reverseName(address);
  const zone = zoneOf(zones, name);
  return zone && { name, zone };
}
