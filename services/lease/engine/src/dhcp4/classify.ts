import type { FieldName, Subject } from "@frontdesk/lease-config/class-expression";
import type { ClassRule } from "@frontdesk/lease-config/config";
import { textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { Message } from "./message.ts";
import type { RelayAgent } from "./relay-agent.ts";

interface Seen {
  readonly request: Message;
  readonly relay: RelayAgent;
  readonly giaddr: number;
  readonly interfaceName: string;
}

const READ: Readonly<Record<FieldName, (seen: Seen) => Uint8Array | undefined>> = {
  mac: ({ request }) => request.chaddr,
  duid: () => undefined,
  vendor_class: ({ request }) => request.options.get(CODE.vendorClass),
  user_class: ({ request }) => request.options.get(CODE.userClass),
  host_name: ({ request }) => request.options.get(CODE.hostName),
  circuit_id: ({ relay }) => relay.circuitId,
  interface_id: () => undefined,
  remote_id: ({ relay }) => relay.remoteId,
  giaddr: ({ giaddr }) => u32Bytes(giaddr),
  interface: ({ interfaceName }) => textBytes(interfaceName),
};

const NONE: readonly ClassRule[] = [];

/** Which classes the client is in, in the order of the configuration. */
export function classify(rules: readonly ClassRule[], seen: Seen): readonly ClassRule[] {
  if (rules.length === 0) return NONE;
  const subject: Subject = {
    // Whatever a client itself writes into option 82, only a relay's word counts.
    option: (code) => (code === CODE.relayAgent ? seen.relay.octets : seen.request.options.get(code)),
    option6: () => undefined,
    field: (name) => READ[name](seen),
  };
  return rules.filter((rule) => rule.matches(subject));
}
