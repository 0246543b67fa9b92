import { type Config, subnetOf } from "@frontdesk/lease-config/config";
import { networkOf6, poolOf6, subnetOf6 } from "@frontdesk/lease-config/config6";
import type { Lease, LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import { formatHex, formatIpv4, formatIpv6 } from "@frontdesk/lease-options/address";
import { leaseVersion } from "../lease-version.ts";
import { FOREVER, isOver, STATE, type State } from "../leases/binding.ts";
import { isPrefix } from "../leases/lease6-record.ts";
import type { StoredEvent } from "../store/event-reader.ts";
import type { NotedLease, NotedLease6 } from "../store/lease-pages.ts";
import { timeText } from "./time-text.ts";

export const STATE_NAMES = {
  active: STATE.bound,
  released: STATE.released,
  expired: STATE.expired,
  declined: STATE.declined,
} as const satisfies Record<Lease["state"], State>;
const NAME_OF = new Map<number, Lease["state"]>(
  Object.entries(STATE_NAMES).map(([name, state]) => [state, name as Lease["state"]]),
);

const hex = (bytes: Uint8Array | null) => (bytes && bytes.length > 0 ? formatHex(bytes) : null);
const address = (value: number) => (value === 0 ? null : formatIpv4(value));

/** Circuit and remote ids are mostly text, and shown so when they are. */
function label(bytes: Uint8Array | null): string | null {
  if (!bytes) return null;
  const printable = bytes.length > 0 && bytes.every((octet) => octet >= 0x20 && octet < 0x7f);
  const text = Buffer.from(bytes).toString("latin1");
  // A text that begins so would be read as hex.
  return printable && !text.startsWith("0x") ? text : `0x${formatHex(bytes, "")}`;
}

/** RFC 4361 section 6.1: a client identifier of type 255 is an IAID and a DUID. */
const duid = (clientId: Uint8Array | null) =>
  clientId?.[0] === 255 && clientId.length > 5 ? formatHex(clientId.subarray(5)) : null;

const shownName = (ddns: NotedLease["ddns"]) =>
  ddns && { name: ddns.name, state: ddns.state, error: ddns.error };

interface Now {
  /** Milliseconds of the wall clock, and how far the engine's is ahead of it. */
  readonly now: number;
  readonly offset: number;
}

/** T1 is half of `lifetime`, seconds from when it was seen (RFC 2131 section 4.4.5, RFC 9915 section 21.4). */
function timesOf(
  lease: Pick<NotedLease, "state" | "starts" | "until" | "seen">,
  lifetime: number,
  { now, offset }: Now,
): Pick<Lease, "state" | "starts_at" | "expires_at" | "last_seen_at" | "renews_at"> {
  const wall = (seconds: number) =>
    seconds === 0 || seconds === FOREVER ? null : timeText(seconds - Math.round(offset / 1000));
  const over = lease.state === STATE.bound && isOver(lease.until, now + offset);
  const state = over ? "expired" : (NAME_OF.get(lease.state) ?? "expired");
  const renews = state === "active" && lease.seen > 0 && lifetime > 0 && lifetime < FOREVER;
  return {
    state,
    starts_at: wall(lease.starts),
    expires_at: wall(lease.until),
    last_seen_at: wall(lease.seen),
    renews_at: renews ? wall(lease.seen + Math.floor(lifetime / 2)) : null,
  };
}

/** An address, or a prefix with its length. */
const text6 = (lease: { readonly address: bigint; readonly length: number }) =>
  isPrefix(lease) ? `${formatIpv6(lease.address)}/${lease.length}` : formatIpv6(lease.address);
const address6 = (value: bigint) => (value === 0n ? null : formatIpv6(value));

/** A lease of DHCPv6 as people see it; the Interface-Id of a relay stands where DHCPv4 has the circuit. */
export function leaseView6(lease: NotedLease6, { v6 }: Config, now: Now): Lease {
  const pool = poolOf6(v6.sortedPools, lease.address);
  const subnet = pool?.subnet ?? v6.reserved.get(lease.address)?.subnet ?? subnetOf6(v6, lease.address);
  return {
    ip: text6(lease),
    mac: hex(lease.mac),
    client_id: null,
    duid: hex(lease.duid),
    iaid: lease.duid.length > 0 ? lease.iaid : null,
    hostname: lease.hostname,
    fqdn: lease.hostname,
    vendor: lease.vendor,
    ...timesOf(lease, lease.preferred, now),
    subnet: subnet?.name ?? networkOf6(v6, lease.address)?.name ?? null,
    reserved: v6.reserved.has(lease.address),
    class: lease.classes,
    interface: lease.interface,
    relay: address6(lease.link),
    circuit_id: label(lease.interfaceId),
    remote_id: label(lease.remoteId),
    renewals: lease.renewals,
    ddns: shownName(lease.ddns),
    note: lease.note,
    dns_name: lease.dnsName,
    version: leaseVersion(lease, lease),
  };
}

/**
 * A lease as people see it: in wall time, which differs from the engine's by `offset` milliseconds.
 * One whose time is over counts as expired, even in the moment before the engine says so.
 */
export function leaseView(lease: NotedLease, config: Config, now: Now): Lease {
  return {
    ip: formatIpv4(lease.ip),
    mac: hex(lease.mac),
    client_id: hex(lease.clientId),
    duid: duid(lease.clientId),
    iaid: null,
    hostname: lease.hostname,
    fqdn: lease.fqdn,
    vendor: lease.vendor,
    ...timesOf(lease, lease.until === FOREVER ? FOREVER : lease.until - lease.seen, now),
    subnet: subnetOf(config, lease.ip)?.name ?? null,
    reserved: config.reservedAddresses.has(lease.ip),
    class: lease.classes,
    interface: lease.interface,
    relay: address(lease.giaddr),
    circuit_id: label(lease.circuitId),
    remote_id: label(lease.remoteId),
    renewals: lease.renewals,
    ddns: shownName(lease.ddns),
    note: lease.note,
    dns_name: lease.dnsName,
    version: leaseVersion(lease, lease),
  };
}

export function eventView(event: StoredEvent): LeaseEvent {
  return {
    id: event.id,
    at: new Date(event.at).toISOString(),
    type: event.type,
    ip: event.v6 ? (event.v6.address === 0n ? null : text6(event.v6)) : address(event.ip),
    mac: hex(event.mac),
    client_id: hex(event.clientId),
    duid: event.v6 ? hex(event.v6.duid) : duid(event.clientId),
    hostname: event.hostname,
    relay: event.v6 ? address6(event.v6.link) : address(event.giaddr),
    circuit_id: label(event.circuitId),
    remote_id: label(event.remoteId),
    expires_at: event.until === 0 || event.until === FOREVER ? null : timeText(event.until),
    reason: event.reason,
    renewals: event.renewals,
    config: event.config,
  };
}
