/** When each counted request came, oldest first; those within the last minute are what counts. */
export type Hits = readonly number[];

export interface RateVerdict {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until something that was counted falls out of the window; 0 when nothing is counted. */
  readonly resetMs: number;
  /** Milliseconds until a request like this one would be allowed. */
  readonly waitMs: number;
}

export interface RatePolicy {
  readonly most: number;
  readonly windowMs: number;
}

/**
 * The sliding window, exactly: at no moment are more than `most` units in the `windowMs` before it.
 * A refused request is not counted.
 */
export function slide(
  hits: Hits,
  policy: RatePolicy,
  now: number,
  cost: number,
): { hits: Hits; verdict: RateVerdict } {
  const live = hits.filter((hit) => hit > now - policy.windowMs);
  const allowed = live.length + cost <= policy.most;
  const kept = allowed ? [...live, ...Array<number>(cost).fill(now)] : live;
  const until = (hit: number | undefined) =>
    hit === undefined ? 0 : Math.max(0, hit + policy.windowMs - now);
  return {
    hits: kept,
    verdict: {
      allowed,
      remaining: policy.most - kept.length,
      resetMs: until(kept[0]),
      waitMs: allowed ? 0 : until(live[live.length + cost - policy.most - 1]),
    },
  };
}
