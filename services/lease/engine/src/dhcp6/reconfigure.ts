import { createHmac } from "node:crypto";
import { ipv6Bytes, readIpv6, sameBytes, textBytes, writeU32 } from "@frontdesk/lease-options/address";
import { concat } from "@frontdesk/lease-options/option-types";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import type { Lease6Record } from "../leases/lease6-record.ts";
import type { Exchange6 } from "./exchange.ts";
import { decodePacket, encodePacket, MAX_REPLY6, type Packet6, type RelayHop } from "./message.ts";
import { firstOption, type Option6 } from "./options.ts";
import { replyHops } from "./relays.ts";

const KEY_OCTETS = 16;
/** RFC 9915 section 20.4: the reconfigure key authentication protocol, HMAC-MD5, a counter that only grows. */
const [RECONFIGURE_KEY, HMAC_MD5, MONOTONIC] = [3, 1, 0];
const [TYPE_KEY, TYPE_DIGEST] = [1, 2];
const AUTH_HEADER = 12;

/** RFC 9915 section 18.4.1 and 15: how long to wait for the client, twice as long each time, and how often to try. */
export const FIRST_WAIT_MS = 2000;
export const MAX_TRIES = 8;

/** Whether the client takes a RECONFIGURE (RFC 9915 section 21.20). */
export const acceptsReconfigure = ({ request }: Pick<Exchange6, "request">) =>
  firstOption(request.options, CODE6.reconfigureAccept) !== undefined;

/** The key of a client: made from the server's secret, so that all its leases have the same one. */
export const reconfigureKey = (secret: Uint8Array, duid: Uint8Array): Uint8Array =>
  new Uint8Array(
    createHmac("sha256", secret)
      .update(textBytes("reconfigure"))
      .update(duid)
      .digest()
      .subarray(0, KEY_OCTETS),
  );

/** Whether the key that a client was given with a lease is this server's: of a pair, the other may have given it. */
export function hasOwnKey({ part, duid, reconfigureKeyOf }: Exchange6, address: bigint): boolean {
  const key = part.find(address)?.reconfigureKey;
  return key ? sameBytes(key, reconfigureKeyOf(duid)) : false;
}

/** What gives a client its key, once (RFC 9915 section 20.4.1). */
export const keyOptions = (key: Uint8Array, replay: number): Option6[] => [
  { code: CODE6.reconfigureAccept, value: new Uint8Array(0) },
  { code: CODE6.authentication, value: authentication(TYPE_KEY, key, replay) },
];

function authentication(type: number, content: Uint8Array, replay: number): Uint8Array {
  const value = new Uint8Array(AUTH_HEADER + content.length);
  value.set([RECONFIGURE_KEY, HMAC_MD5, MONOTONIC]);
  // Replay detection: seconds, then milliseconds, of a clock that never goes back.
  writeU32(value, 3, Math.floor(replay / 1000));
  writeU32(value, 7, replay % 1000);
  value[AUTH_HEADER - 1] = type;
  value.set(content, AUTH_HEADER);
  return value;
}

/** The way back to a client: the address of the relay next to the server, then what goes around a message. */
export function relayPath({ packet, ingress }: Exchange6): Uint8Array | null {
  if (packet.relays.length === 0) return null;
  const out = new Uint8Array(MAX_REPLY6);
  const empty = { type: 0, xid: 0, options: [] };
  const path = { message: empty, relays: replyHops(packet), relayType: TYPE6.relayReply };
  const { length } = encodePacket(path, out);
  return length === 0 ? null : concat([ipv6Bytes(ingress.sourceAddress), out.subarray(0, length)]);
}

export function readPath(path: Uint8Array | null): { relay: bigint; hops: readonly RelayHop[] } | undefined {
  if (!path) return undefined;
  const packet = decodePacket(path.subarray(16));
  return "malformed" in packet ? undefined : { relay: readIpv6(path, 0), hops: packet.relays };
}

/** Who speaks to the client, and by which message it is to ask again. */
export interface Reconfigurer {
  readonly serverId: Uint8Array;
  readonly asks: typeof TYPE6.renew | typeof TYPE6.rebind;
}

/** RFC 9915 section 18.4.1: tells a client to ask again, through the relays that its last message passed. */
export function reconfigureMessage(
  lease: Pick<Lease6Record, "duid" | "peer" | "relays" | "reconfigureKey">,
  { serverId, asks }: Reconfigurer,
  replay: number,
): { bytes: Uint8Array; address: bigint; isRelayed: boolean } {
  const digest = new Uint8Array(KEY_OCTETS);
  const message = (content: Uint8Array) => ({
    type: TYPE6.reconfigure,
    xid: 0,
    options: [
      { code: CODE6.serverId, value: serverId },
      { code: CODE6.clientId, value: lease.duid },
      { code: CODE6.reconfigureMessage, value: Uint8Array.of(asks) },
      { code: CODE6.authentication, value: authentication(TYPE_DIGEST, content, replay) },
    ],
  });
  const encoded = (packet: Packet6) => {
    const out = new Uint8Array(MAX_REPLY6);
    return out.subarray(0, encodePacket(packet, out).length);
  };
  // RFC 9915 section 20.4.3: the digest is over the message with zeros in its own place, without relays.
  const bare = encoded({ message: message(digest), relays: [], relayType: undefined });
  const signed = message(
    createHmac("md5", lease.reconfigureKey as Uint8Array)
      .update(bare)
      .digest(),
  );
  const path = readPath(lease.relays);
  const relays = path?.hops ?? [];
  const bytes = encoded({ message: signed, relays, relayType: path ? TYPE6.relayReply : undefined });
  return { bytes, address: path?.relay ?? lease.peer, isRelayed: path !== undefined };
}
