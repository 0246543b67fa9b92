import { existsSync } from "node:fs";
import type { FileLease, LeaseFile } from "./foreign-lease.ts";

const FOREVER = 0xffffffff;
const ASSIGNED = "0";
/** Of `lease_type`; the other, 1, is a temporary address. */
const [ADDRESS, PREFIX] = ["0", "2"];

const isKea4 = (text: string) => text.startsWith("address,hwaddr,client_id,valid_lifetime,expire");
const isKea6 = (text: string) => text.startsWith("address,duid,valid_lifetime,expire");
export const isKea = (text: string) => isKea4(text) || isKea6(text);

/**
 * The files that Kea reads before its newest one, the oldest first. Each hour it begins a new file; what was in the one
 * before (`.1`) is merged with all that is older into `.2` (kea-lfc), which is `.completed` just before it is renamed.
 */
export function keaFilesBefore(path: string): string[] {
  const whole = existsSync(`${path}.completed`) ? `${path}.completed` : `${path}.2`;
  return [whole, `${path}.1`];
}

/** Kea's memfile: `kea-leases4.csv` or `kea-leases6.csv`. */
export function readKea(text: string): LeaseFile {
  const [header = "", ...lines] = text.split(/\r?\n/);
  const columns = header.split(",");
  const leases: LeaseFile = new Map();
  for (const line of lines) {
    const cells = line.split(",");
    const cell = (name: string) => (cells[columns.indexOf(name)] ?? "").replaceAll("&#x2c", ",");
    if (cell("address") === "") continue;
    const lifetime = Number(cell("valid_lifetime"));
    const common = {
      mac: cell("hwaddr"),
      hostname: cell("hostname").replace(/\.$/, "") || undefined,
      expires: lifetime === FOREVER ? undefined : Number(cell("expire")),
      isActive: cell("state") === ASSIGNED && lifetime > 0,
    };
    const lease = isKea6(header) ? { ...common, ...kea6(cell) } : { ...common, ...kea4(cell) };
    leases.set(lease.ip, lease);
  }
  return leases;
}

type Own = Pick<FileLease, "ip" | "clientId" | "association"> & Partial<FileLease>;

const kea4 = (cell: (name: string) => string): Own => ({
  ip: cell("address"),
  clientId: cell("client_id") || undefined,
});

function kea6(cell: (name: string) => string): Own {
  const type = cell("lease_type");
  const association = { duid: cell("duid"), iaid: Number(cell("iaid")) };
  const ip = type === PREFIX ? `${cell("address")}/${cell("prefix_len")}` : cell("address");
  const isTemporary = type !== PREFIX && type !== ADDRESS;
  return { ip, clientId: undefined, association, ...(isTemporary ? { isActive: false } : {}) };
}
