import { ipv6Bytes, readIpv6 } from "@frontdesk/lease-options/address";
import type { Lease6Brief, Lease6Record, StoredLease6 } from "../leases/lease6-record.ts";

/** The columns of a lease of DHCPv6, in the order of `Lease6Row`. Addresses are sixteen octets: they sort as numbers. */
export const LEASE6_COLUMNS = [
  "address",
  "length",
  "state",
  "duid",
  "iaid",
  "mac",
  "hostname",
  "vendor",
  "classes",
  "starts",
  "until",
  "preferred",
  "seen",
  "interface",
  "link",
  "peer",
  "interface_id",
  "remote_id",
  "relays",
  "reconfigure_key",
  "told",
  "renewals",
  "digest",
  "seq",
  "earlier_length",
  "earlier_until",
] as const;

export type Lease6Row = [
  address: Uint8Array,
  length: number,
  state: Lease6Record["state"],
  duid: Uint8Array,
  iaid: number,
  mac: Uint8Array,
  hostname: string | null,
  vendor: string | null,
  classes: string | null,
  starts: number,
  until: number,
  preferred: number,
  seen: number,
  interfaceName: string | null,
  link: Uint8Array | null,
  peer: Uint8Array | null,
  interfaceId: Uint8Array | null,
  remoteId: Uint8Array | null,
  relays: Uint8Array | null,
  reconfigureKey: Uint8Array | null,
  told: number,
  renewals: number,
  digest: number,
  seq: number,
  earlierLength: number,
  earlierUntil: number,
];

export const addressIn = (octets: Uint8Array | null) => (octets ? readIpv6(octets, 0) : 0n);
export const octetsOf = (address: bigint) => (address === 0n ? null : ipv6Bytes(address));

export function lease6Of(row: Lease6Row): StoredLease6 {
  return {
    address: addressIn(row[0]),
    length: row[1],
    state: row[2],
    duid: row[3],
    iaid: row[4],
    mac: row[5],
    hostname: row[6],
    vendor: row[7],
    classes: row[8],
    starts: row[9],
    until: row[10],
    preferred: row[11],
    seen: row[12],
    interface: row[13],
    link: addressIn(row[14]),
    peer: addressIn(row[15]),
    interfaceId: row[16],
    remoteId: row[17],
    relays: row[18],
    reconfigureKey: row[19],
    told: row[20],
    renewals: row[21],
    digest: row[22],
    seq: row[23],
    earlierLength: row[24],
    earlierUntil: row[25],
  };
}

export const rowOf6 = (lease: Lease6Record, seq: number): Lease6Row => [
  ipv6Bytes(lease.address),
  lease.length,
  lease.state,
  lease.duid,
  lease.iaid,
  lease.mac,
  lease.hostname,
  lease.vendor,
  lease.classes,
  lease.starts,
  lease.until,
  lease.preferred,
  lease.seen,
  lease.interface,
  octetsOf(lease.link),
  octetsOf(lease.peer),
  lease.interfaceId,
  lease.remoteId,
  lease.relays,
  lease.reconfigureKey,
  lease.told,
  lease.renewals,
  lease.digest,
  seq,
  lease.earlierLength,
  lease.earlierUntil,
];

/** The columns of what of a lease is in memory, in the order of `Brief6Row`. */
export const BRIEF6_COLUMNS =
  "address, length, state, duid, iaid, starts, until, interface, link, interface_id, told, digest, earlier_length, earlier_until";

export type Brief6Row = [
  address: Uint8Array,
  length: number,
  state: Lease6Record["state"],
  duid: Uint8Array,
  iaid: number,
  starts: number,
  until: number,
  interfaceName: string | null,
  link: Uint8Array | null,
  interfaceId: Uint8Array | null,
  told: number,
  digest: number,
  earlierLength: number,
  earlierUntil: number,
];

export function brief6Of(row: Brief6Row): Lease6Brief {
  return {
    address: addressIn(row[0]),
    length: row[1],
    state: row[2],
    duid: row[3],
    iaid: row[4],
    starts: row[5],
    until: row[6],
    interface: row[7],
    link: addressIn(row[8]),
    interfaceId: row[9],
    told: row[10],
    digest: row[11],
    earlierLength: row[12],
    earlierUntil: row[13],
  };
}
