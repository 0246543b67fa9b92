import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "fdp_";
const SECRET_DIGITS = 32;
const CHECK_DIGITS = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = /^fdp_[0-9A-Za-z]{38}$/;

/**
 * A token: a prefix that secret scanners can find, 32 random characters, and a check over both, so
 * that a typing mistake is told without a look-up.
 */
export function mintToken(random: (size: number) => Uint8Array = randomBytes): string {
  let secret = "";
  while (secret.length < SECRET_DIGITS) {
    // 248 is the largest multiple of 62 in a byte: what is above would favour some characters.
    for (const byte of random(SECRET_DIGITS)) {
      if (byte < 248 && secret.length < SECRET_DIGITS) secret += BASE62[byte % 62];
    }
  }
  return PREFIX + secret + check(PREFIX + secret);
}

export const isToken = (text: string): boolean =>
  SHAPE.test(text) && check(text.slice(0, -CHECK_DIGITS)) === text.slice(-CHECK_DIGITS);

/** What is stored: 190 random bits need no salt and no slow hash. */
export const hashToken = (token: string): string => hash("sha256", token);

function check(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECK_DIGITS; i++, rest = Math.floor(rest / 62)) digits = BASE62[rest % 62] + digits;
  return digits;
}
