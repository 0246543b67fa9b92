import { TYPE } from "@frontdesk/lease-options/option-table";
import type { Exchange } from "./exchange.ts";
import { BROADCAST_FLAG } from "./message.ts";

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const EVERYONE = 0xffffffff;
const ETHERNET = 1;

export interface Destination {
  readonly address: number;
  readonly port: number;
  /** The client does not answer for its address yet: the frame goes straight to its hardware address. */
  readonly hardware: Uint8Array | undefined;
}

/** Where a reply goes (RFC 2131 section 4.1). */
export function destinationOf(x: Exchange): Destination {
  const { request, ingress } = x;
  if (ingress.lab) return { address: ingress.sourceAddress, port: ingress.sourcePort, hardware: undefined };
  if (request.giaddr !== 0) {
    // RFC 8357 section 5.2: a relay that says so gets its reply on the port it sent from.
    const port = x.relay.sourcePort ? ingress.sourcePort : SERVER_PORT;
    return { address: request.giaddr, port, hardware: undefined };
  }
  // RFC 2131 section 4.3.2: a client that gets a NAK may have no working address.
  if (x.replyType === TYPE.nak) return everyone;
  if (request.type === TYPE.inform) {
    return { address: request.ciaddr || ingress.sourceAddress, port: CLIENT_PORT, hardware: undefined };
  }
  if (request.ciaddr !== 0) return { address: request.ciaddr, port: CLIENT_PORT, hardware: undefined };
  const reachable = request.htype === ETHERNET && request.chaddr.length === 6;
  if (request.flags & BROADCAST_FLAG || !reachable) return everyone;
  return { address: x.address, port: CLIENT_PORT, hardware: request.chaddr };
}

const everyone: Destination = { address: EVERYONE, port: CLIENT_PORT, hardware: undefined };
