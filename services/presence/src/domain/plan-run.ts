import { PLAN, sourceOf } from "./actor.ts";
import { chosenAt, fallback, isShown, saysSame, withChosen } from "./chosen.ts";
import type { Chosen, MemberRecord, PlannedRecord } from "./records.ts";
import { currentStatus, expireStatus, showChange } from "./status.ts";
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
  // After a long time off, the last of several is the one that may still run.
  const run = runOf(unit, member, planned, lastWeekly(planned, unit.now, zone) ?? nextAt, zone);
  // A status that ends at the same moment is followed by this one at once.
  if (run) await showChange(unit, member, withRun(member, run, true, unit.now));
}

/** A member with the weekly statuses that would have begun after a moment, had what was set then not been. */
export async function withSkipped(unit: Unit, member: MemberRecord, since: number): Promise<MemberRecord> {
  const zone = await zoneOf(unit, member);
  let next = member;
  for (const planned of await unit.planned.of(member.id)) {
    const begun = lastWeekly(planned, unit.now, zone);
    if (begun === null || begun <= Math.max(since, planned.createdAt)) continue;
    const run = isRunning(next, planned.id, unit.now) ? undefined : runOf(unit, next, planned, begun, zone);
    if (run) next = withRun(next, run, true, unit.now);
  }
  return next;
}

/** Whether a member's status, or what comes back after it, is the run of a planned status. */
export function isRunning(member: MemberRecord, id: string, now: number): boolean {
  const current = currentStatus(member, now);
  return current.statusPlan === id || chosenAt(current, now).some(({ plan }) => plan === id);
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
  const isOnTop = member.statusPlan === id;
  const others = chosenAt(member, unit.now).filter(({ plan }) => plan !== id);
  const kept = withChosen(member, others);
  const without = isOnTop ? fallback(kept, unit.now, unit.now, sourceOf(unit.actor)) : kept;
  const run = next(without);
  return showChange(unit, member, run ? withRun(member, run, isOnTop, unit.now) : without);
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
  if (planned.weekday !== null && isOutUntil(unit, member, end)) return undefined;
  return { planned, end };
}

/** Whether the member is out until a time or longer: on vacation nobody has a day at home. */
function isOutUntil(unit: Unit, member: MemberRecord, time: number): boolean {
  const isOut = (key: string | null, end: number | null) =>
    (end === null || end >= time) &&
    unit.org.vocabulary.some((definition) => definition.key === key && kindOf(definition) === "out");
  return (
    isOut(member.statusKey, member.statusExpiresAt) ||
    chosenAt(member, unit.now).some(({ key, expiresAt }) => isOut(key, expiresAt))
  );
}

/**
 * A member with a run, over what it covers and beneath what was set over it. What somebody has set to the same stays
 * theirs beside it: the run keeps its mark, as it may be planned otherwise again.
 */
function withRun(member: MemberRecord, { planned, end }: Run, isOnTop: boolean, now: number): MemberRecord {
  const { id, statusKey: key, note } = planned;
  const run: Chosen = { key, note, expiresAt: end, setAt: now, plan: id };
  const chosen = chosenAt(member, now);
  const at = chosen.findIndex(({ plan }) => plan === id);
  const before = chosen[at];
  const others = chosen.filter(({ plan }) => plan !== id);
  const isSet = isShown(member, run) && (member.statusPlan === null || member.statusPlan === id);
  const [first] = others;
  const isTheirs = isSet && member.statusPlan === null && first?.plan === null && saysSame(first, run);
  const above = isOnTop ? Number(isTheirs) : at;
  const next = withChosen(member, [
    ...others.slice(0, above),
    before && saysSame(before, run) ? before : run,
    ...comingBack(planned, others.slice(above), end),
  ]);
  if (!isOnTop || isSet) return next;
  return {
    ...next,
    statusKey: key,
    statusExpiresAt: end,
    statusSetAt: now,
    statusSource: sourceOf(PLAN),
    statusNote: note,
    statusBy: null,
    statusPlan: id,
  };
}

/**
 * What comes back after a run: a meeting within a vacation does not end it. What ends earlier comes back where the run
 * is taken away before. What was chosen without an end alone is over with what was planned once.
 */
function comingBack({ weekday }: PlannedRecord, chosen: readonly Chosen[], end: number): Chosen[] {
  const isWithin = chosen.some(({ expiresAt }) => expiresAt !== null && expiresAt > end);
  return chosen.filter(({ expiresAt }) => weekday !== null || expiresAt !== null || isWithin);
}
