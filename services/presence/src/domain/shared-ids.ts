import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv, hkdfSync } from "node:crypto";

/** Names for members and TODOs that mean nothing beyond one share link, and lead back to the ids there. */
export interface SharedIds {
  hide(linkId: string, id: string): string;
  /** The id behind a name; undefined where it is none. */
  find(linkId: string, name: string): string | undefined;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BYTES = 16;
const ULID_DIGITS = 26;
const DIGIT_BITS = 5;
const MAX_LINKS = 1_000;

/** A ULID is 128 bits, as a block of AES is: each link has a key of its own, under which every id has one name. */
export function createSharedIds(secret: string): SharedIds {
  const links = new Map<string, { readonly cipher: Cipheriv; readonly decipher: Decipheriv }>();
  const linkOf = (linkId: string) => {
    const known = links.get(linkId);
    if (known) return known;
    const key = Buffer.from(hkdfSync("sha256", secret, linkId, "presence share link ids", BYTES));
    // Block by block without padding, one of each serves for all ids.
    const made = {
      cipher: createCipheriv("aes-128-ecb", key, null).setAutoPadding(false),
      decipher: createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false),
    };
    if (links.size >= MAX_LINKS) links.clear();
    links.set(linkId, made);
    return made;
  };
  return {
    hide: (linkId, id) => linkOf(linkId).cipher.update(bytesOf(id)).toString("base64url"),
    find: (linkId, name) => {
      const hidden = Buffer.from(name, "base64url");
      return hidden.length === BYTES ? ulidOf(linkOf(linkId).decipher.update(hidden)) : undefined;
    },
  };
}

/** 26 digits of five bits are two more than there are: the first digit is at most 7. */
function bytesOf(ulid: string): Buffer {
  const bytes = Buffer.alloc(BYTES);
  let bits = 0;
  let held = 0;
  for (let digit = ULID_DIGITS - 1, byte = BYTES - 1; byte >= 0; digit--) {
    bits |= ALPHABET.indexOf(ulid.charAt(digit)) << held;
    held += DIGIT_BITS;
    if (held < 8) continue;
    bytes[byte--] = bits & 0xff;
    bits >>= 8;
    held -= 8;
  }
  return bytes;
}

function ulidOf(bytes: Buffer): string {
  let ulid = "";
  let bits = 0;
  let held = 0;
  for (let byte = BYTES - 1; ulid.length < ULID_DIGITS; ) {
    if (held < DIGIT_BITS && byte >= 0) {
      bits |= (bytes[byte--] as number) << held;
      held += 8;
    }
    ulid = ALPHABET.charAt(bits & 31) + ulid;
    bits >>= DIGIT_BITS;
    held -= DIGIT_BITS;
  }
  return ulid;
}
