import type { Clock } from "@frontdesk/kit/clock";

/** So many requests a second, and a burst on top after a quiet time. */
export function createTokenBucket(clock: Clock, perSecond: number, burst: number) {
  let tokens = burst;
  let filledAt = clock.now();
  return {
    take(): boolean {
      const now = clock.now();
      // A clock that was set back gives nothing and takes nothing.
      const elapsed = Math.max(0, now - filledAt);
      tokens = Math.min(burst, tokens + (elapsed / 1000) * perSecond);
      filledAt = now;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
    retryAfterMs: () => Math.ceil(((1 - tokens) / perSecond) * 1000),
  };
}
