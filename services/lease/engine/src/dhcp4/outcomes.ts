/** Why a packet gets no reply. */
export const SILENCES = {
  "not-a-request": "it is not a request",
  "no-identity": "the client names itself neither by hardware address nor by identifier",
  "identifier-too-long": "its identifier is longer than 255 octets",
  "untrusted-relay": "it names a relay that this server does not trust",
  "no-subnet": "no subnet is configured for where it came from",
  "no-free-address": "no free address",
  "being-probed": "it asks for an address that is being probed and was not offered yet",
  "port-limit": "its port holds as many addresses as one port may",
  "other-server-chosen": "it chose another server",
  "no-address-named": "it does not say which address it wants",
  "unknown-client": "no record of this client",
  "not-authoritative": "an address of another network, which this server does not speak for",
  "not-held": "it gives back an address that it does not hold",
  "decline-limit": "it has declined as many addresses as one device may within an hour",
  "release-limit":
    "so many leases began on its network within the hour that none is given back before it ends",
  "bootp-off": "BOOTP is switched off",
  "no-client-address": "it asked for options without an address",
  "foreign-address": "it asks for options with an address that is not of its network",
  "peer-answers": "the peer answers this client, or nobody does at the moment",
  "peer-may-know": "the peer may know of a lease that this server does not",
  "no-time-left": "the peer could not know of the lease, and no time is left that it could be given for",
  "bootp-unreserved": "a pair of servers gives BOOTP clients reserved addresses only",
  "unanswered-type": "a message this server does not answer",
} as const;
export type Silence = keyof typeof SILENCES;

/** Why a REQUEST is refused; the text goes to the client. */
export const REFUSALS = {
  "wrong-network": "on the wrong network",
  "not-offered": "not offered",
  "not-available": "not available",
  "not-its-address": "not its address",
  "reserved-another": "another address is reserved for it",
} as const;
export type Refusal = keyof typeof REFUSALS;

/** How an exchange ends. */
export type Outcome =
  | { readonly kind: "silence"; readonly reason: Silence }
  | { readonly kind: "nak"; readonly reason: Refusal }
  | { readonly kind: "offer" | "ack" | "inform" | "bootp" | "released" | "declined" };

export const SILENCE_COUNTERS = Object.fromEntries(
  Object.keys(SILENCES).map((reason) => [reason, `drop_${reason.replaceAll("-", "_")}`]),
) as Record<Silence, string>;

const SENT = {
  offer: "sent_offer",
  ack: "sent_ack",
  inform: "sent_ack",
  bootp: "sent_bootp",
  nak: "sent_nak",
};

/** The counter that an outcome raises; what was released or declined is counted when it is received. */
export function counterOf(outcome: Outcome): string | undefined {
  if (outcome.kind === "silence") return SILENCE_COUNTERS[outcome.reason];
  return outcome.kind === "released" || outcome.kind === "declined" ? undefined : SENT[outcome.kind];
}

export const RECEIVED: readonly string[] = [
  "received_bootp",
  "received_discover",
  "received_other",
  "received_request",
  "received_decline",
  "received_other",
  "received_other",
  "received_release",
  "received_inform",
];

/** Everything DHCPv4 counts. */
export const DHCP4_COUNTERS: readonly string[] = [
  ...new Set([...RECEIVED, ...Object.values(SENT), ...Object.values(SILENCE_COUNTERS)]),
  "sent_forcerenew",
  "options_left_out",
  "probes",
  "conflicts",
];
