import type { Clock } from "@frontdesk/kit/clock";
import { createSlidingWindows } from "@frontdesk/kit/sliding-window";
import { BridgeError } from "./errors.ts";

const MINUTE_MS = 60_000;

/** Counts the wrong tokens of each caller, and lets nobody try without end. */
export function createFailureLimit(clock: Clock, max: number) {
  const windows = createSlidingWindows({ max, windowMs: MINUTE_MS }, clock);
  return {
    count(caller: string): void {
      const { allowed, waitMs } = windows.consume(caller, 1);
      if (allowed) return;
      throw new BridgeError("RATE_LIMITED", "Too many wrong tokens: wait a minute.", {
        retryAfterMs: waitMs,
      });
    },
  };
}
