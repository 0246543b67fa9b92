import type { Clock } from "@frontdesk/kit/clock";
import type { FailureLog } from "@frontdesk/kit/sparing-log";
import type { Store } from "@frontdesk/store/store";
import { EXPIRY } from "../domain/actor.ts";
import { expireStatus } from "../domain/status.ts";
import type { Desk } from "../domain/unit.ts";
import { idsOf, orgByOrg } from "./org-by-org.ts";
import type { Tables } from "./tables.ts";

const AT_ONCE = 50;

/**
 * Ends statuses that have run out. Several copies may sweep at once: each is told once. What is planned for the same
 * moment begins first, so that nobody sees what would be between them; nobody else waits for all of that.
 */
export function createExpirySweep(
  store: Store<Tables>,
  desk: Desk,
  { clock, log }: { clock: Clock; log: FailureLog },
  beginPlanned: (failed: Set<string>) => Promise<unknown>,
) {
  return async (): Promise<void> => {
    const failed = new Set<string>();
    for (;;) {
      const orgs = await store.read
        .selectFrom("members")
        .select("org_id as id")
        .distinct()
        .where("status_expires_at", "<=", clock.now())
        .where("org_id", "not in", idsOf(failed))
        .limit(AT_ONCE)
        .execute();
      if (orgs.length === 0) return;
      await beginPlanned(failed);
      await orgByOrg(
        orgs.map(({ id }) => id),
        failed,
        log,
        (id) =>
          desk.change(id, EXPIRY, async (unit) => {
            const next = await unit.planned.dueMembers(unit.now);
            for (const member of await unit.members.expiredBy(unit.now, AT_ONCE))
              if (!next.has(member.id)) await expireStatus(unit, member);
          }),
      );
    }
  };
}
