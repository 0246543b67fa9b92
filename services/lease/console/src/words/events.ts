import type { LeaseEvent } from "../api.ts";

/** What can happen to a lease, and how it is shown. */
export const EVENTS: Readonly<Record<LeaseEvent["type"], { words: string; color: string }>> = {
  grant: { words: "Granted", color: "pine" },
  renew: { words: "Renewed", color: "gray" },
  release: { words: "Released", color: "gray" },
  expire: { words: "Expired", color: "gray" },
  decline: { words: "Declined", color: "clay" },
  conflict: { words: "Conflict", color: "red" },
  nak: { words: "Refused (NAK)", color: "clay" },
  refusal: { words: "Not answered", color: "clay" },
};

/** Why, in words; the engine's codes are in its outcomes. */
const REASONS: Readonly<Record<string, string>> = {
  "wrong-network": "It asked for an address of another network.",
  "not-offered": "That address was not offered to it.",
  "not-available": "That address is not available.",
  "not-its-address": "That address belongs to another device.",
  "reserved-another": "Another address is reserved for it.",
  "no-free-address": "No free address was left.",
  "untrusted-relay": "It came through a relay that is not trusted.",
  "no-subnet": "No subnet is configured for where it came from.",
  "dhcpv6-off": "DHCPv6 is switched off.",
  "port-limit": "Its port holds as many addresses as one port may.",
  "client-limit": "It got as many new leases within the hour as one device may.",
  "network-limit": "As many new leases began on its network within the hour as may.",
  "decline-limit": "It has declined as many addresses as one device may within an hour.",
  "release-limit": "Too many leases began on its network within the hour for one to be given back early.",
  "not-held": "It gave back an address that it does not hold.",
  "by-hand": "Released by hand.",
  "by-peer": "Decided by the other engine of the pair.",
  "two-clients": "Both engines of the pair gave this address; this device must leave it.",
  yielded: "Given up for the device that it is reserved for.",
  moved: "The device moved to another address.",
};

export const reasonInWords = (reason: string | null): string =>
  reason === null ? "" : (REASONS[reason] ?? `${reason.replaceAll("-", " ")}.`);

export const RENEWALS = { one: "# renewal before", other: "# renewals before" };
