import type { Clock } from "@frontdesk/kit/clock";

/** So many bytes of a request cost as much as a small request: about as long as it takes to judge their commands. */
const BYTES_PER_TOKEN = 64 * 1024;

/** So many requests a second, and a burst on top after a quiet time. A large one counts for several. */
export function createTokenBucket(clock: Clock, perSecond: number, burst: number) {
  let tokens = burst;
  let filledAt = clock.now();
  let missing = 1;
  return {
    take(bytes = 0): boolean {
      // The largest that is allowed can always be sent, after a quiet time.
      const cost = Math.min(burst, 1 + Math.floor(bytes / BYTES_PER_TOKEN));
      missing = cost;
      const now = clock.now();
      // A clock that was set back gives nothing and takes nothing.
      const elapsed = Math.max(0, now - filledAt);
      tokens = Math.min(burst, tokens + (elapsed / 1000) * perSecond);
      filledAt = now;
      if (tokens < cost) return false;
      tokens -= cost;
      return true;
    },
    /** How long until what was refused last could be taken. */
    retryAfterMs: () => Math.max(0, Math.ceil(((missing - tokens) / perSecond) * 1000)),
  };
}
