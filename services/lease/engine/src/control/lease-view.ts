import { type Config, subnetOf } from "@frontdesk/lease-config/config";
import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import { Type } from "typebox";
import { FOREVER, STATE } from "../leases/binding.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { StoredEvent } from "../store/history.ts";

const Nullable = <T extends ReturnType<typeof Type.String>>(inner: T) => Type.Union([inner, Type.Null()]);
const Text = Nullable(Type.String());

export const STATE_NAMES = {
  active: STATE.bound,
  released: STATE.released,
  expired: STATE.expired,
  declined: STATE.declined,
} as const;
export type StateName = keyof typeof STATE_NAMES;
const NAME_OF = new Map<number, StateName>(
  Object.entries(STATE_NAMES).map(([name, state]) => [state, name as StateName]),
);

export const Lease = Type.Object(
  {
    ip: Type.String(),
    mac: Text,
    client_id: Text,
    duid: Text,
    hostname: Text,
    fqdn: Text,
    vendor: Text,
    state: Type.String({ description: "active, released, expired or declined" }),
    subnet: Text,
    starts_at: Text,
    expires_at: Nullable(Type.String({ description: "null: for ever" })),
    last_seen_at: Text,
    reserved: Type.Boolean(),
    class: Text,
    relay: Text,
    circuit_id: Text,
    remote_id: Text,
  },
  { $id: "Lease" },
);

export const Event = Type.Object(
  {
    id: Type.Integer(),
    at: Type.String(),
    type: Type.String(),
    ip: Type.String(),
    mac: Text,
    client_id: Text,
    hostname: Text,
    relay: Text,
    circuit_id: Text,
    remote_id: Text,
    expires_at: Text,
    reason: Nullable(Type.String({ description: "Why, as a code" })),
    renewals: Type.Integer({ description: "Renewals since the last event of this lease" }),
    config: Type.String({ description: "The version of the configuration it was decided by" }),
  },
  { $id: "LeaseEvent" },
);

const time = (seconds: number) =>
  seconds === 0 || seconds === FOREVER ? null : new Date(seconds * 1000).toISOString();
const hex = (bytes: Uint8Array | null) => (bytes && bytes.length > 0 ? formatHex(bytes) : null);
const address = (value: number) => (value === 0 ? null : formatIpv4(value));

/** Circuit and remote ids are mostly text, and shown so when they are. */
function label(bytes: Uint8Array | null): string | null {
  if (!bytes) return null;
  const printable = bytes.length > 0 && bytes.every((octet) => octet >= 0x20 && octet < 0x7f);
  return printable ? Buffer.from(bytes).toString("latin1") : `0x${formatHex(bytes, "")}`;
}

/** RFC 4361 section 6.1: a client identifier of type 255 is an IAID and a DUID. */
const duid = (clientId: Uint8Array | null) =>
  clientId?.[0] === 255 && clientId.length > 5 ? formatHex(clientId.subarray(5)) : null;

/** A lease whose time is over counts as expired, even in the moment before the engine says so. */
export function leaseView(lease: LeaseRecord, config: Config, now: number) {
  const over = lease.state === STATE.bound && lease.until !== FOREVER && lease.until <= now;
  return {
    ip: formatIpv4(lease.ip),
    mac: hex(lease.mac),
    client_id: hex(lease.clientId),
    duid: duid(lease.clientId),
    hostname: lease.hostname,
    fqdn: lease.fqdn,
    vendor: lease.vendor,
    state: over ? "expired" : (NAME_OF.get(lease.state) ?? "expired"),
    subnet: subnetOf(config, lease.ip)?.name ?? null,
    starts_at: time(lease.starts),
    expires_at: time(lease.until),
    last_seen_at: time(lease.seen),
    reserved: config.reservedAddresses.has(lease.ip),
    class: lease.classes,
    relay: address(lease.giaddr),
    circuit_id: label(lease.circuitId),
    remote_id: label(lease.remoteId),
  };
}

export function eventView(event: StoredEvent) {
  return {
    id: event.id,
    at: new Date(event.at).toISOString(),
    type: event.type,
    ip: formatIpv4(event.ip),
    mac: hex(event.mac),
    client_id: hex(event.clientId),
    hostname: event.hostname,
    relay: address(event.giaddr),
    circuit_id: label(event.circuitId),
    remote_id: label(event.remoteId),
    expires_at: time(event.until),
    reason: event.reason,
    renewals: event.renewals,
    config: event.config,
  };
}
