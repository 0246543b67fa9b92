/** Time comes in from outside, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since some moment, never set back: for durations, limits and time-outs. */
export const monotonicClock: Clock = { now: () => performance.now() };

/**
 * The time since the epoch, as the wall clock had it at the start, going on steadily: setting the clock
 * does not move it. For what must last as long as was said and outlives the process.
 */
export function steadyClock(wall: Clock, monotonic: Clock): Clock {
  const offset = wall.now() - monotonic.now();
  return { now: () => offset + monotonic.now() };
}
