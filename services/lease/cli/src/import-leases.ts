import { existsSync, readFileSync } from "node:fs";
import {
  IMPORT_REFUSALS,
  type ImportedLease,
  type LeasesImported,
  MAX_IMPORTED,
} from "@frontdesk/lease-control-api/lease-import";
import { type Client, ControlProblem } from "./control-client.ts";
import { isDnsmasq, readDnsmasq } from "./lease-files/dnsmasq.ts";
import type { FileLease, LeaseFile } from "./lease-files/foreign-lease.ts";
import { isIsc, readIsc } from "./lease-files/isc-dhcpd.ts";
import { isKea, keaFilesBefore, readKea } from "./lease-files/kea.ts";

const FORMATS = [
  { name: "Kea", is: isKea, read: readKea },
  { name: "ISC dhcpd", is: isIsc, read: readIsc },
  { name: "dnsmasq", is: isDnsmasq, read: readDnsmasq },
] as const;
const OCTETS = /^[0-9a-f]{2}(:?[0-9a-f]{2})*$/i;
const MAX_NAME = 255;
const MAX_CLIENT_ID = 764;

export interface ImportResult {
  readonly server: string;
  readonly imported: number;
  /** In the file and not asked for: ended, given back, or without a hardware address or a DUID. */
  readonly left: number;
  readonly refused: LeasesImported["refused"];
}

/** Hands over the leases that are in force in another server's file. */
export async function importLeases(client: Client, path: string, now: number): Promise<ImportResult> {
  const { server, leases } = readLeaseFile(path);
  const wanted = [...leases.values()].filter((each) => isInForce(each, now)).map(asAsked);
  let imported = 0;
  const refused: LeasesImported["refused"] = [];
  for (let from = 0; from < wanted.length; from += MAX_IMPORTED) {
    const answer = await client.call<LeasesImported>("POST", "/v1/leases/import", {
      leases: wanted.slice(from, from + MAX_IMPORTED),
    });
    imported += answer.imported;
    refused.push(...answer.refused);
  }
  return { server, imported, left: leases.size - wanted.length, refused };
}

export function readLeaseFile(path: string): { server: string; leases: LeaseFile } {
  const { name, leases } = readOne(path);
  if (name !== "Kea") return { server: name, leases };
  const earlier = keaFilesBefore(path).filter((file) => existsSync(file));
  // The last line about an address counts.
  return {
    server: name,
    leases: new Map([...earlier.map(readOne), { leases }].flatMap((one) => [...one.leases])),
  };
}

function readOne(path: string): { name: string; leases: LeaseFile } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new ControlProblem(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  const format = FORMATS.find(({ is }) => is(text));
  if (!format) {
    throw new ControlProblem(
      `${path} is no lease file of Kea (kea-leases4.csv, kea-leases6.csv), ISC dhcpd (dhcpd.leases, dhcpd6.leases) or dnsmasq (dnsmasq.leases).`,
    );
  }
  return { name: format.name, leases: format.read(text) };
}

export function importReport({ server, imported, left, refused }: ImportResult): string {
  const lines = [`${imported} leases of ${server} were taken over; ${left} in the file are not in force.`];
  for (const { ip, reason } of refused) lines.push(`${ip} was not: ${IMPORT_REFUSALS[reason]}.`);
  return lines.join("\n");
}

const isInForce = ({ isActive, mac, association, expires }: FileLease, now: number) =>
  isActive && OCTETS.test(association?.duid ?? mac) && (expires === undefined || expires > now);

function asAsked({ ip, mac, clientId, association, hostname, expires }: FileLease): ImportedLease {
  const isIdentifier = clientId !== undefined && clientId.length <= MAX_CLIENT_ID && OCTETS.test(clientId);
  return {
    ip,
    ...(OCTETS.test(mac) ? { mac } : {}),
    ...(isIdentifier ? { client_id: clientId } : {}),
    ...association,
    ...(hostname && hostname.length <= MAX_NAME ? { hostname } : {}),
    expires_at: expires === undefined ? null : new Date(expires * 1000).toISOString(),
  };
}
