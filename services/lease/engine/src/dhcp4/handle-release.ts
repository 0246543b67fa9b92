import { TYPE } from "@frontdesk/lease-options/option-table";
import { STATE } from "../leases/lease-table.ts";
import { drop, type Step } from "./exchange.ts";

/** RFC 2131 section 4.3.4: a released address is free, and remembered for its client. */
export const handleRelease: Step = (x) => {
  if (x.request.type !== TYPE.release) return "continue";
  const address = x.request.ciaddr;
  const slot = x.leases.find(address);
  if (slot === undefined || x.leases.state(slot) !== STATE.bound || !x.leases.holds(slot, x.identity)) {
    return drop(x, "it released an address that it does not hold");
  }
  x.change = { kind: "release", address };
  return drop(x, "released");
};
