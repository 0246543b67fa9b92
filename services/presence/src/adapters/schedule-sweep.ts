import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import { EXPIRY, PLAN } from "../domain/actor.ts";
import { closeDay } from "../domain/closing.ts";
import { beginPlanned } from "../domain/planned-status.ts";
import type { Desk } from "../domain/unit.ts";
import type { Tables } from "./tables.ts";

const AT_ONCE = 50;

/** Begins planned statuses and ends the day of organisations. Several copies may sweep at once: each happens once. */
export function createScheduleSweep(store: Store<Tables>, desk: Desk, clock: Clock) {
  const begin = async (): Promise<void> => {
    while (await beginSome());
  };
  return {
    begin,
    sweep: async (): Promise<void> => {
      await begin();
      while (await closeSome());
    },
  };

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
