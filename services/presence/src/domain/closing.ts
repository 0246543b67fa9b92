import { afterClosing, dueClosing, endingKeys } from "./after-closing.ts";
import type { OrgSettings } from "./records.ts";
import { showChange } from "./status.ts";
import type { Unit } from "./unit.ts";
import { nextDaily, wallTimeOf } from "./zoned-time.ts";

/** Longer than from any closing time to the next. */
export const MAX_CLOSING_AHEAD_MS = 2 * 24 * 3_600_000;

/** A closing time that was found by a clock that was ahead becomes the next one. */
export async function mendClosing(unit: Unit): Promise<void> {
  const settings = await unit.settings();
  const { nextClosingAt, closingMinute, timeZone } = settings;
  if (nextClosingAt === null || closingMinute === null) return;
  const next = nextDaily(unit.now, closingMinute, timeZone);
  if (nextClosingAt > next) await unit.saveSettings({ ...settings, nextClosingAt: next });
}

/** When a zone's clocks showed a minute of the day last. */
function lastDaily(now: number, closingMinute: number, timeZone: string): number {
  let last = nextDaily(now - MAX_CLOSING_AHEAD_MS, closingMinute, timeZone);
  for (let next = last; next <= now; next = nextDaily(next, closingMinute, timeZone)) last = next;
  return last;
}

/**
 * When the day of an organisation ends next, once its closing time or its zone is another. What is due already stays so;
 * where the end of today was still to come, and is past by the new time, the day ends at once.
 */
export function nextClosing(
  { nextClosingAt: before, timeZone: zoneBefore }: OrgSettings,
  closingMinute: number | null,
  timeZone: string,
  now: number,
): number | null {
  if (closingMinute === null) return null;
  if (before === null) return nextDaily(now, closingMinute, timeZone);
  if (before <= now) return before;
  const last = lastDaily(now, closingMinute, timeZone);
  const hasPassed = dayOf(last, timeZone) >= dayOf(before, zoneBefore);
  return hasPassed ? last : nextDaily(now, closingMinute, timeZone);
}

const NOON = 12 * 60;

/**
 * The day that a closing time ends in a zone, as a number that can be compared with those of other zones. One in the
 * morning ends the day before.
 */
function dayOf(closing: number, timeZone: string): number {
  const { year, month, day, minute } = wallTimeOf(closing, timeZone);
  return Date.UTC(year, month - 1, minute < NOON ? day - 1 : day);
}

/**
 * At the closing time open-ended statuses end, except those of people who are out. Answers whether there may be more:
 * the closing time moves on when all are done.
 */
export async function closeDay(unit: Unit, atOnce: number): Promise<boolean> {
  const settings = await unit.settings();
  const { closingMinute, timeZone } = settings;
  const closedAt = dueClosing(settings, unit.now);
  if (closedAt === null) return false;
  const members = await unit.members.openEnded(endingKeys(unit.org.vocabulary), closedAt, unit.now, atOnce);
  for (const member of members) {
    const next = afterClosing(unit.org.vocabulary, member, closedAt, unit.now);
    // Also where nothing is seen of it: what was set after the closing time must not be found again.
    await showChange(unit, member, next);
  }
  if (members.length === atOnce) return true;
  const next = closingMinute === null ? null : nextDaily(unit.now, closingMinute, timeZone);
  await unit.saveSettings({ ...settings, nextClosingAt: next, closedAt });
  return false;
}
