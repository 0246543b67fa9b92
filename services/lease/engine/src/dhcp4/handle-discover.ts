import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { chooseAddress } from "../leases/allocate.ts";
import { STATE } from "../leases/lease-table.ts";
import { drop, type Step } from "./exchange.ts";
import { wishOf } from "./wish.ts";

const BOOTP = 0;

/** RFC 2131 section 4.3.1: an address is chosen, and offered; BOOTP (RFC 1534) has it at once. */
export const handleDiscover: Step = (x) => {
  const { type } = x.request;
  if (type !== TYPE.discover && type !== BOOTP) return "continue";
  if (type === BOOTP && !x.config.bootp) return drop(x, "BOOTP is switched off");
  const choice = chooseAddress(x.leases, wishOf(x));
  if (!choice) return drop(x, "no free address");
  x.trail?.push(`It gets ${formatIpv4(choice.address)}: ${choice.why}.`);
  x.address = choice.address;
  const slot = x.leases.find(choice.address);
  x.renewed = slot !== undefined && x.leases.state(slot) === STATE.bound;
  // RFC 4039 section 3.1: the server may answer a DISCOVER with an ACK when the client says it understands.
  const rapid = x.config.rapidCommit && x.request.options.has(CODE.rapidCommit);
  x.replyType = type === BOOTP || rapid ? TYPE.ack : TYPE.offer;
  return "continue";
};
