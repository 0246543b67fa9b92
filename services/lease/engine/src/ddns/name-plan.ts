import { isIPv4 } from "node:net";
import type { DdnsConfig, DdnsZone } from "@frontdesk/lease-config/ddns-config";
import { ipv6Bytes, parseIpv4, parseIpv6, u32Bytes } from "@frontdesk/lease-options/address";
import type { NamePlan, NameRow } from "../leases/dns-name.ts";
import { dhcidOf } from "./dhcid.ts";
import { reversePlace, zoneOf } from "./zones.ts";

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

/** Whether what is kept came there for the name that is wanted, and of the same owner. */
export function isAsWanted({ side, wanted, owner, kept, keptFor, keptDhcid }: NameRow): boolean {
  if (kept === null || wanted === null || keptFor !== wanted) return false;
  if (side === "reverse") return true;
  return owner !== null && keptDhcid !== null && Buffer.from(keptDhcid).equals(dhcidOf(owner, kept));
}
