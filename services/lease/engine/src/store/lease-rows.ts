import type { LeaseBrief, LeaseRecord, StoredLease } from "../leases/lease-record.ts";

/** The columns of a lease, in the order of `LeaseRow`. */
export const LEASE_COLUMNS = [
  "ip",
  "state",
  "htype",
  "mac",
  "client_id",
  "hostname",
  "fqdn",
  "vendor",
  "classes",
  "starts",
  "until",
  "seen",
  "interface",
  "giaddr",
  "circuit_id",
  "remote_id",
  "relay_agent",
  "nonce",
  "told",
  "renewals",
  "digest",
  "seq",
] as const;

export type LeaseRow = [
  number,
  LeaseRecord["state"],
  number,
  Uint8Array,
  Uint8Array | null,
  string | null,
  string | null,
  string | null,
  string | null,
  number,
  number,
  number,
  string | null,
  number,
  Uint8Array | null,
  Uint8Array | null,
  Uint8Array | null,
  Uint8Array | null,
  number,
  number,
  number,
  number,
];

export const rowOf = (lease: LeaseRecord, seq: number): LeaseRow => [
  lease.ip,
  lease.state,
  lease.htype,
  lease.mac,
  lease.clientId,
  lease.hostname,
  lease.fqdn,
  lease.vendor,
  lease.classes,
  lease.starts,
  lease.until,
  lease.seen,
  lease.interface,
  lease.giaddr,
  lease.circuitId,
  lease.remoteId,
  lease.relayAgent,
  lease.nonce,
  lease.told,
  lease.renewals,
  lease.digest,
  seq,
];

export function leaseOf(row: LeaseRow): StoredLease {
  const [ip, state, htype, mac, clientId, hostname, fqdn, vendor, classes, starts, until, seen, ...rest] =
    row;
  const [name, giaddr, circuitId, remoteId, relayAgent, nonce, told, renewals, digest, seq] = rest;
  return {
    ip,
    state,
    htype,
    mac,
    clientId,
    hostname,
    fqdn,
    vendor,
    classes,
    starts,
    until,
    seen,
    interface: name,
    giaddr,
    circuitId,
    remoteId,
    relayAgent,
    nonce,
    told,
    renewals,
    digest,
    seq,
  };
}

/** The columns of what of a lease is in memory, in the order of `BriefRow`. */
export const BRIEF_COLUMNS =
  "ip, state, htype, mac, client_id, starts, until, interface, giaddr, circuit_id, relay_agent, told, digest";

export type BriefRow = [
  ip: number,
  state: LeaseRecord["state"],
  htype: number,
  mac: Uint8Array,
  clientId: Uint8Array | null,
  starts: number,
  until: number,
  interfaceName: string | null,
  giaddr: number,
  circuitId: Uint8Array | null,
  relayAgent: Uint8Array | null,
  told: number,
  digest: number,
];

export function briefOf(row: BriefRow): LeaseBrief {
  return {
    ip: row[0],
    state: row[1],
    htype: row[2],
    mac: row[3],
    clientId: row[4],
    starts: row[5],
    until: row[6],
    interface: row[7],
    giaddr: row[8],
    circuitId: row[9],
    relayAgent: row[10],
    told: row[11],
    digest: row[12],
  };
}
