import type { Clock } from "@frontdesk/kit/clock";
import type { FailureLog } from "@frontdesk/kit/sparing-log";
import type { Store } from "@frontdesk/store/store";
import { EXPIRY, PLAN } from "../domain/actor.ts";
import { closeDay, MAX_CLOSING_AHEAD_MS, mendClosing } from "../domain/closing.ts";
import { beginPlanned } from "../domain/plan-run.ts";
import type { Desk } from "../domain/unit.ts";
import { mendWeekly } from "../domain/weekly-move.ts";
import { MAX_WEEKLY_AHEAD_MS } from "../domain/weekly-time.ts";
import { MAX_SKEW_MS } from "./clock-skew.ts";
import { idsOf, orgByOrg } from "./org-by-org.ts";
import type { Tables } from "./tables.ts";

const AT_ONCE = 50;
/** More weekly statuses than an organisation has. */
const ALL = 100_000;

/** Begins planned statuses and ends the day of organisations. Several copies may sweep at once: each happens once. */
export function createScheduleSweep(
  store: Store<Tables>,
  desk: Desk,
  { clock, monotonic, log }: { clock: Clock; monotonic: Clock; log: FailureLog },
) {
  const offset = () => clock.now() - monotonic.now();
  let lastOffset = offset();
  return {
    /** A portion of what is due, but of organisations that have failed; answers whether there may be more. */
    beginSome,
    sweep: async (): Promise<void> => {
      const current = offset();
      const wasAhead = lastOffset - current > MAX_SKEW_MS;
      const failed = new Set<string>();
      await mend(wasAhead, failed);
      lastOffset = current;
      while (await beginSome(failed));
      while (await closeSome(failed));
    },
  };

  /**
   * A machine whose clock was ahead, before it was set, has times that come too late: a day, or years. Where the clock was
   * just set back every time is looked at; otherwise those that no right clock can have found.
   */
  async function mend(wasAhead: boolean, failed: Set<string>): Promise<void> {
    const now = clock.now();
    const latestWeekly = wasAhead ? now : now + MAX_WEEKLY_AHEAD_MS;
    const latestClosing = wasAhead ? now : now + MAX_CLOSING_AHEAD_MS;
    const weekly = await store.read
      .selectFrom("planned_statuses")
      .select("org_id as id")
      .distinct()
      .where("next_at", ">", latestWeekly)
      .where("weekday", "is not", null)
      .execute();
    const closing = await store.read
      .selectFrom("orgs")
      .select("id")
      .where("next_closing_at", ">", latestClosing)
      .execute();
    const orgs = [...new Set([...weekly, ...closing].map(({ id }) => id))];
    await orgByOrg(orgs, failed, log, (id) =>
      desk.change(id, PLAN, async (unit) => {
        await mendWeekly(unit, latestWeekly, wasAhead ? ALL : AT_ONCE);
        await mendClosing(unit);
      }),
    );
  }

  async function beginSome(failed: Set<string>): Promise<boolean> {
    const orgs = await store.read
      .selectFrom("planned_statuses")
      .select("org_id as id")
      .distinct()
      .where("next_at", "<=", clock.now())
      .where("org_id", "not in", idsOf(failed))
      .limit(AT_ONCE)
      .execute();
    await orgByOrg(
      orgs.map(({ id }) => id),
      failed,
      log,
      (id) =>
        desk.change(id, PLAN, async (unit) => {
          for (const planned of await unit.planned.due(unit.now, AT_ONCE)) await beginPlanned(unit, planned);
        }),
    );
    return orgs.length > 0;
  }

  async function closeSome(failed: Set<string>): Promise<boolean> {
    const orgs = await store.read
      .selectFrom("orgs")
      .select("id")
      .where("next_closing_at", "<=", clock.now())
      .where("id", "not in", idsOf(failed))
      .limit(AT_ONCE)
      .execute();
    await orgByOrg(
      orgs.map(({ id }) => id),
      failed,
      log,
      async (id) => {
        while (await desk.change(id, EXPIRY, (unit) => closeDay(unit, AT_ONCE)));
      },
    );
    return orgs.length > 0;
  }
}
