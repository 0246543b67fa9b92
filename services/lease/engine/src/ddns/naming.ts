import { type Config, subnetOf } from "@frontdesk/lease-config/config";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import type { NameIntent, NamePolicy } from "../leases/dns-name.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { dhcidOf, dhcidOfDuid } from "./dhcid.ts";
import { canonicalName, hostLabel, isBelow } from "./domain-name.ts";

/** Which name a lease shall have in DNS; undefined where the configuration keeps none. */
export function namePolicy(config: Config): NamePolicy | undefined {
  const { ddns } = config;
  if (!ddns) return undefined;

  /** A name without a domain of ours gets the one of its subnet. */
  const placed = (said: string, domain: string): string | undefined => {
    const whole = canonicalName(said);
    if (whole && ddns.zones.some(({ name }) => whole !== name && isBelow(whole, name))) {
      const labels = whole.split(".").map(hostLabel);
      return labels.includes(undefined) ? undefined : labels.join(".");
    }
    const label = hostLabel(said.split(".")[0] ?? "");
    return label && `${label}.${domain}`;
  };

  return {
    keeps: (ip) => ddns.keepForReservations && config.reservedAddresses.has(ip),
    nameOf: (lease: LeaseRecord, override: string | null): NameIntent | undefined => {
      const domain = subnetOf(config, lease.ip)?.ddnsDomain ?? ddns.domain;
      const reserved = config.reservedAddresses.get(lease.ip)?.hostname ?? null;
      const own = ddns.namePolicy === "client" ? (lease.fqdn ?? lease.hostname) : null;
      const made = ddns.namePolicy === "server" ? `dhcp-${formatIpv4(lease.ip).replaceAll(".", "-")}` : null;
      const said = override ?? reserved ?? own ?? made;
      const name = said === null ? undefined : placed(said, domain);
      return name === undefined || said === null ? undefined : { name, said, dhcid: dhcidOf(lease, name) };
    },
    nameOf6: (lease: Lease6Record, override: string | null): NameIntent | undefined => {
      const reserved = config.v6.reserved.get(lease.address)?.hostname ?? null;
      const said = override ?? reserved ?? (ddns.namePolicy === "client" ? lease.hostname : null);
      const name = said === null ? undefined : placed(said, ddns.domain);
      return name === undefined || said === null
        ? undefined
        : { name, said, dhcid: dhcidOfDuid(lease.duid, name) };
    },
  };
}
