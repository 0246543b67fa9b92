import { formatIpv4 } from "@frontdesk/lease-options/address";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { effectiveFor } from "../classes/effective.ts";
import { drop, type Step } from "./exchange.ts";

/** RFC 2131 section 4.3.5: options for a client that has its address; no lease, no yiaddr. */
export const handleInform: Step = (x) => {
  if (x.request.type !== TYPE.inform) return "continue";
  if (x.request.ciaddr === 0 && x.ingress.sourceAddress === 0)
    return drop(x, "it asked for options without an address");
  x.replyType = TYPE.ack;
  x.effective = effectiveFor(x, x.request.ciaddr);
  x.trail?.push(`It has the address ${formatIpv4(x.request.ciaddr)} and asks only for options.`);
  return "continue";
};
