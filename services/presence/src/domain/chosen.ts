import { isDeepStrictEqual } from "node:util";
import { PLAN, sourceOf } from "./actor.ts";
import { type Chosen, OWN_FIELDS, type StatusRecord } from "./records.ts";

/** More than people have over each other. Of more, the lowest are forgotten, but for the last. */
const MAX_PASSING = 10;

export const NOTHING_CHOSEN = {
  ownKey: null,
  ownNote: null,
  ownExpiresAt: null,
  ownSetAt: null,
  ownPlan: null,
  passing: null,
} as const;

/** Whether a choice holds at a moment. */
export const holds = ({ expiresAt }: Chosen, at: number): boolean => expiresAt === null || expiresAt > at;

/**
 * What a member has chosen, or what was planned, as far as it holds at a moment: each lies over those behind it. The
 * first comes back when what is shown ends. What has no end is the last.
 */
export function chosenAt(record: StatusRecord, at: number): Chosen[] {
  const { ownKey, ownNote, ownExpiresAt, ownSetAt, ownPlan, passing } = record;
  const own = { note: ownNote, expiresAt: ownExpiresAt, setAt: ownSetAt, plan: ownPlan };
  const all = [...(passing ?? []), ...(ownKey === null ? [] : [{ key: ownKey, ...own }])];
  return all.filter((each) => holds(each, at));
}

/** A member with other choices. */
export function withChosen<R extends StatusRecord>(record: R, chosen: readonly Chosen[]): R {
  const own = chosen.at(-1);
  if (!own) return { ...record, ...NOTHING_CHOSEN };
  const passing = chosen.slice(0, -1).slice(0, MAX_PASSING);
  return {
    ...record,
    ownKey: own.key,
    ownNote: own.note,
    ownExpiresAt: own.expiresAt,
    ownSetAt: own.setAt,
    ownPlan: own.plan,
    passing: passing.length === 0 ? null : passing,
  };
}

export const isSameChosen = (one: StatusRecord, other: StatusRecord): boolean =>
  OWN_FIELDS.every((field) => isDeepStrictEqual(one[field], other[field]));

/** Whether two choices, be they of a plan or not, say the same. */
export const saysSame = (one: Chosen, other: Chosen): boolean =>
  one.key === other.key && one.note === other.note && one.expiresAt === other.expiresAt;

/** Whether a choice says what is shown. */
export const isShown = (record: StatusRecord, { key, note, expiresAt }: Chosen): boolean =>
  key === record.statusKey && note === record.statusNote && expiresAt === record.statusExpiresAt;

/** What is shown once a status has ended at a time. `source`: by what, where nothing that was chosen comes back. */
export function fallback<R extends StatusRecord>(
  record: R,
  endedAt: number | null,
  now: number,
  source = "expiry",
): R {
  const [next] = chosenAt(record, now);
  return next
    ? {
        ...record,
        statusKey: next.key,
        statusExpiresAt: next.expiresAt,
        statusSetAt: next.setAt,
        statusSource: next.plan === null ? "app" : sourceOf(PLAN),
        statusNote: next.note,
        statusBy: null,
        statusPlan: next.plan,
      }
    : {
        ...record,
        statusKey: null,
        statusExpiresAt: null,
        statusSetAt: endedAt,
        statusSource: source,
        statusNote: null,
        statusBy: null,
        statusPlan: null,
      };
}
