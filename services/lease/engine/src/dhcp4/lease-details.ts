import { textBytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { STATE } from "../leases/binding.ts";
import type { LeaseEvent, LeaseRecord } from "../leases/lease-record.ts";
import { printable } from "../leases/shown-text.ts";
import { readFqdn } from "./client-names.ts";
import type { Exchange } from "./exchange.ts";
import type { Message } from "./message.ts";

/** Who a client says it is. */
export const saidByClient = (request: Message) => ({
  mac: request.chaddr,
  clientId: request.options.get(CODE.clientIdentifier) ?? null,
  hostname: printable(request.options.get(CODE.hostName)) ?? null,
});

/** What is kept of a client. */
export function clientOf({ request, relay, classes }: Exchange) {
  return {
    ...saidByClient(request),
    htype: request.htype,
    fqdn: readFqdn(request.options.get(CODE.clientFqdn)) ?? null,
    vendor: printable(request.options.get(CODE.vendorClass)) ?? null,
    classes: classes.length === 0 ? null : classes.map(({ name }) => name).join(","),
    giaddr: request.giaddr,
    circuitId: relay.circuitId ?? null,
    remoteId: relay.remoteId ?? null,
    relayAgent: relay.octets ?? null,
  };
}

const NO_OCTETS = new Uint8Array(0);

const FIRST_HASH = 0x811c9dc5;

function mixed(hash: number, octets: Uint8Array): number {
  hash = Math.imul(hash ^ octets.length, 0x01000193);
  for (let i = 0; i < octets.length; i++) hash = Math.imul(hash ^ (octets[i] as number), 0x01000193);
  return hash;
}

const SAID_BY_CLIENT = [CODE.clientIdentifier, CODE.hostName, CODE.clientFqdn, CODE.vendorClass];

/** A hash of all that a client says of itself. */
export function digestOf({ request, classes }: Exchange): number {
  let hash = mixed(FIRST_HASH, request.chaddr);
  for (const code of SAID_BY_CLIENT) hash = mixed(hash, request.options.get(code) ?? NO_OCTETS);
  for (const { name } of classes) hash = mixed(hash, textBytes(name));
  return hash >>> 0;
}

/** A hash of what a relay says of a client; 0 when it says nothing. */
export const relayDigestOf = (octets: Uint8Array | null | undefined) =>
  octets ? mixed(FIRST_HASH, octets) >>> 0 : 0;

export const EMPTY_RECORD: LeaseRecord = {
  ip: 0,
  state: STATE.none,
  htype: 0,
  mac: NO_OCTETS,
  clientId: null,
  hostname: null,
  fqdn: null,
  vendor: null,
  classes: null,
  starts: 0,
  until: 0,
  seen: 0,
  interface: null,
  giaddr: 0,
  circuitId: null,
  remoteId: null,
  relayAgent: null,
  nonce: null,
  told: 0,
  renewals: 0,
  digest: 0,
};

type Subject = Pick<LeaseRecord, "mac" | "clientId" | "hostname" | "giaddr" | "circuitId" | "remoteId">;
type Told = Pick<LeaseEvent, "type" | "ip" | "config"> &
  Partial<Pick<LeaseEvent, "until" | "reason" | "renewals">>;

/** What is told of a client; or of an address alone, when nobody is known to have it. */
export function eventOf(of: Subject | undefined, told: Told): Omit<LeaseEvent, "at"> {
  const { mac, clientId, hostname, giaddr, circuitId, remoteId } = of ?? EMPTY_RECORD;
  const client = { mac, clientId, hostname, giaddr, circuitId, remoteId };
  return { ...client, until: 0, reason: null, renewals: 0, ...told };
}
