import { PLAN, sourceOf } from "./actor.ts";
import type { MemberRecord, PlannedRecord } from "./records.ts";
import { currentStatus, expireStatus, fallback, NOTHING_CHOSEN, ownHolds, showChange } from "./status.ts";
import { kindOf } from "./status-kind.ts";
import type { Unit } from "./unit.ts";
import { endAfter, lastWeekly, nextOf, zoneOf } from "./weekly-time.ts";

/**
 * What a planned status has begun is its run. What is shown and what is chosen each bear the id of the plan whose run
 * they are; whoever sets something else takes that mark away.
 */
interface Run {
  readonly planned: PlannedRecord;
  readonly end: number;
  /** Shown over what the member has chosen, which comes back afterwards. */
  readonly isPassing: boolean;
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
  const run = runOf(unit, member, planned, nextAt, zone);
  // A status that ends at the same moment is followed by this one at once.
  if (run) await showChange(unit, member, withRun(member, run, true, unit.now));
}

/** Whether a member's status, or what comes back after it, is the run of a planned status. */
export function isRunning(member: MemberRecord, id: string, now: number): boolean {
  const current = currentStatus(member, now);
  return current.statusPlan === id || (current.ownPlan === id && ownHolds(current, now));
}

/** Ends the run of a planned status, if there is one. */
export const endRun = (unit: Unit, member: MemberRecord, id: string): Promise<MemberRecord> =>
  replaceRun(unit, member, id);

/**
 * The run of a planned status, if there is one, goes on as it is planned now, or ends: one change to those who see it.
 * What was set over it stays until its own end.
 */
export function goOnAs(
  unit: Unit,
  member: MemberRecord,
  planned: PlannedRecord,
  zone: string,
): Promise<MemberRecord> {
  const begun = planned.startsAt ?? lastWeekly(planned, unit.now, zone);
  return replaceRun(unit, member, planned.id, (without) => runOf(unit, without, planned, begun, zone));
}

async function replaceRun(
  unit: Unit,
  found: MemberRecord,
  id: string,
  next: (without: MemberRecord) => Run | undefined = () => undefined,
): Promise<MemberRecord> {
  if (!isRunning(found, id, unit.now)) return found;
  const member = await expireStatus(unit, found);
  const isShown = member.statusPlan === id;
  const kept = member.ownPlan === id ? { ...member, ...NOTHING_CHOSEN } : member;
  const without = isShown ? fallback(kept, unit.now, unit.now, sourceOf(unit.actor)) : kept;
  const run = next(without);
  return showChange(unit, member, run ? withRun(member, run, isShown, unit.now) : without);
}

/** The run of what has begun; undefined where it has not, is over, or does not begin because the member is out. */
function runOf(
  unit: Unit,
  member: MemberRecord,
  planned: PlannedRecord,
  begun: number | null,
  zone: string,
): Run | undefined {
  if (begun === null || begun > unit.now) return undefined;
  const end = planned.endsAt ?? endAfter(planned, begun, zone);
  if (end <= unit.now) return undefined;
  const isWeekly = planned.weekday !== null;
  if (isWeekly && isOutUntil(unit, member, end)) return undefined;
  // A meeting within a vacation does not end it. What was chosen without an end is over with what was planned once.
  const isPassing = ownHolds(member, end) && (isWeekly || member.ownExpiresAt !== null);
  return { planned, end, isPassing };
}

/** Whether the member is out until a time or longer: on vacation nobody has a day at home. */
function isOutUntil(unit: Unit, member: MemberRecord, time: number): boolean {
  const isOut = (key: string | null, end: number | null) =>
    (end === null || end >= time) &&
    unit.org.vocabulary.some((definition) => definition.key === key && kindOf(definition) === "out");
  const { statusKey, statusExpiresAt, ownKey, ownExpiresAt } = member;
  return isOut(statusKey, statusExpiresAt) || isOut(ownKey, ownExpiresAt);
}

/** A member with a run, which is the member's choice unless it is passing. What is the same already stays as it was set. */
function withRun(member: MemberRecord, run: Run, isShown: boolean, now: number): MemberRecord {
  const { id, statusKey: key, note } = run.planned;
  const { end } = run;
  const isFree = (plan: string | null) => plan === null || plan === id;
  const isShownAlready =
    member.statusKey === key &&
    member.statusExpiresAt === end &&
    member.statusNote === note &&
    isFree(member.statusPlan);
  const isChosenAlready =
    member.ownKey === key && member.ownExpiresAt === end && member.ownNote === note && isFree(member.ownPlan);
  const shown = {
    statusKey: key,
    statusExpiresAt: end,
    statusSetAt: now,
    statusSource: sourceOf(PLAN),
    statusNote: note,
    statusBy: null,
    statusPlan: id,
  };
  const own = { ownKey: key, ownNote: note, ownExpiresAt: end, ownSetAt: now, ownPlan: id };
  return {
    ...member,
    ...(isShown && !isShownAlready ? shown : {}),
    ...(run.isPassing || isChosenAlready ? {} : own),
  };
}
