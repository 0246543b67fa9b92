import { clockTime, duration, nearDate } from "@frontdesk/ui";
import { t } from "../words/board.ts";

const DAY_MS = 86_400_000;
/** A countdown is shown for what ends within this time. */
const MAX_COUNTDOWN_MS = 12 * 3_600_000;

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const dayOf = (time: number) => new Date(time).setHours(0, 0, 0, 0);

/** When it ends, in the reader's zone: `17:00`, `tomorrow 09:00`, `Mon 09:00`, `3 May 09:00`, `3 May 2027 09:00`. */
export function endTime(end: string, now: number): string {
  const at = Date.parse(end);
  const clock = clockTime(at);
  // Rounded: a day has 23 or 25 hours when the clocks change.
  const days = Math.round((dayOf(at) - dayOf(now)) / DAY_MS);
  if (days <= 0) return clock;
  if (days === 1) return t.tomorrowAt(clock);
  if (days < 7) return `${weekday.format(at)} ${clock}`;
  return `${nearDate(at, now)} ${clock}`;
}

export const untilWords = (end: string, now: number): string => t.until(endTime(end, now));

/** How long it still lasts, by the minute; undefined where that is far away or over. */
export function timeLeft(end: string, now: number): string | undefined {
  const left = Date.parse(end) - now;
  if (left <= 0 || left > MAX_COUNTDOWN_MS) return undefined;
  return t.left(duration(Math.max(1, Math.ceil(left / 60_000)) * 60_000));
}
