import type { Clock } from "./clock.ts";

export interface RateVerdict {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until something that was counted falls out of the window; 0 when nothing is counted. */
  readonly resetMs: number;
  /** Milliseconds until a request like this one would be allowed. */
  readonly waitMs: number;
}

export interface RatePolicy {
  readonly max: number;
  readonly windowMs: number;
}

/** Callers whose requests are counted at the same time; beyond them the one that was heard of first is forgotten. */
const MAX_CALLERS = 10_000;

/** Counts the requests of each caller, in memory. */
export function createSlidingWindows(policy: RatePolicy, clock: Clock) {
  const windows = new Map<string, number[]>();

  function makeRoom(now: number): void {
    for (const [caller, hits] of windows)
      if ((hits.at(-1) ?? 0) <= now - policy.windowMs) windows.delete(caller);
    const [first] = windows.keys();
    if (windows.size >= MAX_CALLERS && first !== undefined) windows.delete(first);
  }

  return {
    /** `counted` is what the same request was charged already; it is given back with a refusal. */
    consume(caller: string, cost: number, counted?: number): RateVerdict {
      const now = clock.now();
      let hits = windows.get(caller);
      if (!hits) {
        if (windows.size >= MAX_CALLERS) makeRoom(now);
        hits = [];
        windows.set(caller, hits);
      }
      return slide(hits, policy, now, cost, counted);
    },
  };
}

/**
 * The sliding window, exactly: at no moment are more than `max` units in the `windowMs` before it.
 * A refused request is not counted, and what was counted for it before is given back. The hits are
 * brought up to date in place.
 */
export function slide(
  hits: number[],
  policy: RatePolicy,
  now: number,
  cost: number,
  counted = 0,
): RateVerdict {
  forgetTheFuture(hits, policy, now);
  const live = hits.findIndex((hit) => hit > now - policy.windowMs);
  if (live !== 0) hits.splice(0, live === -1 ? hits.length : live);
  const allowed = hits.length + cost <= policy.max;
  if (allowed) for (let i = 0; i < cost; i++) hits.push(now);
  else if (counted > 0) hits.splice(-counted);
  const whole = cost + counted;
  const until = (hit: number | undefined) =>
    hit === undefined ? 0 : Math.max(0, hit + policy.windowMs - now);
  return {
    allowed,
    remaining: policy.max - hits.length,
    resetMs: until(hits[0]),
    waitMs: allowed ? 0 : until(hits[hits.length + whole - policy.max - 1]),
  };
}

/**
 * A clock that is set back leaves hits ahead of it. Another copy's clock may be a little ahead, so a hit
 * within the window counts as now; one beyond it is no longer believed.
 */
function forgetTheFuture(hits: number[], { windowMs }: RatePolicy, now: number): void {
  if ((hits.at(-1) ?? 0) <= now) return;
  const believed = hits.findIndex((hit) => hit > now + windowMs);
  if (believed !== -1) hits.length = believed;
  for (let i = hits.length - 1; i >= 0 && (hits[i] as number) > now; i--) hits[i] = now;
}
