import { chosenAt, fallback, withChosen } from "./chosen.ts";
import type { OrgSettings, StatusRecord } from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import { kindOf } from "./status-kind.ts";

/** The statuses that a closing time ends, where they have no end. */
export const endingKeys = (vocabulary: readonly StatusDefinition[]): string[] =>
  vocabulary.filter((each) => kindOf(each) !== "out").map(({ key }) => key);

/** What a closing time leaves of a status and of what was chosen. What is set later than now was set by a clock that was ahead. */
export function afterClosing<R extends StatusRecord>(
  vocabulary: readonly StatusDefinition[],
  record: R,
  closedAt: number,
  now: number,
): R {
  const ending = endingKeys(vocabulary);
  const wasSet = (setAt: number) => setAt <= closedAt || setAt > now;
  const ends = (key: string | null, expiresAt: number | null, setAt: number | null) =>
    key !== null && ending.includes(key) && expiresAt === null && wasSet(setAt ?? 0);
  const chosen = chosenAt(record, now).filter(({ key, expiresAt, setAt }) => !ends(key, expiresAt, setAt));
  const kept = withChosen(record, chosen);
  return ends(kept.statusKey, kept.statusExpiresAt, kept.statusSetAt) ? fallback(kept, closedAt, now) : kept;
}

/** The closing time that is past, and that nobody has got round to yet; null: there is none. */
export const dueClosing = ({ nextClosingAt }: OrgSettings, now: number): number | null =>
  nextClosingAt !== null && nextClosingAt <= now ? nextClosingAt : null;

/**
 * The closing time that was last, be it that nobody has got round to it yet; null: there was none. One that is still to
 * come was found by a clock that was ahead.
 */
export function lastClosing(settings: OrgSettings, now: number): number | null {
  const { closedAt } = settings;
  return dueClosing(settings, now) ?? (closedAt !== null && closedAt <= now ? closedAt : null);
}

/** The key of what comes back when what is shown ends by itself; null: the default, or it does not end. */
export function keyAfterwards(
  vocabulary: readonly StatusDefinition[],
  record: StatusRecord,
  settings: OrgSettings,
): string | null {
  const end = record.statusExpiresAt;
  if (end === null) return null;
  const closedAt = dueClosing(settings, end);
  const kept = closedAt === null ? record : afterClosing(vocabulary, record, closedAt, end);
  return chosenAt(kept, end)[0]?.key ?? null;
}
