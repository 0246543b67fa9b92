import type { FileLease, LeaseFile } from "./foreign-lease.ts";

const LINE = /^(\d+) (\S+) (\S+) (\S+) (\S+)$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/** The server's own, before the leases of DHCPv6. */
const SERVER = /^duid \S+$/;

export const isDnsmasq = (text: string) => {
  const [first = ""] = text.split("\n", 1).map((line) => line.trimEnd());
  return SERVER.test(first) || IPV4.test(LINE.exec(first)?.[3] ?? "");
};

/**
 * `dnsmasq.leases`: expiry, hardware address, address, name, client identifier. Of DHCPv6, which follows a line with the
 * server's DUID: expiry, IAID, address, name, DUID; a temporary address has a T before its IAID.
 */
export function readDnsmasq(text: string): LeaseFile {
  const leases: LeaseFile = new Map();
  for (const line of text.split("\n")) {
    const [, expiry = "", device = "", ip = "", name = "", identifier = ""] = LINE.exec(line.trimEnd()) ?? [];
    if (ip === "") continue;
    leases.set(ip, {
      ip,
      ...(IPV4.test(ip) ? ofDhcp4(device, identifier) : ofDhcp6(device, identifier)),
      hostname: name === "*" ? undefined : name,
      expires: expiry === "0" ? undefined : Number(expiry),
    });
  }
  return leases;
}

type Own = Pick<FileLease, "mac" | "clientId" | "association" | "isActive">;

const ofDhcp4 = (mac: string, clientId: string): Own => ({
  // What is not an Ethernet has its hardware type before the address.
  mac: mac.includes("-") ? "" : mac,
  clientId: clientId === "*" ? undefined : clientId,
  isActive: true,
});

const ofDhcp6 = (iaid: string, duid: string): Own => ({
  mac: "",
  clientId: undefined,
  association: { duid, iaid: Number(iaid) },
  isActive: /^\d+$/.test(iaid),
});
