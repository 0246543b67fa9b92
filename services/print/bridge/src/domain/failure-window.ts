import type { Clock } from "@frontdesk/kit/clock";
import { BridgeError } from "./errors.ts";

const MINUTE_MS = 60_000;

/** Counts the wrong tokens of each caller within a minute, and lets nobody try for ever. */
export function createFailureWindow(clock: Clock, most: number) {
  const failures = new Map<string, number[]>();

  function recent(who: string): number[] {
    const since = clock.now() - MINUTE_MS;
    const kept = (failures.get(who) ?? []).filter((at) => at > since);
    if (kept.length === 0) failures.delete(who);
    return kept;
  }

  return {
    assertRoom(who: string): void {
      if (recent(who).length < most) return;
      throw new BridgeError("RATE_LIMITED", "Too many wrong tokens: wait a minute.", {
        retryAfterMs: MINUTE_MS,
      });
    },
    add(who: string): void {
      failures.set(who, [...recent(who), clock.now()]);
    },
  };
}
