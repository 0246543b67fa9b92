/** Time comes in from outside, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since some moment, never set back: for durations, limits and time-outs. */
export const monotonicClock: Clock = { now: () => performance.now() };
