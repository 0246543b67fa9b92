import { readFileSync } from "node:fs";
import { ipv6Bytes, parseIpv6 } from "@frontdesk/lease-options/address";
import { IPV6_JOIN_GROUP, IPV6_LEAVE_GROUP, membership } from "./libc.ts";

/** RFC 9915 section 7.1: all servers and relays of a link, and all servers of a site. */
const GROUPS = ["ff02::1:2", "ff05::1:3"].map((text) => ipv6Bytes(parseIpv6(text) as bigint));

/** The groups of all interfaces, as the system names them. */
export type Memberships = ReadonlySet<string>;

/** What holds for a socket that is new. */
export const NO_MEMBERSHIPS: Memberships = new Set();

const nameOf = (interfaceIndex: number | string, group: string) => `${interfaceIndex} ${group}`;

/** Which groups the links belong to now: read once for all of them. Undefined where the system does not tell. */
export function membershipsNow(): Memberships | undefined {
  try {
    const lines = readFileSync("/proc/net/igmp6", "latin1").split("\n");
    return new Set(
      lines.map((line) => {
        const [index = "", , group = ""] = line.split(/ +/);
        return nameOf(index, group);
      }),
    );
  } catch {
    return undefined;
  }
}

/**
 * Joins what the system has not joined, or has ended: where the MTU falls below 1280 it takes IPv6 from the link, and the
 * memberships with it, though the socket still counts itself a member.
 */
export function joinGroups(fd: number, interfaceIndex: number, memberships: Memberships): void {
  for (const group of GROUPS) {
    if (memberships.has(nameOf(interfaceIndex, Buffer.from(group).toString("hex")))) continue;
    leave(fd, group, interfaceIndex);
    membership(fd, IPV6_JOIN_GROUP, group, interfaceIndex);
  }
}

function leave(fd: number, group: Uint8Array, interfaceIndex: number): void {
  try {
    membership(fd, IPV6_LEAVE_GROUP, group, interfaceIndex);
  } catch {
    // It was left the last time, or never joined.
  }
}
