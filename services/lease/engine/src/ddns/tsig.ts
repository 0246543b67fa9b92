import { createHmac, timingSafeEqual } from "node:crypto";
import { RCODES, type Rcode, type Reply, skipName, tsigRecord, u16, withAdditional } from "./dns-message.ts";
import { nameOctets } from "./domain-name.ts";

export interface TsigKey {
  /** Canonical. */
  readonly name: string;
  readonly algorithm: "hmac-sha256" | "hmac-sha512";
  readonly secret: Uint8Array;
}

/** Seconds by which the clocks may differ (RFC 8945 section 10). */
const FUDGE = 300;
const CLASS_ANY_TTL_0 = Buffer.from([0, 255, 0, 0, 0, 0]);
const HASH = { "hmac-sha256": "sha256", "hmac-sha512": "sha512" } as const;

export interface Signed {
  readonly message: Uint8Array;
  readonly mac: Uint8Array;
}

/** Signs a message (RFC 8945 section 4.3); `now` in seconds. */
export function sign(message: Uint8Array, key: TsigKey, now: number): Signed {
  const mac = macOf(key, [message, variables(key, now, 0, Buffer.alloc(0))]);
  const id = message.subarray(0, 2);
  const head = Buffer.concat([nameOctets(key.algorithm), time(now), u16(FUDGE), u16(mac.length), mac]);
  const data = Buffer.concat([head, id, u16(0), u16(0)]);
  return { message: withAdditional(message, tsigRecord(key.name, data)), mac };
}

/** Why an answer is not taken for the server's: it has no signature, a wrong one, or one of another time. */
export type Untrusted = "unsigned" | "forged" | "outdated";

export type Verified =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: Rcode | Untrusted; readonly serverTime?: number };

/** Whether a reply is from who has the key, and to what was asked (RFC 8945 section 5.3); `now` in seconds. */
export function verify(reply: Reply, key: TsigKey, mac: Uint8Array, now: number): Verified {
  if (!reply.tsig) return { ok: false, error: "unsigned" };
  try {
    return verifyRecord(reply.tsig, key, mac, now);
  } catch (error) {
    // A record that is cut short.
    if (error instanceof RangeError) return { ok: false, error: "forged" };
    throw error;
  }
}

function verifyRecord(
  { before, data }: NonNullable<Reply["tsig"]>,
  key: TsigKey,
  mac: Uint8Array,
  now: number,
): Verified {
  const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const at = skipName(view, 0);
  const signedAt = view.readUIntBE(at, 6);
  const macLength = view.readUInt16BE(at + 8);
  const theirs = view.subarray(at + 10, at + 10 + macLength);
  const after = at + 10 + macLength;
  const error = RCODES[view.readUInt16BE(after + 2) as keyof typeof RCODES];
  const other = view.subarray(after + 6, after + 6 + view.readUInt16BE(after + 4));
  // A server that does not know the key, or finds the signature wrong, cannot sign.
  if (macLength === 0)
    return { ok: false, error: error === "BADKEY" || error === "BADSIG" ? error : "forged" };
  const original = Buffer.from(before);
  view.copy(original, 0, after, after + 2);
  const fudge = view.readUInt16BE(at + 6);
  const said = variables(key, signedAt, view.readUInt16BE(after + 2), other, fudge);
  const ours = macOf(key, [u16(mac.length), mac, original, said]);
  if (theirs.length !== ours.length || !timingSafeEqual(theirs, ours)) return { ok: false, error: "forged" };
  if (error === "BADTIME")
    return { ok: false, error, serverTime: other.length === 6 ? other.readUIntBE(0, 6) : signedAt };
  // RFC 8945 section 5.2.3.
  if (Math.abs(signedAt - now) > FUDGE) return { ok: false, error: "outdated" };
  return error === "NOERROR" ? { ok: true } : { ok: false, error: error ?? "forged" };
}

function macOf(key: TsigKey, parts: readonly Uint8Array[]): Buffer {
  const hmac = createHmac(HASH[key.algorithm], key.secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** RFC 8945 section 4.3.3. */
function variables(key: TsigKey, at: number, error: number, other: Uint8Array, fudge = FUDGE): Buffer {
  return Buffer.concat([
    nameOctets(key.name),
    CLASS_ANY_TTL_0,
    nameOctets(key.algorithm),
    time(at),
    u16(fudge),
    u16(error),
    u16(other.length),
    other,
  ]);
}

function time(seconds: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(seconds, 0, 6);
  return bytes;
}
