import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import { EXPIRY } from "../domain/actor.ts";
import { expireStatus } from "../domain/status.ts";
import type { Desk } from "../domain/unit.ts";
import type { Tables } from "./tables.ts";

const AT_ONCE = 50;

/** Returns statuses that have run out to the default. Several copies may sweep at once: each is told once. */
export function createExpirySweep(store: Store<Tables>, desk: Desk, clock: Clock) {
  return async (): Promise<void> => {
    for (;;) {
      const orgs = await store.read
        .selectFrom("members")
        .select("org_id")
        .distinct()
        .where("status_expires_at", "<=", clock.now())
        .limit(AT_ONCE)
        .execute();
      if (orgs.length === 0) return;
      for (const { org_id } of orgs) {
        await desk.change(org_id, EXPIRY, async (unit) => {
          for (const member of await unit.members.expiredBy(unit.now, AT_ONCE))
            await expireStatus(unit, member);
        });
      }
    }
  };
}
