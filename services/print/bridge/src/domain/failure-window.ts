import type { Clock } from "@frontdesk/kit/clock";
import { BridgeError } from "./errors.ts";

const MINUTE_MS = 60_000;
const MAX_CALLERS = 1_000;

/** Counts the wrong tokens of each caller within a minute, and lets nobody try for ever. */
export function createFailureWindow(clock: Clock, max: number) {
  const failures = new Map<string, number[]>();

  function recent(who: string): number[] {
    const now = clock.now();
    // What lies ahead was counted before the clock was set back: it is forgotten.
    const kept = (failures.get(who) ?? []).filter((at) => at <= now && at > now - MINUTE_MS);
    if (kept.length === 0) failures.delete(who);
    else failures.set(who, kept);
    return kept;
  }

  return {
    assertRoom(who: string): void {
      if (recent(who).length < max) return;
      throw new BridgeError("RATE_LIMITED", "Too many wrong tokens: wait a minute.", {
        retryAfterMs: MINUTE_MS,
      });
    },
    add(who: string): void {
      if (failures.size >= MAX_CALLERS) for (const caller of [...failures.keys()]) recent(caller);
      if (failures.size >= MAX_CALLERS) failures.clear();
      failures.set(who, [...recent(who), clock.now()]);
    },
  };
}
