import { TYPE } from "@frontdesk/lease-options/option-table";
import type { Destination } from "../loop/wire.ts";
import { type Exchange, subnetWith } from "./exchange.ts";
import { informAddress } from "./handle-inform.ts";
import { BROADCAST_FLAG } from "./message.ts";

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const ETHERNET = 1;
const everyone: Destination = { address: 0xffffffff, port: CLIENT_PORT, hardware: undefined };

/** Where a reply goes (RFC 2131 section 4.1). */
export function destinationOf(x: Exchange, replyType: number, address: number): Destination {
  const { request, ingress } = x;
  if (ingress.lab) return { address: ingress.sourceAddress, port: ingress.sourcePort, hardware: undefined };
  if (request.giaddr !== 0) {
    // RFC 8357 section 5.2: a relay that says so gets its reply on the port it sent from. Only it can
    // say so: otherwise anyone could have replies sent to any port of a relay.
    const itself = x.relay.sourcePort && ingress.sourceAddress === request.giaddr;
    return {
      address: request.giaddr,
      port: itself ? ingress.sourcePort : SERVER_PORT,
      hardware: undefined,
    };
  }
  // RFC 2131 section 4.3.2: a client that gets a NAK may have no working address.
  if (replyType === TYPE.nak) return everyone;
  // A client that begins has no address yet, and one of another network is not its own, whatever it says: the reply
  // would hit somebody else.
  const client =
    request.type === TYPE.inform ? informAddress(x) : request.type === TYPE.discover ? 0 : request.ciaddr;
  if (client !== 0 && subnetWith(x, client)) {
    return { address: client, port: CLIENT_PORT, hardware: undefined };
  }
  const reachable = request.htype === ETHERNET && request.chaddr.length === 6;
  if (request.flags & BROADCAST_FLAG || !reachable) return everyone;
  return { address, port: CLIENT_PORT, hardware: request.chaddr };
}
