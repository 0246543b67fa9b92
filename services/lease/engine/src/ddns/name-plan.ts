import { isIPv4 } from "node:net";
import type { DdnsConfig, DdnsZone } from "@frontdesk/lease-config/ddns-config";
import { ipv6Bytes, parseIpv4, parseIpv6, u32Bytes } from "@frontdesk/lease-options/address";
import type { KeptName, NamePlan, NameRow } from "../leases/dns-name.ts";
import { dhcidOf } from "./dhcid.ts";
import { MAX_NAME } from "./domain-name.ts";
import { reversePlace, zoneOf } from "./zones.ts";

const MAX_SUFFIX = 9;

export const octetsOf = (address: string): Uint8Array =>
  isIPv4(address) ? u32Bytes(parseIpv4(address) ?? 0) : ipv6Bytes(parseIpv6(address) ?? 0n);

/** A server as rows and logs name it. */
export const serverText = ({ host, port }: DdnsZone["server"]): string => `${host} ${port}`;

/** What a row needs next: what is kept and no longer wanted goes first, then what is wanted comes. */
export function planOf({ zones, ttl }: Pick<DdnsConfig, "zones" | "ttl">, row: NameRow): NamePlan {
  const zoneFor = (name: string) =>
    row.side === "reverse" ? reversePlace(zones, octetsOf(row.address))?.zone : zoneOf(zones, name);
  const step = (kind: "add" | "remove", { name, server }: DdnsZone): NamePlan & { at: string } => {
    const text = serverText(server);
    return { kind, server: text, zone: name, at: `${name} ${text} ${ttl}` };
  };
  if (row.kept !== null && !isAsWanted(row)) {
    const zone = zoneFor(row.kept);
    return zone ? step("remove", zone) : { kind: "lost" };
  }
  if (row.wanted === null) return { kind: "nothing" };
  const zone = zoneFor(row.wanted);
  if (!zone) return { kind: "no_zone" };
  const add = step("add", zone);
  return row.keptAt === add.at ? { kind: "kept" } : add;
}

/** The names that are tried for the one that is wanted, in this order. */
export function candidatesFor({ collision }: Pick<DdnsConfig, "collision">, wanted: string): string[] {
  return collision === "suffix" ? [wanted, ...suffixed(wanted)] : [wanted];
}

/** `anna-2.office.example` and so on. */
function suffixed(name: string): string[] {
  const [label = "", ...domain] = name.split(".");
  return Array.from({ length: MAX_SUFFIX - 1 }, (_, n) =>
    [`${label.slice(0, 60)}-${n + 2}`, ...domain].join("."),
  ).filter((each) => each.length <= MAX_NAME);
}

/** The names by which what is kept may be in DNS, the likeliest first. */
export function keptNames(config: Pick<DdnsConfig, "collision">, row: KeptName): string[] {
  const { kept, keptFor, peerOwner } = row;
  if (kept === null) return [];
  return peerOwner ? [...new Set([kept, ...candidatesFor(config, keptFor ?? kept)])] : [kept];
}

/** What says whose a name is that is kept. */
export const keptDhcidOf = ({ kept, keptDhcid, peerOwner }: KeptName, name: string): Uint8Array | null =>
  name === kept || !peerOwner ? keptDhcid : dhcidOf(peerOwner, name);

/** Whether what is kept came there for the name that is wanted, and of the same owner. */
export function isAsWanted({ side, wanted, owner, kept, keptFor, keptDhcid }: NameRow): boolean {
  if (kept === null || wanted === null || keptFor !== wanted) return false;
  if (side === "reverse") return true;
  return owner !== null && keptDhcid !== null && Buffer.from(keptDhcid).equals(dhcidOf(owner, kept));
}
