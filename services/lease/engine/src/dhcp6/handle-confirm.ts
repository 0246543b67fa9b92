import { CODE6, STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { isOnLink } from "./allocation-request.ts";
import { type Decision6, type Exchange6, silence6 } from "./exchange.ts";

/** RFC 9915 section 18.3.3: whether the addresses are right for the link; no more, and no lease is looked at. */
export function handleConfirm(x: Exchange6): Decision6 {
  const addresses = x.ias.filter(({ type }) => type === CODE6.iaNa).flatMap(({ leases }) => leases);
  if (addresses.length === 0) return silence6("nothing-to-confirm");
  const isRight = addresses.every((lease) => isOnLink(x, lease));
  const status = isRight
    ? { code: STATUS6.success, text: "all addresses are of this link" }
    : { code: STATUS6.notOnLink, text: "an address is not of this link" };
  return { outcome: { kind: "reply" }, type: TYPE6.reply, status };
}

/** RFC 9915 section 18.3.6: options for a client that needs no lease. */
export const handleInformation = (): Decision6 => ({ outcome: { kind: "reply" }, type: TYPE6.reply });
