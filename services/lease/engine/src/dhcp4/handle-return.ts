import { CODE } from "@frontdesk/lease-options/option-table";
import { holds } from "../leases/allocate.ts";
import { isActive, STATE } from "../leases/binding.ts";
import { addressOption, requestedAddress } from "./allocation-request.ts";
import { type Decision, type Exchange, silence } from "./exchange.ts";

/** Within an hour, of one device: it could otherwise put a whole pool into quarantine. */
export const MAX_DECLINES = 5;

/** RFC 2131 section 4.3.4: a released address is free, and remembered for its client. */
export function handleRelease(x: Exchange): Decision {
  const address = x.request.ciaddr;
  const binding = x.leases.find(address);
  if (!binding || binding.state !== STATE.bound || !holds(binding, x.identity)) return silence("not-held");
  if (!x.failover.mayGiveBack(address, x.identity)) return silence("peer-may-know");
  if (x.isChurning(x.network)) return silence("release-limit");
  return { outcome: { kind: "released" }, effect: { kind: "release", address } };
}

/** RFC 2131 section 4.3.3: the address is in use by someone unknown; nobody is given it for a while. */
export function handleDecline(x: Exchange): Decision {
  const server = addressOption(x, CODE.serverIdentifier);
  if (server !== undefined && !x.isOurs(server) && server !== x.relay.serverIdOverride) {
    return silence("other-server-chosen");
  }
  const address = requestedAddress(x) ?? 0;
  const binding = x.leases.find(address);
  if (!binding || !isActive(binding.state) || !holds(binding, x.identity)) return silence("not-held");
  const isOffer = binding.state !== STATE.bound;
  if (!isOffer && !x.failover.mayGiveBack(address, x.identity)) return silence("peer-may-know");
  if (x.declinesOf(x.request.chaddr) >= MAX_DECLINES) return silence("decline-limit");
  return {
    outcome: { kind: "declined" },
    effect: { kind: "decline", address, until: x.now + x.config.declineQuarantine },
  };
}
