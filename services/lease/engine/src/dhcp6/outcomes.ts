import { TYPE6 } from "@frontdesk/lease-options/option6-table";

/** Why a packet gets no reply. */
export const SILENCES6 = {
  "unanswered-type": "a message this server does not answer",
  "sent-to-one": "it was sent to this server's own address, which DHCPv6 clients do not do",
  "no-identity": "the client does not say its DUID",
  "bad-identity": "its DUID is shorter than 3 or longer than 130 octets",
  "server-named": "it names a server where it must name none",
  "no-server-named": "it does not say which server it speaks to",
  "other-server-chosen": "it speaks to another server",
  "addresses-in-information-request": "it asks for options alone and names addresses",
  "malformed-association": "one of its identity associations cannot be read",
  "no-room": "its relays leave no room for an answer in one packet",
  "untrusted-relay": "it came through a relay that this server does not trust",
  "no-subnet": "no subnet is configured for where it came from",
  stateless: "its subnet has no addresses or prefixes to give",
  "nothing-to-confirm": "it names no address to confirm",
  "unknown-client": "no record of this client",
  "registration-off": "it registers an address, and registration is switched off",
  "no-address-named": "it registers no address",
  "options-in-registration": "it registers an address and asks for options",
  "peer-answers": "the peer answers this client, or nobody does at the moment",
  "peer-may-know": "the peer may know of a lease that this server does not",
  "no-time-left": "the peer could not know of the lease, and no time is left that it could be given for",
  "foreign-address":
    "it registers an address that is not its own, or not of its link or a prefix delegated to it",
  "registration-limit": "as many leases and registrations began on its network within the hour as may",
} as const;
export type Silence6 = keyof typeof SILENCES6;

/** Why an IA gets nothing although its client may ask. */
export const REFUSALS6 = {
  "no-free-address": "none is free",
  "port-limit": "its port holds as many as one port may",
  "client-limit": "it got as many new leases within the hour as one client may",
  "network-limit": "as many new leases began on its network, or from where it asks, within the hour as may",
} as const;
export type Refusal6 = keyof typeof REFUSALS6;

/** How an exchange ends. */
export type Outcome6 =
  | { readonly kind: "silence"; readonly reason: Silence6 }
  | { readonly kind: "advertise" | "reply" | "registered" };

export const SILENCE6_COUNTERS = Object.fromEntries(
  Object.keys(SILENCES6).map((reason) => [reason, `drop6_${reason.replaceAll("-", "_")}`]),
) as Record<Silence6, string>;

export const REFUSAL6_COUNTERS = Object.fromEntries(
  Object.keys(REFUSALS6).map((reason) => [reason, `refused6_${reason.replaceAll("-", "_")}`]),
) as Record<Refusal6, string>;

const SENT = { advertise: "sent6_advertise", reply: "sent6_reply", registered: "sent6_addr_reg_reply" };

export const counterOf6 = (outcome: Outcome6): string =>
  outcome.kind === "silence" ? SILENCE6_COUNTERS[outcome.reason] : SENT[outcome.kind];

const RECEIVED: ReadonlyMap<number, string> = new Map([
  [TYPE6.solicit, "received6_solicit"],
  [TYPE6.request, "received6_request"],
  [TYPE6.confirm, "received6_confirm"],
  [TYPE6.renew, "received6_renew"],
  [TYPE6.rebind, "received6_rebind"],
  [TYPE6.release, "received6_release"],
  [TYPE6.decline, "received6_decline"],
  [TYPE6.informationRequest, "received6_information_request"],
  [TYPE6.addrRegInform, "received6_addr_reg_inform"],
]);
const OTHER = "received6_other";
export const receivedCounter = (type: number) => RECEIVED.get(type) ?? OTHER;

/** Everything DHCPv6 counts. */
export const DHCP6_COUNTERS: readonly string[] = [
  ...RECEIVED.values(),
  OTHER,
  ...Object.values(SENT),
  "sent6_reconfigure",
  ...Object.values(SILENCE6_COUNTERS),
  ...Object.values(REFUSAL6_COUNTERS),
];
