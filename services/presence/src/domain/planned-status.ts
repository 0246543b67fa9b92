import { sourceOf } from "./actor.ts";
import { isoTimeOrNull } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import type { MemberRecord, PlannedRecord } from "./records.ts";
import {
  chooseBeneath,
  definitionOf,
  fallback,
  forgetOwn,
  ownHolds,
  type StatusRequest,
  setStatus,
  showChange,
} from "./status.ts";
import { timeOf } from "./status-end.ts";
import { kindOf } from "./status-kind.ts";
import type { Unit, WeeklyTime } from "./unit.ts";
import { addDays, clockTimeOf, instantOf, minuteOf, wallTimeOf } from "./zoned-time.ts";

export const MAX_PLANNED = 50;
const MAX_AHEAD_MS = 3 * 366 * 24 * 3_600_000;

export type PlanRequest = { readonly status: string; readonly note?: string | null } & (
  | { readonly repeats: "never"; readonly from: string; readonly to: string }
  | { readonly repeats: "weekly"; readonly weekday: number; readonly start: string; readonly end: string }
);

export const plannedView = (planned: PlannedRecord) => ({
  id: planned.id,
  status: planned.statusKey,
  note: planned.note,
  repeats: planned.weekday === null ? ("never" as const) : ("weekly" as const),
  from: isoTimeOrNull(planned.startsAt),
  to: isoTimeOrNull(planned.endsAt),
  weekday: planned.weekday,
  start: planned.startMinute === null ? null : clockTimeOf(planned.startMinute),
  end: planned.endMinute === null ? null : clockTimeOf(planned.endMinute),
  nextAt: isoTimeOrNull(planned.nextAt),
});

/** Plans a status, or with an id plans that one anew: what runs of it ends, or goes on as it is planned now. */
export async function planStatus(
  unit: Unit,
  member: MemberRecord,
  wanted: PlanRequest,
  id?: string,
): Promise<PlannedRecord> {
  definitionOf(unit, wanted.status);
  await unit.planned.deleteEnded(member.id, unit.now);
  const kept = await unit.planned.of(member.id);
  const earlier = kept.find((each) => each.id === id);
  if (id !== undefined && !earlier) throw refuse("planned_not_found");
  if (id === undefined && kept.length >= MAX_PLANNED) throw refuse("too_many_planned");
  const zone = await zoneOf(unit, member);
  const common = {
    id: id ?? unit.newId(),
    memberId: member.id,
    statusKey: wanted.status,
    note: wanted.note?.trim() || null,
    createdAt: earlier?.createdAt ?? unit.now,
  };
  const next =
    wanted.repeats === "never" ? onceOf(common, wanted, unit.now) : weeklyOf(common, wanted, unit.now, zone);
  const goesOn = earlier !== undefined && (await endRun(unit, member, earlier, zone, next));
  const planned = goesOn ? { ...next, nextAt: nextOf(next, unit.now, zone) } : next;
  await unit.planned.save(planned);
  unit.audit("planned_status.saved", planned.id, { member: member.id, status: planned.statusKey });
  return planned;
}

export async function unplanStatus(unit: Unit, member: MemberRecord, id: string): Promise<void> {
  const planned = await unit.planned.find(id);
  if (planned?.memberId !== member.id) throw refuse("planned_not_found");
  await endRun(unit, member, planned, await zoneOf(unit, member));
  await unit.planned.delete(id);
  unit.audit("planned_status.removed", id, { member: member.id });
}

/**
 * Ends what a planned status has begun, unless something else was set since. Answers whether it goes on as it is planned
 * now: both together are one change to those who see it.
 */
async function endRun(
  unit: Unit,
  member: MemberRecord,
  planned: PlannedRecord,
  zone: string,
  now?: PlannedRecord,
): Promise<boolean> {
  const begun = lastBegin(planned, unit.now, zone);
  if (begun === null || (planned.weekday !== null && planned.createdAt > begun)) return false;
  const end = planned.endsAt ?? endAfter(planned, begun, zone);
  if (end <= unit.now) return false;
  const isRun = (key: string | null, note: string | null, expiresAt: number | null, setAt: number | null) =>
    key === planned.statusKey && note === planned.note && expiresAt === end && (setAt ?? 0) >= begun;
  const isChosen = isRun(member.ownKey, member.ownNote, member.ownExpiresAt, member.ownSetAt);
  const isShown =
    isRun(member.statusKey, member.statusNote, member.statusExpiresAt, member.statusSetAt) &&
    (member.statusSource === "plan" || member.statusSource === "app") &&
    member.statusBy === null;
  if (!isChosen && !isShown) return false;
  const shown = isChosen ? await forgetOwn(unit, member) : member;
  const without = isShown ? fallback(shown, unit.now, unit.now, sourceOf(unit.actor)) : shown;
  const begunNow = now ? lastBegin(now, unit.now, zone) : null;
  const next = now && begunNow !== null ? requestOf(unit, without, now, begunNow, zone) : undefined;
  // What was set above the run stays until its own end: what comes back after it is what is planned now.
  const isCovered = !isShown && (member.statusExpiresAt === null || member.statusExpiresAt > unit.now);
  if (next && isCovered) await chooseBeneath(unit, shown, next);
  else if (next) await setStatus(unit, shown, next);
  else await showChange(unit, shown, without);
  return next !== undefined;
}

/** Longer than any weekly status lasts. */
const MAX_WEEKLY_MS = 26 * 3_600_000;

/** When what may run now has begun; null: it has not. */
function lastBegin(planned: PlannedRecord, now: number, zone: string): number | null {
  const begun = planned.startsAt ?? nextOf(planned, now - MAX_WEEKLY_MS, zone);
  return begun !== null && begun <= now ? begun : null;
}

/** Begins what is due: each once, and nothing that is over already. */
export async function beginPlanned(unit: Unit, planned: PlannedRecord): Promise<void> {
  const { nextAt } = planned;
  if (nextAt === null || nextAt > unit.now) return;
  const member = await unit.members.byId(planned.memberId);
  if (!member) return;
  const zone = await zoneOf(unit, member);
  // Before the status: what fails here would be tried for ever.
  await unit.planned.save({ ...planned, nextAt: nextOf(planned, unit.now, zone) });
  const request = requestOf(unit, member, planned, nextAt, zone);
  if (request) await setStatus(unit, member, request);
}

/** What a planned status that has begun sets; undefined where it is over, or does not begin because the member is out. */
function requestOf(
  unit: Unit,
  member: MemberRecord,
  planned: PlannedRecord,
  begun: number,
  zone: string,
): StatusRequest | undefined {
  const end = planned.endsAt ?? endAfter(planned, begun, zone);
  if (end <= unit.now) return undefined;
  const isWeekly = planned.weekday !== null;
  if (isWeekly && isOutUntil(unit, member, end)) return undefined;
  // A meeting within a vacation does not end it. What was chosen without an end is over with what was planned once.
  const isWithin = ownHolds(member, end) && (isWeekly || member.ownExpiresAt !== null);
  return { status: planned.statusKey, expiresAt: end, note: planned.note, passing: isWithin };
}

/** Longer than from any weekly status to the next. */
export const MAX_WEEKLY_AHEAD_MS = 15 * 24 * 3_600_000;

/** Weekly statuses after a time, whose next time may have been found by a clock that was ahead, get the one that is right. */
export async function mendWeekly(unit: Unit, after: number, atOnce: number): Promise<void> {
  for (const planned of await unit.planned.weeklyAfter(after, atOnce)) {
    const member = await unit.members.byId(planned.memberId);
    if (!member) continue;
    const nextAt = nextOf(planned, unit.now, await zoneOf(unit, member));
    if (nextAt !== planned.nextAt) await unit.planned.save({ ...planned, nextAt });
  }
}

/** Whether the member is out until a time or longer: on vacation nobody has a day at home. */
function isOutUntil(unit: Unit, member: MemberRecord, time: number): boolean {
  const isOut = (key: string | null, end: number | null) =>
    (end === null || end >= time) &&
    unit.org.vocabulary.some((definition) => definition.key === key && kindOf(definition) === "out");
  const { statusKey, statusExpiresAt, ownKey, ownExpiresAt } = member;
  return isOut(statusKey, statusExpiresAt) || isOut(ownKey, ownExpiresAt);
}

/** Weekly statuses follow the clocks of the zone that the member is in now. */
export async function moveToZone(unit: Unit, member: MemberRecord): Promise<void> {
  const zone = await zoneOf(unit, member);
  for (const planned of await unit.planned.of(member.id)) {
    if (planned.weekday !== null)
      await unit.planned.save({ ...planned, nextAt: nextOf(planned, unit.now, zone) });
  }
}

/** The same for members without a zone of their own: many have their day at the same time, so each time is written once. */
export async function moveToOrgZone(unit: Unit, zone: string): Promise<void> {
  for (const time of await unit.planned.weeklyTimesInOrgZone())
    await unit.planned.moveInOrgZone(time, nextOf(time, unit.now, zone));
}

export const zoneOf = async (unit: Unit, member: MemberRecord): Promise<string> =>
  member.timeZone ?? (await unit.settings()).timeZone;

type Common = Pick<PlannedRecord, "id" | "memberId" | "statusKey" | "note" | "createdAt">;

function onceOf(common: Common, wanted: { from: string; to: string }, now: number): PlannedRecord {
  const startsAt = timeOf(wanted.from, "from");
  const endsAt = timeOf(wanted.to, "to");
  if (endsAt <= startsAt) throw refuse("invalid", "A planned status ends after it begins.");
  if (endsAt <= now) throw refuse("expiry_in_past", "A planned status ends in the future.");
  if (endsAt - now > MAX_AHEAD_MS) throw refuse("invalid", "A status is planned at most three years ahead.");
  return { ...common, startsAt, endsAt, weekday: null, startMinute: null, endMinute: null, nextAt: startsAt };
}

function weeklyOf(
  common: Common,
  wanted: { weekday: number; start: string; end: string },
  now: number,
  zone: string,
): PlannedRecord {
  const startMinute = minuteOf(wanted.start);
  const endMinute = minuteOf(wanted.end);
  if (startMinute === endMinute) throw refuse("invalid", "A planned status ends after it begins.");
  const planned = {
    ...common,
    startsAt: null,
    endsAt: null,
    weekday: wanted.weekday,
    startMinute,
    endMinute,
    nextAt: null,
  };
  return { ...planned, nextAt: nextOf(planned, now, zone) };
}

/** When it begins after a moment: never again for what is planned once. */
export function nextOf(planned: WeeklyTime, after: number, zone: string): number | null {
  const { weekday, startMinute } = planned;
  if (weekday === null || startMinute === null) return null;
  const today = wallTimeOf(after, zone);
  const days = (weekday - today.weekday + 7) % 7;
  // The second where the first has passed; the third where clocks that jump leave no room for it.
  for (const weeks of [0, 7, 14]) {
    const instant = instantOf(addDays(today, days + weeks), startMinute, zone);
    if (instant > after) return instant;
  }
  return null;
}

/**
 * When what has begun ends: on the same day, or on the next where its end is before its start. Where the clocks have
 * skipped its start, and with it perhaps its end, it lasts as long as ever.
 */
export function endAfter(planned: PlannedRecord, begun: number, zone: string): number {
  const { startMinute, endMinute } = planned;
  const [start, last] = [startMinute ?? 0, endMinute ?? 0];
  const day = wallTimeOf(begun, zone);
  const end = instantOf(last <= start ? addDays(day, 1) : day, last, zone);
  return end > begun ? end : begun + (last - start) * 60_000;
}
