import { readFileSync } from "node:fs";
import { ipv6Bytes, parseIpv6 } from "@frontdesk/lease-options/address";
import { IPV6_JOIN_GROUP, IPV6_LEAVE_GROUP, membership, SystemError } from "./libc.ts";

/** RFC 9915 section 7.1: all servers and relays of a link, and all servers of a site. */
const GROUPS = ["ff02::1:2", "ff05::1:3"].map((text) => ipv6Bytes(parseIpv6(text) as bigint));

export function joinGroups(fd: number, interfaceIndex: number): void {
  for (const group of GROUPS) membership(fd, IPV6_JOIN_GROUP, group, interfaceIndex);
}

/** The groups of all interfaces, as the system names them. */
export type Memberships = ReadonlySet<string>;

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
 * Joins again what the system has ended: where the MTU falls below 1280 it takes IPv6 from the link, and the memberships
 * with it, though the socket still counts itself a member. Answers why a group cannot be joined.
 */
export function rejoinGroups(
  fd: number,
  interfaceIndex: number,
  memberships: Memberships,
): SystemError | undefined {
  try {
    for (const group of GROUPS) {
      if (memberships.has(nameOf(interfaceIndex, Buffer.from(group).toString("hex")))) continue;
      leave(fd, group, interfaceIndex);
      membership(fd, IPV6_JOIN_GROUP, group, interfaceIndex);
    }
  } catch (error) {
    if (error instanceof SystemError) return error;
    throw error;
  }
  return undefined;
}

function leave(fd: number, group: Uint8Array, interfaceIndex: number): void {
  try {
    membership(fd, IPV6_LEAVE_GROUP, group, interfaceIndex);
  } catch {
    // It was left the last time, and could not be joined.
  }
}
