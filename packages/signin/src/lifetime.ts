/** So far apart may the clocks of several copies be. */
const MAX_SKEW_MS = 60_000;

/**
 * Until when an end may lie ahead to be believed. One that is further away was written while the clock was ahead, before
 * it was set: what it stands for would last for years.
 */
export const latestEnd = (now: number, lifetimeMs: number): number => now + lifetimeMs + MAX_SKEW_MS;

/**
 * What ended before this is deleted. Not all that has ended: a clock that is ahead for a moment would take away what is
 * good when it is right again.
 */
export const longAgo = (now: number, lifetimeMs: number): number => now - lifetimeMs;
