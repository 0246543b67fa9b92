import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import type { Reason } from "../leases/allocate.ts";
import { FOREVER } from "../leases/binding.ts";
import type { Finding, NetworkReason } from "./exchange.ts";
import { type Outcome, REFUSALS, SILENCES } from "./outcomes.ts";

const CHOSEN: Readonly<Record<Reason, string>> = {
  reserved: "reserved for this client",
  held: "it has this address",
  "held-before": "it had this address before",
  requested: "it asked for this address, which is free",
  unused: "an address nobody had yet",
  "longest-free": "the address that has been free the longest",
};

const WANTS = {
  selecting: (ip: string) => `It takes the offer of ${ip}.`,
  rebooting: (ip: string) => `It wants ${ip} back after a restart.`,
  renewing: (ip: string) => `It wants to keep ${ip}.`,
  inform: (ip: string) => `It has the address ${ip} and asks only for options.`,
} as const;

function networkBy(by: NetworkReason, address: string, interfaceName: string): string {
  if (by === "lab") return "the lab listener, which is on the first subnet";
  if (by === "interface") return `the interface ${interfaceName}`;
  if (by === "relay") return `the relay ${address}`;
  if (by === "client-address") return `its address ${address}`;
  return `${by === "link-selection" ? "link" : "subnet"} selection ${address}`;
}

/** A finding as a person reads it. */
export function sentence(finding: Finding): string {
  switch (finding.kind) {
    case "client":
      return `The client is known by its ${finding.by === "identifier" ? "identifier" : "hardware address"} ${formatHex(finding.octets)}.`;
    case "network":
      return `Its network is ${finding.name}, by ${networkBy(finding.by, formatIpv4(finding.address), finding.interfaceName)}.`;
    case "classes":
      return finding.names.length > 0
        ? `It is in the classes ${finding.names.join(", ")}.`
        : "It is in no class.";
    case "reservation":
      return finding.address === undefined
        ? "It has no reservation."
        : `The address ${formatIpv4(finding.address)} is reserved for it.`;
    case "wants":
      return WANTS[finding.state](formatIpv4(finding.address));
    case "choice":
      return `It gets ${formatIpv4(finding.address)}: ${CHOSEN[finding.reason]}.`;
    case "time":
      return timeSentence(finding);
    case "pair":
      return finding.sentence;
    case "outcome":
      return outcomeSentence(finding.outcome);
  }
}

function timeSentence({ seconds, wanted }: Extract<Finding, { kind: "time" }>): string {
  if (seconds === FOREVER) return "It may keep it for ever.";
  if (seconds < 1) return "There is no time for which it may keep it.";
  const bound =
    seconds < wanted ? `, and not for ${secondsText(wanted)}: the peer does not know of it yet` : "";
  return `It may keep it for ${seconds} seconds${bound}.`;
}

const secondsText = (seconds: number) => (seconds === FOREVER ? "ever" : `${seconds}`);

function outcomeSentence(outcome: Outcome): string {
  if (outcome.kind === "silence") return `No reply: ${SILENCES[outcome.reason]}.`;
  if (outcome.kind === "nak") return `It is refused: ${REFUSALS[outcome.reason]}.`;
  if (outcome.kind === "released") return "The address is released.";
  if (outcome.kind === "declined") return "The address is put in quarantine.";
  return `The reply is ${outcome.kind === "offer" ? "an OFFER" : "an ACK"}.`;
}

/** The outcome as a code. */
export const outcomeCode = (outcome: Outcome): string =>
  "reason" in outcome ? outcome.reason : outcome.kind;
