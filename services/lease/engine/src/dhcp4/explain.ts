import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE, TYPE, TYPE_NAMES } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import type { Ingress } from "../loop/wire.ts";
import { decide } from "./decide.ts";
import { describeOption } from "./describe.ts";
import type { Finding, View } from "./exchange.ts";
import { BOOTREQUEST } from "./message.ts";
import { replyTo } from "./reply.ts";
import { outcomeCode, sentence } from "./sentences.ts";

export interface ExplainQuery {
  readonly mac: Uint8Array;
  readonly giaddr: number;
  /** The one that it is heard through, where that is known. */
  readonly interface?: string | undefined;
  /** Options as the client would send them. */
  readonly options: Options;
}

export interface Explanation {
  readonly outcome: string;
  readonly steps: readonly string[];
  readonly reply:
    | { type: string; ip: string; lease_time: number; options: Record<string, unknown> }
    | undefined;
}

const EMPTY = new Uint8Array(0);

/** What a DISCOVER would get and why: decided as a packet is, and nothing is kept of it. */
export function explain(query: ExplainQuery, ingress: Ingress, view: View): Explanation {
  const trail: Finding[] = [];
  const options: Options = new Map([[CODE.messageType, Uint8Array.of(TYPE.discover)], ...query.options]);
  const { decision, exchange } = decide(
    {
      op: BOOTREQUEST,
      htype: 1,
      hlen: query.mac.length,
      hops: 0,
      xid: 0,
      secs: 0,
      flags: 0,
      ciaddr: 0,
      yiaddr: 0,
      siaddr: 0,
      giaddr: query.giaddr,
      chaddr: query.mac,
      sname: EMPTY,
      file: EMPTY,
      options,
      type: TYPE.discover,
    },
    ingress,
    { ...view, trail },
  );
  const told = { outcome: outcomeCode(decision.outcome), steps: trail.map(sentence) };
  const reply = exchange && replyTo(exchange, decision);
  if (!reply || !decision.given) return { ...told, reply: undefined };
  return {
    ...told,
    reply: {
      type: TYPE_NAMES.get(reply.type) ?? "",
      ip: formatIpv4(reply.yiaddr),
      lease_time: decision.given.seconds,
      options: Object.fromEntries([...reply.options].map(([code, value]) => describeOption(code, value))),
    },
  };
}
