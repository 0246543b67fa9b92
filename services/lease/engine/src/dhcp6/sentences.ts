import { formatHex, formatIpv6 } from "@frontdesk/lease-options/address";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import type { Reason } from "../leases/allocate.ts";
import { FOREVER } from "../leases/binding.ts";
import type { Finding6, NetworkReason6 } from "./exchange.ts";
import { type Outcome6, REFUSALS6, SILENCES6 } from "./outcomes.ts";

const CHOSEN: Readonly<Record<Reason, string>> = {
  reserved: "reserved for this client",
  held: "it has it",
  "held-before": "it had it before",
  requested: "it asked for it, and it is free",
  unused: "nobody had it yet",
  "longest-free": "it has been free the longest",
};

function networkBy(by: NetworkReason6, address: string, interfaceName: string): string {
  if (by === "lab") return "the lab listener, which is on the first subnet";
  if (by === "interface") return `the interface ${interfaceName}`;
  if (by === "relay") return `the link ${address} that a relay names`;
  return "the Interface-Id of a relay";
}

/** An address, or a prefix with its length. */
export const leaseText = ({ address, length }: { readonly address: bigint; readonly length: number }) =>
  length < 128 ? `${formatIpv6(address)}/${length}` : formatIpv6(address);

/** A finding as a person reads it. */
export function sentence6(finding: Finding6): string {
  switch (finding.kind) {
    case "client":
      return `The client is known by its DUID ${formatHex(finding.duid)}.`;
    case "network":
      return `Its network is ${finding.name}, by ${networkBy(finding.by, formatIpv6(finding.address), finding.interfaceName)}.`;
    case "classes":
      return finding.names.length > 0
        ? `It is in the classes ${finding.names.join(", ")}.`
        : "It is in no class.";
    case "reservation": {
      const { ip, prefix } = finding.reservation ?? {};
      const kept = [ip === undefined ? [] : formatIpv6(ip), prefix ? leaseText(prefix) : []].flat();
      return kept.length > 0 ? `Reserved for it: ${kept.join(", ")}.` : "It has no reservation.";
    }
    case "choice": {
      const { seconds, wanted } = finding;
      const time = seconds === FOREVER ? "for ever" : `for ${seconds} seconds`;
      const without = wanted === FOREVER ? "ever" : `${wanted}`;
      const bound = seconds < wanted ? ` It is not for ${without}: the peer does not know of it yet.` : "";
      return `It gets ${leaseText(finding)} ${time}: ${CHOSEN[finding.reason]}.${bound}`;
    }
    case "pair":
      return finding.sentence;
    case "none":
      return `It gets no ${finding.type === CODE6.iaPd ? "prefix" : "address"}: ${REFUSALS6[finding.reason]}.`;
    case "outcome":
      return outcomeSentence(finding.outcome);
  }
}

function outcomeSentence(outcome: Outcome6): string {
  if (outcome.kind === "silence") return `No reply: ${SILENCES6[outcome.reason]}.`;
  return outcome.kind === "advertise" ? "The reply is an ADVERTISE." : "The reply is a REPLY.";
}

/** The outcome as a code. */
export const outcomeCode6 = (outcome: Outcome6): string =>
  outcome.kind === "silence" ? outcome.reason : outcome.kind;
