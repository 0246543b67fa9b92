import { createHmac } from "node:crypto";
import { readU32, u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import type { LeaseRecord } from "../leases/lease-record.ts";
import { BOOTREPLY, encodeMessage } from "./message.ts";

const EMPTY = new Uint8Array(0);
const DIGEST = 16;
/** The authentication option stands right after the message type, so its digest is always here. */
const DIGEST_AT = 240 + 3 + 2 + 12;

/** RFC 3203 with the authentication of RFC 6704 section 3.1.4: HMAC-MD5 with the nonce as its key. */
export function forceRenewMessage(
  lease: LeaseRecord,
  server: number,
  replay: number,
  xid: Uint8Array,
): Uint8Array {
  const [RECONFIGURE_KEY, HMAC_MD5, MONOTONIC, DIGEST_TYPE] = [3, 1, 0, 2];
  const authentication = new Uint8Array(12 + DIGEST);
  authentication.set([RECONFIGURE_KEY, HMAC_MD5, MONOTONIC]);
  // Replay detection only ever grows: seconds, then milliseconds.
  writeU32(authentication, 3, Math.floor(replay / 1000));
  writeU32(authentication, 7, 1 + (replay % 1000));
  authentication[11] = DIGEST_TYPE;
  const options: Options = new Map([
    [CODE.messageType, Uint8Array.of(TYPE.forceRenew)],
    [CODE.authentication, authentication],
    [CODE.serverIdentifier, u32Bytes(server)],
  ]);
  if (lease.clientId) options.set(CODE.clientIdentifier, lease.clientId);
  const out = new Uint8Array(576);
  const { length } = encodeMessage(
    {
      op: BOOTREPLY,
      htype: lease.htype,
      hlen: lease.mac.length,
      hops: 0,
      xid: readU32(xid, 0),
      secs: 0,
      flags: 0,
      ciaddr: lease.ip,
      yiaddr: 0,
      siaddr: 0,
      giaddr: 0,
      chaddr: lease.mac,
      sname: EMPTY,
      file: EMPTY,
      options,
      type: TYPE.forceRenew,
    },
    out,
  );
  const message = out.subarray(0, length);
  const digest = createHmac("md5", lease.nonce as Uint8Array)
    .update(message)
    .digest();
  message.set(digest, DIGEST_AT);
  return message;
}
