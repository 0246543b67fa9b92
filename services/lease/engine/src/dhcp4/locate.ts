import { type Config, type Subnet, subnetOf } from "@frontdesk/lease-config/config";
import { readU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import type { Ingress } from "../loop/wire.ts";
import type { NetworkReason } from "./exchange.ts";
import type { Message } from "./message.ts";
import type { RelayAgent } from "./relay-agent.ts";

export interface Place {
  readonly subnet: Subnet | undefined;
  readonly by: NetworkReason;
  readonly address: number;
}

/**
 * Whether a relay's word counts: a list names it, or, without a list, its address lies in a
 * configured subnet or in `relay_networks`. Anyone can write a giaddr into a packet.
 */
export function trustsRelay(config: Config, giaddr: number): boolean {
  if (config.relays.includes(giaddr) || config.relaySubnets.has(giaddr)) return true;
  if (config.subnetSelectionRelays.has(giaddr)) return true;
  if (config.relays.length > 0) return false;
  return (
    subnetOf(config, giaddr) !== undefined ||
    config.relayNetworks.some(({ address, mask }) => (giaddr & mask) >>> 0 === address)
  );
}

/**
 * The network that option 118 chooses, where it counts. A relay passes a client's option on as it
 * came, so behind any other relay a client could choose its network itself.
 */
export function subnetSelection(config: Config, { giaddr, options }: Message): Uint8Array | undefined {
  const selection = options.get(CODE.subnetSelection);
  return selection?.length === 4 && config.subnetSelectionRelays.has(giaddr) ? selection : undefined;
}

/** Which link the client is on (RFC 2131 section 4.3.1). */
export function locate(config: Config, request: Message, relay: RelayAgent, ingress: Ingress): Place {
  const place = (address: number, by: NetworkReason): Place => ({
    subnet: subnetOf(config, address),
    by,
    address,
  });
  if (request.giaddr !== 0) {
    // RFC 3527 section 3: the relay's word on the link comes before its own address; RFC 3011 section 3 next.
    if (relay.linkSelection !== undefined) return place(relay.linkSelection, "link-selection");
    const selection = subnetSelection(config, request);
    if (selection) return place(readU32(selection, 0), "subnet-selection");
    const named = config.relaySubnets.get(request.giaddr);
    return named ? { subnet: named, by: "relay", address: request.giaddr } : place(request.giaddr, "relay");
  }
  // A client that renews through a router has no relay to speak for it; what was sent to
  // everyone on a link came from that link.
  if (ingress.unicast && request.ciaddr !== 0 && speaksFromAddress(request.type)) {
    const own = place(request.ciaddr, "client-address");
    if (own.subnet) return own;
  }
  if (ingress.lab) return { subnet: config.subnets[0], by: "lab", address: 0 };
  for (const address of ingress.addresses) {
    const near = place(address, "interface");
    if (near.subnet) return near;
  }
  return { subnet: undefined, by: "interface", address: 0 };
}

const speaksFromAddress = (type: number) =>
  type === TYPE.request || type === TYPE.release || type === TYPE.inform;
