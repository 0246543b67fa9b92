import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { chooseAddress } from "../leases/allocate.ts";
import { allocationRequest } from "./allocation-request.ts";
import { type Decision, type Exchange, silence } from "./exchange.ts";
import { bind, offer } from "./grant.ts";
import { exceedsPort } from "./port-limit.ts";

/** RFC 2131 section 4.3.1: an address is chosen, and offered; BOOTP (RFC 1534) has it at once. */
export function handleDiscover(x: Exchange): Decision {
  const choice = chooseAddress(x.leases, allocationRequest(x));
  if (!choice) return silence("no-free-address");
  if (exceedsPort(x)) return { ...silence("port-limit"), address: choice.address };
  x.trail?.push({ kind: "choice", ...choice });
  if (x.request.type !== TYPE.discover) return bind(x, choice.address, "bootp");
  // RFC 4039 section 3.1: the server may answer a DISCOVER with an ACK when the client says it understands.
  const rapid = x.config.rapidCommit && x.request.options.has(CODE.rapidCommit);
  return rapid ? bind(x, choice.address) : offer(x, choice.address);
}

export function handleBootp(x: Exchange): Decision {
  return x.config.bootp ? handleDiscover(x) : silence("bootp-off");
}
