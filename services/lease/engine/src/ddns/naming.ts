import { type Config, subnetOf } from "@frontdesk/lease-config/config";
import { subnetOf6 } from "@frontdesk/lease-config/config6";
import { macOfKey } from "@frontdesk/lease-config/identifiers";
import { formatIpv4, formatIpv6, u32Bytes } from "@frontdesk/lease-options/address";
import type { NameIntent, NamePolicy } from "../leases/dns-name.ts";
import { dhcidOf, ownerOf, ownerOfDuid } from "./dhcid.ts";
import { canonicalName, hostLabel, MAX_NAME } from "./domain-name.ts";
import { planOf } from "./name-plan.ts";
import { isReverse, zoneOf } from "./zones.ts";

/** Which name a lease shall have in DNS; undefined where the configuration keeps none. */
export function namePolicy(config: Config): NamePolicy | undefined {
  const { ddns } = config;
  if (!ddns) return undefined;

  /** A name without a domain of ours gets the one of its subnet. */
  const placed = (said: string, domain: string): string | undefined => {
    const whole = canonicalName(said);
    const zone = whole && zoneOf(ddns.zones, whole);
    if (whole && zone && whole !== zone.name && !isReverse(zone)) {
      const labels = whole.split(".").map((label) => hostLabel(label));
      return labels.includes(undefined) ? undefined : labels.join(".");
    }
    const label = hostLabel(said.split(".")[0] ?? "", MAX_NAME - domain.length - 1);
    return label && `${label}.${domain}`;
  };
  const named = (
    names: { readonly given: string | null; readonly own: string | null; readonly address: string },
    domain: string | undefined,
  ): Pick<NameIntent, "name" | "said"> | undefined => {
    const own = ddns.namePolicy === "client" ? names.own : null;
    const made = ddns.namePolicy === "server" ? `dhcp-${names.address.replaceAll(/[.:]/g, "-")}` : null;
    const said = names.given ?? own ?? made;
    const name = said === null ? undefined : placed(said, domain ?? ddns.domain);
    return name === undefined || said === null ? undefined : { name, said };
  };
  const intent = (
    names: Parameters<typeof named>[0],
    domain: string | undefined,
    client: Omit<NameIntent, "name" | "said">,
  ): NameIntent | undefined => {
    const found = named(names, domain);
    return found && { ...found, ...client };
  };
  /** What a relay says (RFC 6939), else what the reservation knows beside the DUID. */
  const deviceOf6: NamePolicy["deviceOf6"] = ({ address, mac }) =>
    mac.length > 0 ? mac : (config.v6.reserved.get(address)?.keys.flatMap(macOfKey)[0] ?? null);

  return {
    plan: (row) => planOf(ddns, row),
    dhcidOf,
    keeps: (address) =>
      ddns.keepForReservations &&
      (typeof address === "number" ? config.reservedAddresses.has(address) : config.v6.reserved.has(address)),
    keptName: (address, own, override) => {
      const isV4 = typeof address === "number";
      const reservation = isV4 ? config.reservedAddresses.get(address) : config.v6.reserved.get(address);
      const given = override ?? reservation?.hostname ?? null;
      const subnet = isV4 ? subnetOf(config, address) : subnetOf6(config.v6, address);
      return named({ given, own, address: textOf(address) }, subnet?.ddnsDomain);
    },
    nameOf: (lease, override) => {
      const given = override ?? config.reservedAddresses.get(lease.ip)?.hostname ?? null;
      const names = { given, own: lease.fqdn ?? lease.hostname, address: formatIpv4(lease.ip) };
      return intent(names, subnetOf(config, lease.ip)?.ddnsDomain, {
        owner: ownerOf(lease),
        holder: Uint8Array.of(4, ...(lease.clientId ?? [lease.htype, ...lease.mac])),
        device: lease.mac.length > 0 ? lease.mac : null,
      });
    },
    nameOf6: (lease, override) => {
      const { address, duid, iaid, hostname: own } = lease;
      const given = override ?? config.v6.reserved.get(address)?.hostname ?? null;
      const names = { given, own, address: formatIpv6(address) };
      return intent(names, subnetOf6(config.v6, address)?.ddnsDomain, {
        owner: ownerOfDuid(duid),
        holder: Uint8Array.of(6, ...u32Bytes(iaid), ...duid),
        device: deviceOf6(lease),
      });
    },
    deviceOf6,
  };
}

const textOf = (address: number | bigint) =>
  typeof address === "number" ? formatIpv4(address) : formatIpv6(address);
