import { ipv6Bytes, sameBytes } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { STATE } from "../leases/binding.ts";
import type { Registrant } from "../leases/registration-budget.ts";
import { isOnLink } from "./allocation-request.ts";
import { type Decision6, type Exchange6, newcomerOf, silence6 } from "./exchange.ts";
import { type IaLease, readIaAddress } from "./ia.ts";
import { firstOption } from "./options.ts";

/**
 * RFC 9686 section 4.2: a client tells of an address that it made itself. It must send from that address, which must be
 * of its link or of a prefix that is delegated to it; the history then tells who has it, and no lease is made.
 */
export function handleRegistration(x: Exchange6): Decision6 {
  if (!x.v6.addressRegistration) return silence6("registration-off");
  const { options } = x.request;
  if (firstOption(options, CODE6.optionRequest)) return silence6("options-in-registration");
  const option = firstOption(options, CODE6.iaAddress);
  const lease = option && readIaAddress(option);
  if (!option || !lease) return silence6("no-address-named");
  const sender = x.relay.peer ?? x.ingress.sourceAddress;
  if (sender !== lease.address || !mayHave(x, lease)) return silence6("foreign-address");
  const registrant = registrantOf(x, lease);
  if (!x.registrations.allows(registrant)) return silence6("registration-limit");
  x.registrations.spend(registrant);
  x.effects.register(x, lease);
  const echo = [{ code: CODE6.iaAddress, value: option }];
  return { outcome: { kind: "registered" }, type: TYPE6.addrRegReply, echo };
}

function mayHave(x: Exchange6, lease: IaLease): boolean {
  const { address } = lease;
  const prefixes = x.overlaps.prefixesAround(address, x.part.leases, x.now);
  // What is delegated, or kept for it, is not of the link, though it may lie in the subnet.
  if (prefixes.length > 0) return prefixes.some((prefix) => clientOf(x, prefix) === "this");
  return isOnLink(x, lease) && !x.ingress.addresses.includes(address) && clientOf(x, address) !== "another";
}

/** Whose lease begins at an address. */
function clientOf(x: Exchange6, address: bigint): "this" | "another" | undefined {
  const lease = x.part.find(address);
  if (lease?.state !== STATE.bound) return undefined;
  return sameBytes(lease.duid, x.duid) ? "this" : "another";
}

const registrantOf = (x: Exchange6, { address }: IaLease): Registrant => ({
  ...newcomerOf(x),
  // It sends from the address that it made, not from the one that it has for good on its link.
  sender: undefined,
  client: x.hashOf(x.duid),
  registration: x.hashOf(Uint8Array.of(...x.duid, ...ipv6Bytes(address))),
});
