import { type ListenAddress, mask, type RawConfig } from "./raw-config.ts";
import type { Placed, Report } from "./shape.ts";

export interface DdnsKey {
  readonly name: string;
  readonly algorithm: "hmac-sha256" | "hmac-sha512";
  readonly secret: Uint8Array;
}

export interface DdnsZone {
  /** In lower case, without the dot at its end. */
  readonly name: string;
  readonly server: ListenAddress;
  readonly key: DdnsKey | undefined;
  /** Of a reverse zone that is not cut at an octet (RFC 2317). */
  readonly network: { readonly address: number; readonly mask: number } | undefined;
}

export interface DdnsConfig {
  /** The domain that names without one are in. */
  readonly domain: string;
  readonly zones: readonly DdnsZone[];
  readonly ttl: number;
  readonly namePolicy: "client" | "server" | "off";
  readonly collision: "refuse" | "suffix";
  readonly keepForReservations: boolean;
  readonly maxUpdatesPerSecond: number;
}

/** RFC 2317: networks of this length, or longer, have zones that are not cut at an octet. */
const LAST_OCTET_BITS = 24;

type RawDdns = NonNullable<RawConfig["ddns"]>;
type RawKey = Pick<RawDdns, "tsig_name" | "tsig_algorithm" | "tsig_secret">;

/** How names are kept in DNS; undefined where they are not. */
export function readDdns(raw: RawConfig, report: Report): DdnsConfig | undefined {
  const { ddns } = raw;
  if (!ddns?.enabled?.value) return undefined;
  const { place } = ddns.enabled;
  const key = readKey(ddns, report);
  const zones: DdnsZone[] = [];
  const add = (
    name: Placed<string> | undefined,
    {
      server,
      own,
      network,
    }: { server: ListenAddress | undefined; own: DdnsKey | undefined; network?: DdnsZone["network"] },
  ) => {
    if (!name) return;
    if (!server) report.add(name.place, "the zone needs a server: give one to it or to [ddns].");
    else if (zones.some((zone) => zone.name === name.value))
      report.add(name.place, `the zone "${name.value}" is there twice.`);
    else zones.push({ name: name.value, server, key: own, network });
  };
  if (!ddns.forward_zone) report.add(place, "[ddns] needs a forward_zone: names are kept there.");
  add(ddns.forward_zone, { server: ddns.server, own: key });
  add(ddns.reverse_zone, { server: ddns.server, own: key });
  for (const zone of ddns.zone ?? []) {
    const own = zone.tsig_name || zone.tsig_secret ? readKey(zone, report) : key;
    if (!zone.name) report.add(zone.place, "a [[ddns.zone]] needs a name.");
    const cut = zone.network?.value;
    const place = zone.network?.place ?? zone.place;
    if (cut && "v6" in cut) report.add(place, 'network must be an IPv4 network like "192.0.2.64/26".');
    // The last octet is the name of an address there: two of a larger network would have the same.
    else if (cut && cut.length < LAST_OCTET_BITS)
      report.add(place, "network must not be larger than a /24: cut its zone at the octets instead.");
    const network = cut && !("v6" in cut) ? { address: cut.address, mask: mask(cut.length) } : undefined;
    add(zone.name, { server: zone.server ?? ddns.server, own, network });
  }
  return {
    domain: ddns.forward_zone?.value ?? "",
    zones,
    ttl: ddns.ttl ?? 300,
    namePolicy: ddns.name_policy ?? "client",
    collision: ddns.collision ?? "refuse",
    keepForReservations: ddns.keep_for_reservations ?? false,
    maxUpdatesPerSecond: ddns.max_updates_per_second ?? 100,
  };
}

function readKey(
  { tsig_name: name, tsig_secret: secret, tsig_algorithm: algorithm }: RawKey,
  report: Report,
): DdnsKey | undefined {
  const one = name ?? secret;
  if (!one) return undefined;
  if (!name || !secret) return report.add(one.place, "a key has both, a tsig_name and a tsig_secret.");
  return { name: name.value, algorithm: algorithm ?? "hmac-sha256", secret: secret.value };
}
