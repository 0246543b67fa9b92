import { CODE6, TYPE6, TYPE6_NAMES } from "@frontdesk/lease-options/option6-table";
import type { Ingress6 } from "../loop/wire.ts";
import { decide6 } from "./decide.ts";
import { describeOption } from "./describe.ts";
import type { Finding6, View6 } from "./exchange.ts";
import { iaOption } from "./ia.ts";
import type { Packet6, RelayHop } from "./message.ts";
import { replyTo6 } from "./reply.ts";
import { leaseText, outcomeCode6, sentence6 } from "./sentences.ts";

export interface ExplainQuery6 {
  readonly duid: Uint8Array;
  /** What relays would say of it. */
  readonly mac: Uint8Array | undefined;
  readonly link: bigint;
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

const IAID = 1;
/** RFC 6939 section 4: the type of the hardware stands before its address. */
const ETHERNET = [0, 1];

/** What a SOLICIT would get and why: decided as a packet is, into a batch that is dropped. */
export function explain6(query: ExplainQuery6, ingress: Ingress6, view: View6): Explanation6 {
  const trail: Finding6[] = [];
  const { decision, exchange } = decide6(packetOf(query, ingress, view), ingress, { ...view, trail });
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

function packetOf({ duid, mac, link, prefix }: ExplainQuery6, ingress: Ingress6, { config }: View6): Packet6 {
  const ia = { type: prefix ? CODE6.iaPd : CODE6.iaNa, iaid: IAID, t1: 0, t2: 0, leases: [] };
  const asked = [
    ...new Set([
      ...config.v6.scope.options.keys(),
      ...config.v6.subnets.flatMap(({ scope }) => [...scope.options.keys()]),
    ]),
  ];
  const options = [
    { code: CODE6.clientId, value: duid },
    { code: CODE6.optionRequest, value: Uint8Array.from(asked.flatMap((code) => [code >> 8, code & 255])) },
    iaOption(ia),
  ];
  const hop: RelayHop = {
    hops: 0,
    link,
    peer: ingress.sourceAddress,
    options: mac ? [{ code: CODE6.clientLinkLayer, value: Uint8Array.from([...ETHERNET, ...mac]) }] : [],
  };
  const relays = link === 0n && !mac ? [] : [hop];
  return {
    message: { type: TYPE6.solicit, xid: 0, options },
    relays,
    relayType: relays.length > 0 ? TYPE6.relayForward : undefined,
  };
}
