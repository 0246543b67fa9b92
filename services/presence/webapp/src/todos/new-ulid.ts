const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** A ULID: when it was made, and chance. */
export function newUlid(): string {
  let time = "";
  for (let rest = Date.now(); time.length < TIME_DIGITS; rest = Math.floor(rest / 32))
    time = DIGITS.charAt(rest % 32) + time;
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS));
  return time + Array.from(random, (byte) => DIGITS.charAt(byte % 32)).join("");
}
