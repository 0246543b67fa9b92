import type { LeaseFile } from "./foreign-lease.ts";

const LINE = /^(\d+) (\S+) (\d+\.\d+\.\d+\.\d+) (\S+) (\S+)$/;

export const isDnsmasq = (text: string) => text.split("\n", 1).some((line) => LINE.test(line.trimEnd()));

/** `dnsmasq.leases`: expiry, hardware address, address, name, client identifier; DHCPv6 follows a line with its DUID. */
export function readDnsmasq(text: string): LeaseFile {
  const leases: LeaseFile = new Map();
  for (const line of text.split("\n")) {
    const [, expiry = "", mac = "", ip = "", name = "", clientId = ""] = LINE.exec(line.trimEnd()) ?? [];
    if (ip === "") continue;
    leases.set(ip, {
      ip,
      // What is not an Ethernet has its hardware type before the address.
      mac: mac.includes("-") ? "" : mac,
      clientId: clientId === "*" ? undefined : clientId,
      hostname: name === "*" ? undefined : name,
      expires: expiry === "0" ? undefined : Number(expiry),
      isActive: true,
    });
  }
  return leases;
}
