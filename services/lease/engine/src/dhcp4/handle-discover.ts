import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { chooseAddress } from "../leases/allocate.ts";
import { allocationRequest } from "./allocation-request.ts";
import { type Decision, type Exchange, silence } from "./exchange.ts";
import { bind, offer } from "./grant.ts";
import { exceedsPort } from "./port-limit.ts";

/** RFC 2131 section 4.3.1: an address is chosen, and offered; BOOTP (RFC 1534) has it at once. */
export function handleDiscover(x: Exchange): Decision {
  const choice = chooseAddress(x.leases, allocationRequest(x));
  if (!choice) return none(x);
  if (exceedsPort(x)) return { ...silence("port-limit"), address: choice.address };
  x.trail?.push({ kind: "choice", ...choice });
  if (x.request.type !== TYPE.discover) return bindBootp(x, choice.address);
  // RFC 4039 section 3.1: the server may answer a DISCOVER with an ACK when the client says it understands.
  const rapid = x.config.rapidCommit && x.failover.isNormal && x.request.options.has(CODE.rapidCommit);
  return rapid ? bind(x, choice.address) : offer(x, choice.address);
}

function none(x: Exchange): Decision {
  x.failover.refused();
  if (x.failover.isPaired) x.trail?.push({ kind: "pair", sentence: x.failover.explainNoAddress() });
  return silence("no-free-address");
}

export function handleBootp(x: Exchange): Decision {
  return x.config.bootp ? handleDiscover(x) : silence("bootp-off");
}

/** A lease without end cannot be given within the lead of a pair: only what is reserved for the client needs no end. */
function bindBootp(x: Exchange, address: number): Decision {
  if (x.failover.isPaired && x.reservation?.ip !== address) return silence("bootp-unreserved");
  return bind(x, address, "bootp");
}
