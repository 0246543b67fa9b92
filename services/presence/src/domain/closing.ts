import { chosenAt, withChosen } from "./chosen.ts";
import type { OrgSettings, StatusRecord } from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import { fallback, showChange } from "./status.ts";
import { kindOf } from "./status-kind.ts";
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

const endingKeys = (vocabulary: readonly StatusDefinition[]): string[] =>
  vocabulary.filter((each) => kindOf(each) !== "out").map(({ key }) => key);

/** What a closing time leaves of a status and of what was chosen. */
export function afterClosing<R extends StatusRecord>(
  vocabulary: readonly StatusDefinition[],
  record: R,
  closedAt: number,
  now: number,
): R {
  const ending = endingKeys(vocabulary);
  const ends = (key: string | null, expiresAt: number | null, setAt: number | null) =>
    key !== null && ending.includes(key) && expiresAt === null && (setAt ?? 0) <= closedAt;
  const chosen = chosenAt(record, now).filter(({ key, expiresAt, setAt }) => !ends(key, expiresAt, setAt));
  const kept = withChosen(record, chosen);
  return ends(kept.statusKey, kept.statusExpiresAt, kept.statusSetAt) ? fallback(kept, closedAt, now) : kept;
}

/** When a zone's clocks showed a minute of the day last. */
function lastDaily(now: number, closingMinute: number, timeZone: string): number {
  let last = nextDaily(now - MAX_CLOSING_AHEAD_MS, closingMinute, timeZone);
  for (let next = last; next <= now; next = nextDaily(next, closingMinute, timeZone)) last = next;
  return last;
}

/** The closing time that was last, be it that nobody has got round to it yet; null: there was none. */
export const lastClosing = ({ nextClosingAt, closedAt }: OrgSettings, now: number): number | null =>
  nextClosingAt !== null && nextClosingAt <= now ? nextClosingAt : closedAt;

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

/** The day of the calendar in a zone, as a number that can be compared with those of other zones. */
function dayOf(instant: number, timeZone: string): number {
  const { year, month, day } = wallTimeOf(instant, timeZone);
  return Date.UTC(year, month - 1, day);
}

/**
 * At the closing time open-ended statuses end, except those of people who are out. Answers whether there may be more:
 * the closing time moves on when all are done.
 */
export async function closeDay(unit: Unit, atOnce: number): Promise<boolean> {
  const settings = await unit.settings();
  const { nextClosingAt, closingMinute, timeZone } = settings;
  if (nextClosingAt === null || nextClosingAt > unit.now) return false;
  const members = await unit.members.openEnded(endingKeys(unit.org.vocabulary), nextClosingAt, atOnce);
  for (const member of members) {
    const next = afterClosing(unit.org.vocabulary, member, nextClosingAt, unit.now);
    // Also where nothing is seen of it: what was set after the closing time must not be found again.
    await showChange(unit, member, next);
  }
  if (members.length === atOnce) return true;
  const next = closingMinute === null ? null : nextDaily(unit.now, closingMinute, timeZone);
  await unit.saveSettings({ ...settings, nextClosingAt: next, closedAt: nextClosingAt });
  return false;
}
