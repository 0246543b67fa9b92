import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE, TYPE, TYPE_NAMES } from "@frontdesk/lease-options/option-table";
import { describeOption } from "./describe.ts";
import type { Ingress } from "./exchange.ts";
import { BOOTREQUEST } from "./message.ts";
import { newExchange, type View } from "./new-exchange.ts";
import type { Options } from "./option-area.ts";
import { runSteps } from "./pipeline.ts";

export interface ExplainQuery {
  readonly mac: Uint8Array;
  readonly giaddr: number;
  /** Options as the client would send them. */
  readonly options: Options;
  readonly ingress?: Ingress;
}

export interface Explanation {
  readonly steps: readonly string[];
  readonly reply:
    | { type: string; ip: string; lease_time: number; options: Record<string, unknown> }
    | undefined;
}

const EMPTY = new Uint8Array(0);

/** What a DISCOVER would get and why: the same steps as a packet's, and nothing is kept of it. */
export function explain(query: ExplainQuery, view: Omit<View, "trail">): Explanation {
  const trail: string[] = [];
  const options: Options = new Map([[CODE.messageType, Uint8Array.of(TYPE.discover)], ...query.options]);
  const x = newExchange(
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
    { ...view, trail },
  );
  const verdict = runSteps(x);
  const { draft } = x;
  if (verdict !== "reply" || !draft) return { steps: trail, reply: undefined };
  return {
    steps: trail,
    reply: {
      type: TYPE_NAMES.get(draft.type) ?? "",
      ip: formatIpv4(draft.yiaddr),
      lease_time: x.leaseTime,
      options: Object.fromEntries([...draft.options].map(([code, value]) => describeOption(code, value))),
    },
  };
}
