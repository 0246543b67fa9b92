import type { LeaseRecord, StoredLease } from "../leases/lease-record.ts";

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
