import { randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** Identifiers that sort by the time they were made; within one millisecond each is greater than the last. */
export function ulids(clock: Clock, random: (size: number) => Uint8Array = randomBytes): Ids {
  let lastTime = -1;
  let timeText = "";
  let digits = new Uint8Array(RANDOM_DIGITS);
  return {
    next: () => {
      const now = clock.now();
      if (now > lastTime) {
        lastTime = now;
        timeText = encodeTime(now);
        digits = Uint8Array.from(random(RANDOM_DIGITS), (byte) => byte & 31);
      } else {
        increment(digits);
      }
      let text = timeText;
      for (let i = 0; i < RANDOM_DIGITS; i++) text += ALPHABET[digits[i] as number];
      return text;
    },
  };
}

function encodeTime(time: number): string {
  let text = "";
  for (let rest = time, i = 0; i < TIME_DIGITS; i++, rest = Math.floor(rest / 32)) {
    text = ALPHABET[rest % 32] + text;
  }
  return text;
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    digits[i] = ((digits[i] as number) + 1) % 32;
    if (digits[i] !== 0) return;
  }
}
