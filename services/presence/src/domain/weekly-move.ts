import { goOnAs } from "./plan-run.ts";
import type { MemberRecord } from "./records.ts";
import { forgetUndoOf } from "./undo.ts";
import type { Unit } from "./unit.ts";
import { nextMoved, nextOf, zoneOf } from "./weekly-time.ts";

/** Weekly statuses, also those that run, follow the clocks of the zone that the member is in now. */
export async function moveToZone(unit: Unit, found: MemberRecord): Promise<MemberRecord> {
  const zone = await zoneOf(unit, found);
  let member = found;
  for (const planned of await unit.planned.of(member.id)) {
    if (planned.weekday === null) continue;
    member = await goOnAs(unit, member, planned, zone);
    await forgetUndoOf(unit, member.id, planned.id);
    await unit.planned.save({ ...planned, nextAt: nextMoved(planned, unit.now, zone) });
  }
  return member;
}

/** The same for members without a zone of their own: many have their day at the same time, so each time is written once. */
export async function moveToOrgZone(unit: Unit, zone: string): Promise<void> {
  for (const time of await unit.planned.weeklyTimesInOrgZone())
    await unit.planned.moveInOrgZone(time, nextMoved(time, unit.now, zone));
  for (const planned of await unit.planned.runningInOrgZone()) {
    const member = await unit.members.byId(planned.memberId);
    if (!member) continue;
    await goOnAs(unit, member, planned, zone);
    await forgetUndoOf(unit, member.id, planned.id);
  }
}

/** Weekly statuses after a time, whose next time may have been found by a clock that was ahead, get the one that is right. */
export async function mendWeekly(unit: Unit, after: number, atOnce: number): Promise<void> {
  for (const planned of await unit.planned.weeklyAfter(after, atOnce)) {
    const member = await unit.members.byId(planned.memberId);
    if (!member) continue;
    const nextAt = nextOf(planned, unit.now, await zoneOf(unit, member));
    if (nextAt !== planned.nextAt) await unit.planned.save({ ...planned, nextAt });
  }
}
