import { chosenAt, withChosen } from "./chosen.ts";
import type { OrgSettings, StatusRecord } from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import { fallback, showChange } from "./status.ts";
import { kindOf } from "./status-kind.ts";
import type { Unit } from "./unit.ts";
import { nextDaily } from "./zoned-time.ts";

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

/** The closing time that was last, or null where there is none. */
export function lastClosing(
  { closingMinute, timeZone }: Pick<OrgSettings, "closingMinute" | "timeZone">,
  now: number,
): number | null {
  if (closingMinute === null) return null;
  let last = nextDaily(now - MAX_CLOSING_AHEAD_MS, closingMinute, timeZone);
  for (let next = last; next <= now; next = nextDaily(next, closingMinute, timeZone)) last = next;
  return last;
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
  await unit.saveSettings({ ...settings, nextClosingAt: next });
  return false;
}
