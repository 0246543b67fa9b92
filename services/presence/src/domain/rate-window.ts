import type { RateVerdict } from "@frontdesk/kit/sliding-window";

/** Counts a token's requests. */
export interface RateWindows {
  /** `counted` is what the same request was charged already; it is given back with a refusal. */
  consume(tokenId: string, cost: number, counted?: number): RateVerdict | Promise<RateVerdict>;
}
