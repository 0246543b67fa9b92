import type { MemberRecord, PlannedRecord } from "./records.ts";
import type { NextWeeklyTime, Unit, WeeklyTime } from "./unit.ts";
import { addDays, instantOf, wallTimeOf, weekdayOf } from "./zoned-time.ts";

/** Longer than any weekly status lasts, and than the clocks of any two zones are apart. */
export const MAX_WEEKLY_MS = 27 * 3_600_000;
/** Longer than from any weekly status to the next. */
export const MAX_WEEKLY_AHEAD_MS = 15 * 24 * 3_600_000;

/** The zone on whose clocks a member's weekly statuses begin and end. */
export const zoneOf = async (unit: Unit, member: MemberRecord): Promise<string> =>
  member.timeZone ?? (await unit.settings()).timeZone;

/** When it begins after a moment: never again for what is planned once. */
export function nextOf(planned: WeeklyTime, after: number, zone: string): number | null {
  const { weekday, startMinute } = planned;
  if (weekday === null || startMinute === null) return null;
  // From yesterday on: clocks that jump may bring its last minutes into today.
  const yesterday = addDays(wallTimeOf(after, zone), -1);
  const days = (weekday - weekdayOf(yesterday) + 7) % 7;
  // The second where the first has passed; the third where clocks that jump leave no room for it.
  for (const weeks of [0, 7, 14]) {
    const instant = instantOf(addDays(yesterday, days + weeks), startMinute, zone);
    if (instant > after) return instant;
  }
  return null;
}

/** When the weekly status that may run now has begun; null: none may. */
export function lastWeekly(planned: WeeklyTime, now: number, zone: string): number | null {
  const begun = nextOf(planned, now - MAX_WEEKLY_MS, zone);
  return begun !== null && begun <= now ? begun : null;
}

/** When it begins next after it, or its clock, was moved: now, where it was to begin today and that time is past already. */
export function nextMoved(planned: NextWeeklyTime, now: number, zone: string): number | null {
  const begun = lastWeekly(planned, now, zone);
  const isMissed = begun !== null && planned.nextAt !== null && planned.nextAt - begun < MAX_WEEKLY_MS;
  return isMissed ? begun : nextOf(planned, now, zone);
}

/**
 * When what has begun ends: on the same day, or on the next where its end is before its start. Where the clocks have
 * skipped its start, and with it perhaps its end, it lasts as long as ever.
 */
export function endAfter(planned: PlannedRecord, begun: number, zone: string): number {
  const { weekday, startMinute, endMinute } = planned;
  const [start, last] = [startMinute ?? 0, endMinute ?? 0];
  const shown = wallTimeOf(begun, zone);
  const before = addDays(shown, -1);
  // The clocks may have skipped from its start into the next day.
  const day = weekdayOf(before) === weekday ? before : shown;
  const end = instantOf(last <= start ? addDays(day, 1) : day, last, zone);
  return end > begun ? end : begun + ((last - start + 1_440) % 1_440) * 60_000;
}
