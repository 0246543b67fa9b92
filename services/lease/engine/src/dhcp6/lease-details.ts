import { ipv6Bytes, textBytes } from "@frontdesk/lease-options/address";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { STATE } from "../leases/binding.ts";
import type { LeaseEvent } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { printable } from "../leases/shown-text.ts";
import { vendorClassOf } from "./classify.ts";
import { fqdnOf } from "./client-names.ts";
import type { Exchange6 } from "./exchange.ts";
import { firstOption } from "./options.ts";

const NO_OCTETS = new Uint8Array(0);

/** What is kept of a client. */
export function clientOf6(x: Exchange6) {
  const { request, relay, classes, packet, ingress } = x;
  return {
    duid: x.duid,
    mac: relay.mac ?? NO_OCTETS,
    hostname: fqdnOf(firstOption(request.options, CODE6.clientFqdn)) ?? null,
    vendor: printable(vendorClassOf(request)) ?? null,
    classes: classes.length === 0 ? null : classes.map(({ name }) => name).join(","),
    interface: ingress.interfaceName,
    link: packet.relays.at(-1)?.link ?? 0n,
    peer: relay.peer ?? ingress.sourceAddress,
    interfaceId: relay.interfaceId ?? null,
    remoteId: relay.remoteId ?? null,
  };
}

const FIRST_HASH = 0x811c9dc5;

/** Nothing is another thing than no octets. */
function mixed(hash: number, octets: Uint8Array | undefined): number {
  hash = Math.imul(hash ^ (octets ? octets.length + 1 : 0), 0x01000193);
  if (!octets) return hash;
  for (let i = 0; i < octets.length; i++) hash = Math.imul(hash ^ (octets[i] as number), 0x01000193);
  return hash;
}

const SAID_BY_CLIENT = [CODE6.clientFqdn, CODE6.vendorClass, CODE6.reconfigureAccept];

/** A hash of all that a client says of itself, its relays say of it, and of the way to it. */
export function digestOf6({ request, relay, classes, packet, ingress }: Exchange6): number {
  let hash = FIRST_HASH;
  for (const code of SAID_BY_CLIENT) hash = mixed(hash, firstOption(request.options, code));
  for (const each of [relay.mac, relay.interfaceId, relay.remoteId]) hash = mixed(hash, each);
  for (const { name } of classes) hash = mixed(hash, textBytes(name));
  hash = mixed(hash, ipv6Bytes(ingress.sourceAddress));
  for (const { link, peer } of packet.relays) hash = mixed(mixed(hash, ipv6Bytes(link)), ipv6Bytes(peer));
  return hash >>> 0;
}

export const EMPTY_RECORD6: Lease6Record = {
  address: 0n,
  length: 128,
  state: STATE.none,
  duid: NO_OCTETS,
  iaid: 0,
  mac: NO_OCTETS,
  hostname: null,
  vendor: null,
  classes: null,
  starts: 0,
  until: 0,
  preferred: 0,
  seen: 0,
  interface: null,
  link: 0n,
  peer: 0n,
  interfaceId: null,
  remoteId: null,
  relays: null,
  reconfigureKey: null,
  told: 0,
  renewals: 0,
  digest: 0,
  earlierLength: 0,
  earlierUntil: 0,
};

type Subject = Pick<Lease6Record, "duid" | "mac" | "hostname" | "link" | "interfaceId" | "remoteId">;
export type Told6 = Pick<LeaseEvent, "type"> & {
  readonly address: bigint;
  readonly length: number;
  readonly iaid: number;
} & Partial<Pick<LeaseEvent, "until" | "reason" | "renewals">>;

/** What is told of a client; or of an address alone, when nobody is known to have it. */
export function eventOf6(
  of: Subject | undefined,
  { address, length, iaid, ...told }: Told6,
  config: string,
): Omit<LeaseEvent, "at"> {
  const { duid, mac, hostname, link, interfaceId, remoteId } = of ?? EMPTY_RECORD6;
  return {
    ip: 0,
    v6: { address, length, duid, iaid, link },
    mac,
    clientId: null,
    hostname,
    giaddr: 0,
    circuitId: interfaceId,
    remoteId,
    until: 0,
    reason: null,
    renewals: 0,
    config,
    ...told,
  };
}
