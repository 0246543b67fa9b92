const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const JITTER = 0.1;

/** How long after each failed attempt the next one comes. After the last, the delivery has failed. */
export const RETRY_MS: readonly number[] = [
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** A webhook that has done nothing but fail for so long is disabled. */
export const DISABLE_AFTER_MS = 5 * DAY;

/**
 * When to try again after the attempt at `step` failed, or null when that was the last. `random` is
 * from 0 to 1 and moves the time by up to a tenth, so that a thousand failures do not return as one.
 * A receiver that asks for more time gets it, up to the longest wait of the schedule.
 */
export function nextAttempt(
  schedule: readonly number[],
  step: number,
  now: number,
  random: number,
  retryAfterMs: number | undefined,
): number | null {
  const wait = schedule[step];
  if (wait === undefined) return null;
  const scheduled = Math.round(wait * (1 - JITTER + 2 * JITTER * random));
  const asked = Math.min(retryAfterMs ?? 0, Math.max(...schedule));
  return now + Math.max(scheduled, asked);
}

/**
 * Since when a webhook fails without a break, or null. Where nothing was tried for longer than the
 * longest wait between two attempts, nothing is known of the time between. A moment that is still to
 * come was written by a clock that was ahead: what is known begins now.
 */
export function failsStill(
  failingSince: number | null,
  lastAttemptAt: number | null,
  now: number,
  schedule: readonly number[],
): number | null {
  const longestWait = Math.max(DAY, ...schedule) * (1 + JITTER) + HOUR;
  if (failingSince === null || (lastAttemptAt !== null && now - lastAttemptAt > longestWait)) return null;
  return Math.min(failingSince, now);
}

/** Retry-After: seconds, or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}
