import { type Config6, type Subnet6, subnetOf6 } from "@frontdesk/lease-config/config6";
import { interfaceIdKey } from "@frontdesk/lease-config/identifiers";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import type { Ingress6 } from "../loop/wire.ts";
import type { NetworkReason6 } from "./exchange.ts";
import type { Packet6, RelayHop } from "./message.ts";
import { firstOption } from "./options.ts";

export interface Place6 {
  readonly subnet: Subnet6 | undefined;
  readonly by: NetworkReason6;
  readonly address: bigint;
}

const isLinkLocal = (address: bigint) => address >> 118n === 0x3fan;

/** Whether a relay's word counts. Without a list, any does: the link it names must be one of the configuration's. */
export const trustsRelay6 = ({ relays }: Config6, { sourceAddress, lab }: Ingress6) =>
  relays.size === 0 || lab || relays.has(sourceAddress);

/**
 * Which link the client is on (RFC 9915 section 13.1): the relay next to the client that names one says it. A relay
 * that works below the network layer names none (RFC 6221), and the next one is asked.
 */
export function locate6(config: Config6, packet: Packet6, ingress: Ingress6): Place6 {
  for (const hop of packet.relays.toReversed()) {
    if (hop.link === 0n) continue;
    const subnet = isLinkLocal(hop.link) ? undefined : byLink(config, hop.link);
    if (subnet) return { subnet, by: "relay", address: hop.link };
    return { subnet: byInterfaceId(config, hop), by: "interface-id", address: hop.link };
  }
  for (const hop of packet.relays.toReversed()) {
    const subnet = byInterfaceId(config, hop);
    if (subnet) return { subnet, by: "interface-id", address: 0n };
  }
  return onInterface(config, ingress);
}

const byLink = (config: Config6, link: bigint) => config.relaySubnets.get(link) ?? subnetOf6(config, link);

/** A relay may know its links by a number alone: its link-address is then of the link itself. */
function byInterfaceId(config: Config6, { options }: RelayHop): Subnet6 | undefined {
  const interfaceId = firstOption(options, CODE6.interfaceId);
  return interfaceId && config.interfaceIdSubnets.get(interfaceIdKey(interfaceId));
}

function onInterface(config: Config6, ingress: Ingress6): Place6 {
  if (ingress.lab) return { subnet: config.subnets[0], by: "lab", address: 0n };
  const named = config.interfaceSubnets.get(ingress.interfaceName);
  if (named) return { subnet: named, by: "interface", address: 0n };
  for (const address of ingress.addresses) {
    const subnet = subnetOf6(config, address);
    if (subnet) return { subnet, by: "interface", address };
  }
  return { subnet: undefined, by: "interface", address: 0n };
}
