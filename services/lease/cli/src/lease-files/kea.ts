import type { LeaseFile } from "./foreign-lease.ts";

const FOREVER = 0xffffffff;
const ASSIGNED = "0";

export const isKea = (text: string) => text.startsWith("address,hwaddr,client_id,valid_lifetime,expire");

/** Kea's memfile of DHCPv4: `kea-leases4.csv`. */
export function readKea(text: string): LeaseFile {
  const [header = "", ...lines] = text.split(/\r?\n/);
  const columns = header.split(",");
  const leases: LeaseFile = new Map();
  for (const line of lines) {
    const cells = line.split(",");
    const cell = (name: string) => (cells[columns.indexOf(name)] ?? "").replaceAll("&#x2c", ",");
    const ip = cell("address");
    if (ip === "") continue;
    const lifetime = Number(cell("valid_lifetime"));
    leases.set(ip, {
      ip,
      mac: cell("hwaddr"),
      clientId: cell("client_id") || undefined,
      hostname: cell("hostname").replace(/\.$/, "") || undefined,
      expires: lifetime === FOREVER ? undefined : Number(cell("expire")),
      isActive: cell("state") === ASSIGNED && lifetime > 0,
    });
  }
  return leases;
}
