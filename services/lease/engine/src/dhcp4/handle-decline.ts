import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { STATE } from "../leases/lease-table.ts";
import { drop, type Step } from "./exchange.ts";
import { addressOption, requestedAddress } from "./wish.ts";

/** RFC 2131 section 4.3.3: the address is in use by someone unknown; nobody is given it for a while. */
export const handleDecline: Step = (x) => {
  if (x.request.type !== TYPE.decline) return "continue";
  const server = addressOption(x, CODE.serverIdentifier);
  if (server !== undefined && !x.isOurs(server) && server !== x.relay.serverIdOverride) {
    return drop(x, "it declined the address of another server");
  }
  const address = requestedAddress(x);
  const slot = x.leases.find(address);
  const held = slot !== undefined && x.leases.holds(slot, x.identity);
  const state = slot === undefined ? STATE.none : x.leases.state(slot);
  if (!held || (state !== STATE.bound && state !== STATE.offered)) {
    return drop(x, "it declined an address that it does not hold");
  }
  x.change = { kind: "decline", address, until: x.now + x.config.declineQuarantine };
  return drop(x, "declined");
};
