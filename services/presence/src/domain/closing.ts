import { changeStatusView, fallback, NOTHING_CHOSEN, show } from "./status.ts";
import { kindOf } from "./status-kind.ts";
import type { Unit } from "./unit.ts";
import { nextDaily } from "./zoned-time.ts";

/** Longer than from any closing time to the next. */
export const MAX_CLOSING_AHEAD_MS = 2 * 24 * 3_600_000;

/** A closing time that was found by a clock that was ahead becomes the next one. */
export async function mendClosing(unit: Unit): Promise<void> {
  const settings = await unit.settings();
  const { nextClosingAt, closingMinute, timeZone } = settings;
  if (nextClosingAt === null || closingMinute === null || nextClosingAt <= unit.now + MAX_CLOSING_AHEAD_MS)
    return;
  await unit.saveSettings({ ...settings, nextClosingAt: nextDaily(unit.now, closingMinute, timeZone) });
}

/**
 * At the closing time open-ended statuses end, except those of people who are out. Answers whether there may be more:
 * the closing time moves on when all are done.
 */
export async function closeDay(unit: Unit, atOnce: number): Promise<boolean> {
  const settings = await unit.settings();
  const { nextClosingAt, closingMinute, timeZone } = settings;
  if (nextClosingAt === null || nextClosingAt > unit.now) return false;
  const ending = unit.org.vocabulary.filter((each) => kindOf(each) !== "out").map(({ key }) => key);
  const members = await unit.members.openEnded(ending, nextClosingAt, atOnce);
  for (const member of members) {
    const ends = (key: string | null, expiresAt: number | null, setAt: number | null) =>
      key !== null && ending.includes(key) && expiresAt === null && (setAt ?? 0) <= nextClosingAt;
    const withoutOwn = ends(member.ownKey, member.ownExpiresAt, member.ownSetAt)
      ? { ...member, ...NOTHING_CHOSEN }
      : member;
    if (withoutOwn !== member) await unit.members.saveOwn(member.id, withoutOwn);
    if (!ends(member.statusKey, member.statusExpiresAt, member.statusSetAt)) continue;
    const next = fallback(withoutOwn, nextClosingAt, unit.now);
    const isSeen =
      changeStatusView(unit, next).status !== changeStatusView(unit, member).status ||
      member.statusNote !== null;
    if (isSeen) await show(unit, member, next);
    else await unit.members.saveStatus(member.id, next);
  }
  if (members.length === atOnce) return true;
  const next = closingMinute === null ? null : nextDaily(unit.now, closingMinute, timeZone);
  await unit.saveSettings({ ...settings, nextClosingAt: next });
  return false;
}
