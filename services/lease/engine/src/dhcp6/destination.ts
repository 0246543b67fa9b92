import type { Ingress6, Outgoing6 } from "../loop/wire.ts";
import type { Packet6 } from "./message.ts";
import { wantsSourcePort } from "./relays.ts";

const CLIENT_PORT = 546;
const SERVER_PORT = 547;

/** Where a reply goes (RFC 9915 section 18.3.10 and 19.3): to whoever sent the packet, a client or a relay. */
export function destinationOf6(packet: Packet6, ingress: Ingress6): Outgoing6["destination"] {
  const { sourceAddress: address, sourcePort, lab } = ingress;
  if (lab) return { address, port: sourcePort };
  if (packet.relays.length === 0) return { address, port: CLIENT_PORT };
  return { address, port: wantsSourcePort(packet) ? sourcePort : SERVER_PORT };
}
