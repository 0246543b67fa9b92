import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

/** Names for members and TODOs that mean nothing beyond one share link, and lead back to the ids there. */
export interface SharedIds {
  hide(linkId: string, id: string): string;
  /** The id behind a name; undefined where it is none. */
  find(linkId: string, name: string): string | undefined;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BYTES = 16;
const ULID_DIGITS = 26;
const MAX_KEYS = 1_000;

/** A ULID is 128 bits, as a block of AES is: each link has a key of its own, under which every id has one name. */
export function createSharedIds(secret: string): SharedIds {
  const keys = new Map<string, Buffer>();
  const keyOf = (linkId: string): Buffer => {
    const known = keys.get(linkId);
    if (known) return known;
    const key = Buffer.from(hkdfSync("sha256", secret, linkId, "presence share link ids", BYTES));
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(linkId, key);
    return key;
  };
  return {
    hide: (linkId, id) => {
      const cipher = createCipheriv("aes-128-ecb", keyOf(linkId), null).setAutoPadding(false);
      return Buffer.concat([cipher.update(bytesOf(id)), cipher.final()]).toString("base64url");
    },
    find: (linkId, name) => {
      const hidden = Buffer.from(name, "base64url");
      if (hidden.length !== BYTES) return undefined;
      const decipher = createDecipheriv("aes-128-ecb", keyOf(linkId), null).setAutoPadding(false);
      return ulidOf(Buffer.concat([decipher.update(hidden), decipher.final()]));
    },
  };
}

function bytesOf(ulid: string): Buffer {
  let value = 0n;
  for (const digit of ulid) value = value * 32n + BigInt(ALPHABET.indexOf(digit));
  return Buffer.from(value.toString(16).padStart(2 * BYTES, "0"), "hex");
}

function ulidOf(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let ulid = "";
  for (let i = 0; i < ULID_DIGITS; i++, value /= 32n) ulid = ALPHABET[Number(value % 32n)] + ulid;
  return ulid;
}
