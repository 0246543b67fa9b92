import { isDeepStrictEqual } from "node:util";
import { isoTimeOrNull } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import { endRun, goOnAs, isRunning } from "./plan-run.ts";
import type { MemberRecord, PlannedRecord } from "./records.ts";
import { definitionOf } from "./status.ts";
import { timeOf } from "./status-end.ts";
import { forgetUndoOf } from "./undo.ts";
import type { Unit } from "./unit.ts";
import { nextMoved, nextOf, zoneOf } from "./weekly-time.ts";
import { clockTimeOf, minuteOf } from "./zoned-time.ts";

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

/** Plans a status, or with an id plans that one anew: what runs of it goes on as it is planned now, or ends. */
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
  // Asked again because the answer was lost, it is planned once.
  const same = earlier ? undefined : kept.find((each) => isSamePlan(each, next));
  if (same) return same;
  if (!earlier && kept.length >= MAX_PLANNED) throw refuse("too_many_planned");
  const planned = earlier ? await replan(unit, member, earlier, next, zone) : next;
  await unit.planned.save(planned);
  unit.audit("planned_status.saved", planned.id, { member: member.id, status: planned.statusKey });
  return planned;
}

const isSamePlan = (one: PlannedRecord, other: PlannedRecord): boolean =>
  isDeepStrictEqual({ ...one, id: other.id, createdAt: other.createdAt }, other);

/** What has begun begins no second time, be it that it goes on or that something else was set since; unless it is moved ahead. */
async function replan(
  unit: Unit,
  found: MemberRecord,
  earlier: PlannedRecord,
  next: PlannedRecord,
  zone: string,
): Promise<PlannedRecord> {
  const member = await goOnAs(unit, found, next, zone);
  await forgetUndoOf(unit, member.id, next.id);
  const runs = isRunning(member, next.id, unit.now);
  if (!runs && next.weekday !== null && next.weekday === earlier.weekday)
    return { ...next, nextAt: nextMoved({ ...next, nextAt: earlier.nextAt }, unit.now, zone) };
  const hasBegun = earlier.nextAt === null || runs;
  const isAhead = next.nextAt !== null && next.nextAt > unit.now;
  return hasBegun && !isAhead ? { ...next, nextAt: null } : next;
}

export async function unplanStatus(unit: Unit, member: MemberRecord, id: string): Promise<void> {
  const planned = await unit.planned.find(id);
  if (planned?.memberId !== member.id) throw refuse("planned_not_found");
  await endRun(unit, member, id);
  await forgetUndoOf(unit, member.id, id);
  await unit.planned.delete(id);
  unit.audit("planned_status.removed", id, { member: member.id });
}

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
