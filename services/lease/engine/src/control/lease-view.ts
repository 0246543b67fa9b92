import { type Config, subnetOf } from "@frontdesk/lease-config/config";
import type { Lease, LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import { FOREVER, STATE, type State } from "../leases/binding.ts";
import type { NotedLease, StoredEvent } from "../store/history.ts";

export const STATE_NAMES = {
  active: STATE.bound,
  released: STATE.released,
  expired: STATE.expired,
  declined: STATE.declined,
} as const satisfies Record<Lease["state"], State>;
const NAME_OF = new Map<number, Lease["state"]>(
  Object.entries(STATE_NAMES).map(([name, state]) => [state, name as Lease["state"]]),
);

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString();
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

/**
 * A lease as people see it: in wall time, which differs from the engine's by `offset` milliseconds.
 * One whose time is over counts as expired, even in the moment before the engine says so.
 */
export function leaseView(
  lease: NotedLease,
  config: Config,
  { now, offset }: { now: number; offset: number },
): Lease {
  const wall = (seconds: number) =>
    seconds === 0 || seconds === FOREVER ? null : timeText(seconds - Math.round(offset / 1000));
  const ends = lease.until - Math.round(offset / 1000);
  const over = lease.state === STATE.bound && lease.until !== FOREVER && ends * 1000 <= now;
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
    starts_at: wall(lease.starts),
    expires_at: wall(lease.until),
    last_seen_at: wall(lease.seen),
    reserved: config.reservedAddresses.has(lease.ip),
    class: lease.classes,
    interface: lease.interface,
    relay: address(lease.giaddr),
    circuit_id: label(lease.circuitId),
    remote_id: label(lease.remoteId),
    renewals: lease.renewals,
    ddns: null,
    note: lease.note,
    dns_name: lease.dnsName,
  };
}

export function eventView(event: StoredEvent): LeaseEvent {
  return {
    id: event.id,
    at: new Date(event.at).toISOString(),
    type: event.type,
    ip: address(event.ip),
    mac: hex(event.mac),
    client_id: hex(event.clientId),
    hostname: event.hostname,
    relay: address(event.giaddr),
    circuit_id: label(event.circuitId),
    remote_id: label(event.remoteId),
    expires_at: event.until === 0 || event.until === FOREVER ? null : timeText(event.until),
    reason: event.reason,
    renewals: event.renewals,
    config: event.config,
  };
}
