import type { Config } from "@frontdesk/lease-config/config";
import { CODE6, OPTIONS6, TYPE6, TYPE6_NAMES } from "@frontdesk/lease-options/option6-table";
import type { Ingress6 } from "../loop/wire.ts";
import { decide6 } from "./decide.ts";
import { describeOption } from "./describe.ts";
import type { Finding6, View6 } from "./exchange.ts";
import { iaOption } from "./ia.ts";
import type { Packet6, RelayHop } from "./message.ts";
import type { Option6 } from "./options.ts";
import { replyTo6 } from "./reply.ts";
import { leaseText, outcomeCode6, sentence6 } from "./sentences.ts";

export interface ExplainQuery6 {
  readonly duid: Uint8Array;
  /** Which of its leases it asks for; the first where it is not told. */
  readonly iaid?: number | undefined;
  /** What relays would say of it. */
  readonly mac: Uint8Array | undefined;
  readonly interfaceId?: Uint8Array | undefined;
  readonly remoteId?: Uint8Array | undefined;
  readonly link: bigint;
  /** The one that it is heard through, where that is known. */
  readonly interface?: string | undefined;
  /** Whether it asks for a prefix instead of an address. */
  readonly prefix: boolean;
}

export interface Explanation6 {
  readonly outcome: string;
  readonly steps: readonly string[];
  readonly reply:
    | { type: string; ip: string; lease_time: number; options: Record<string, unknown> }
    | undefined;
}

/** RFC 6939 section 4: the type of the hardware stands before its address. */
const ETHERNET = [0, 1];

/** What a message would get and why: decided as a packet is. */
export function explain6(packet: Packet6, ingress: Ingress6, view: View6): Explanation6 {
  const trail: Finding6[] = [];
  const { decision, exchange } = decide6(packet, ingress, { ...view, trail });
  const told = { outcome: outcomeCode6(decision.outcome), steps: trail.map(sentence6) };
  const lease = decision.ias?.[0]?.leases[0];
  const reply = exchange && replyTo6(exchange, decision);
  if (!reply || !lease) return { ...told, reply: undefined };
  return {
    ...told,
    reply: {
      type: TYPE6_NAMES.get(reply.message.type) ?? "",
      ip: leaseText(lease),
      lease_time: lease.valid,
      options: Object.fromEntries(reply.message.options.map(describeOption)),
    },
  };
}

/** Whether anything is known of it that only a relay tells. */
export const isRelayed = ({ link, mac, interfaceId, remoteId }: ExplainQuery6): boolean =>
  link !== 0n || mac !== undefined || interfaceId !== undefined || remoteId !== undefined;

/** The SOLICIT of a client of which no more is known than what was asked. */
export function solicitOf(query: ExplainQuery6, peer: bigint, config: Config): Packet6 {
  const { duid, iaid = 1, mac, link, prefix } = query;
  const options = [
    ...linkLayer(mac),
    ...said(CODE6.interfaceId, query.interfaceId),
    ...said(CODE6.remoteId, query.remoteId),
  ];
  const relays = isRelayed(query) ? [{ hops: 0, link, peer, options }] : [];
  return solicit({ duid, iaid, prefix }, relays, codesOf(config));
}

/** Every option that there is: those with a name, and those that some level of the configuration gives. */
export function codesOf({ v6, classes }: Config): number[] {
  const reservations = v6.subnets.flatMap(({ reservations: own }) => own);
  const scopes = [v6, ...v6.networks, ...v6.subnets, ...v6.pools, ...reservations].map(({ scope }) => scope);
  const given = [...scopes, ...classes.map(({ scope6 }) => scope6)].flatMap(({ options }) => [
    ...options.keys(),
  ]);
  return [...new Set([...Object.keys(OPTIONS6).map(Number), ...given])];
}

/** A SOLICIT that asks for these options. */
export function solicit(
  { duid, iaid, prefix, more = [] }: Asking,
  relays: readonly RelayHop[],
  asked: readonly number[],
): Packet6 {
  const ia = { type: prefix ? CODE6.iaPd : CODE6.iaNa, iaid, t1: 0, t2: 0, leases: [] };
  const options = [
    { code: CODE6.clientId, value: duid },
    { code: CODE6.optionRequest, value: Uint8Array.from(asked.flatMap((code) => [code >> 8, code & 255])) },
    iaOption(ia),
    ...more,
  ];
  return {
    message: { type: TYPE6.solicit, xid: 0, options },
    relays,
    relayType: relays.length > 0 ? TYPE6.relayForward : undefined,
  };
}

interface Asking {
  readonly duid: Uint8Array;
  readonly iaid: number;
  readonly prefix: boolean;
  readonly more?: readonly Option6[];
}

const said = (code: number, value: Uint8Array | undefined): Option6[] => (value ? [{ code, value }] : []);

/** What a relay says of a client's hardware, if it is known. */
export const linkLayer = (mac: Uint8Array | undefined): Option6[] =>
  said(CODE6.clientLinkLayer, mac && Uint8Array.from([...ETHERNET, ...mac]));
