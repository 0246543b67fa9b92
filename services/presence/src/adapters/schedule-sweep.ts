import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import { EXPIRY, PLAN } from "../domain/actor.ts";
import { closeDay, MAX_CLOSING_AHEAD_MS, mendClosing } from "../domain/closing.ts";
import { beginPlanned, MAX_WEEKLY_AHEAD_MS, mendWeekly } from "../domain/planned-status.ts";
import type { Desk } from "../domain/unit.ts";
import type { Tables } from "./tables.ts";

const AT_ONCE = 50;

/** Begins planned statuses and ends the day of organisations. Several copies may sweep at once: each happens once. */
export function createScheduleSweep(store: Store<Tables>, desk: Desk, clock: Clock) {
  const begin = async (): Promise<void> => {
    while (await beginSome());
  };
  return {
    /** A portion of what is due; answers whether there may be more. */
    beginSome,
    sweep: async (): Promise<void> => {
      await mend();
      await begin();
      while (await closeSome());
    },
  };

  /** A machine whose clock was ahead for a moment, before it was set, has times that do not come for years. */
  async function mend(): Promise<void> {
    const now = clock.now();
    const weekly = await store.read
      .selectFrom("planned_statuses")
      .select("org_id as id")
      .distinct()
      .where("next_at", ">", now + MAX_WEEKLY_AHEAD_MS)
      .where("weekday", "is not", null)
      .limit(AT_ONCE)
      .execute();
    const closing = await store.read
      .selectFrom("orgs")
      .select("id")
      .where("next_closing_at", ">", now + MAX_CLOSING_AHEAD_MS)
      .limit(AT_ONCE)
      .execute();
    for (const id of new Set([...weekly, ...closing].map((org) => org.id))) {
      await desk.change(id, PLAN, async (unit) => {
        await mendWeekly(unit, AT_ONCE);
        await mendClosing(unit);
      });
    }
  }

  async function beginSome(): Promise<boolean> {
    const orgs = await store.read
      .selectFrom("planned_statuses")
      .select("org_id")
      .distinct()
      .where("next_at", "<=", clock.now())
      .limit(AT_ONCE)
      .execute();
    for (const { org_id } of orgs) {
      await desk.change(org_id, PLAN, async (unit) => {
        for (const planned of await unit.planned.due(unit.now, AT_ONCE)) await beginPlanned(unit, planned);
      });
    }
    return orgs.length > 0;
  }

  async function closeSome(): Promise<boolean> {
    const orgs = await store.read
      .selectFrom("orgs")
      .select("id")
      .where("next_closing_at", "<=", clock.now())
      .limit(AT_ONCE)
      .execute();
    for (const { id } of orgs) while (await desk.change(id, EXPIRY, (unit) => closeDay(unit, AT_ONCE)));
    return orgs.length > 0;
  }
}
