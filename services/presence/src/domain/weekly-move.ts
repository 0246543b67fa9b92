import type { MemberRecord } from "./records.ts";
import type { Unit } from "./unit.ts";
import { nextOf, zoneOf } from "./weekly-time.ts";

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

/** Weekly statuses after a time, whose next time may have been found by a clock that was ahead, get the one that is right. */
export async function mendWeekly(unit: Unit, after: number, atOnce: number): Promise<void> {
  for (const planned of await unit.planned.weeklyAfter(after, atOnce)) {
    const member = await unit.members.byId(planned.memberId);
    if (!member) continue;
    const nextAt = nextOf(planned, unit.now, await zoneOf(unit, member));
    if (nextAt !== planned.nextAt) await unit.planned.save({ ...planned, nextAt });
  }
}
