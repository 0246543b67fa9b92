import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import type { Draft, Exchange } from "./exchange.ts";
import { BOOTREPLY, BROADCAST_FLAG, DEFAULT_MESSAGE_SIZE, type Message } from "./message.ts";

/** What fits a frame. */
export const LARGEST_REPLY = 1500;

/** The message that answers a request, out of what the steps have drafted (RFC 2131 section 4.3.1, table 3). */
export function replyMessage({ request }: Exchange, draft: Draft): Message {
  return {
    op: BOOTREPLY,
    htype: request.htype,
    hlen: request.hlen,
    hops: 0,
    xid: request.xid,
    secs: 0,
    // RFC 2131 section 4.3.2: a NAK through a relay is broadcast by it.
    flags: draft.type === TYPE.nak && request.giaddr !== 0 ? request.flags | BROADCAST_FLAG : request.flags,
    ciaddr: draft.type === TYPE.ack ? request.ciaddr : 0,
    yiaddr: draft.yiaddr,
    siaddr: draft.siaddr,
    giaddr: request.giaddr,
    chaddr: request.chaddr,
    sname: draft.sname,
    file: draft.file,
    options: draft.options,
    type: draft.type,
  };
}

/** RFC 2132 section 9.10: how much the client can take, within what fits a frame. */
export function replySize(request: Message): number {
  const asked = request.options.get(CODE.maxMessageSize);
  if (asked?.length !== 2) return DEFAULT_MESSAGE_SIZE;
  const size = ((asked[0] as number) << 8) | (asked[1] as number);
  return Math.max(DEFAULT_MESSAGE_SIZE, Math.min(size, LARGEST_REPLY));
}
