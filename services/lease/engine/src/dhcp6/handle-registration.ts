import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { isOnLink } from "./allocation-request.ts";
import { type Decision6, type Exchange6, newcomerOf, silence6 } from "./exchange.ts";
import { readIaAddress } from "./ia.ts";
import { firstOption } from "./options.ts";

/**
 * RFC 9686 section 4.2: a client tells of an address that it made itself. It must send from that address, which must be
 * of its link; the history then tells who has it, and no lease is made.
 */
export function handleRegistration(x: Exchange6): Decision6 {
  if (!x.v6.addressRegistration) return silence6("registration-off");
  const option = firstOption(x.request.options, CODE6.iaAddress);
  const lease = option && readIaAddress(option);
  if (!option || !lease) return silence6("no-address-named");
  const sender = x.relay.peer ?? x.ingress.sourceAddress;
  if (sender !== lease.address || !isOnLink(x, lease)) return silence6("foreign-address");
  if (!x.newLeases.allows(registrantOf(x))) return silence6("registration-limit");
  x.newLeases.spend(registrantOf(x));
  x.effects.register(x, lease);
  const echo = [{ code: CODE6.iaAddress, value: option }];
  return { outcome: { kind: "registered" }, type: TYPE6.addrRegReply, echo };
}

/** It sends from the address that it made, not from the one that it has for good on its link. */
const registrantOf = (x: Exchange6) => ({ ...newcomerOf(x), sender: undefined });
