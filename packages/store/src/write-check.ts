import type { Clock } from "@frontdesk/kit/clock";
import { monotonicClock } from "@frontdesk/kit/clock";
import { type Kysely, sql } from "kysely";

/** Health is asked often, and by anybody; a commit that went well is believed for a while. */
const BELIEVED_MS = 5_000;

/** Commits a change that changes nothing: the only way to see that a disk takes no more. */
export function createWriteCheck<Tables>(
  write: (work: (tx: Kysely<Tables>) => Promise<void>) => Promise<void>,
  monotonic: Clock = monotonicClock,
) {
  let wentWellAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  const check = async () => {
    await write(async (tx) => {
      await sql`update frontdesk_migrations set applied_at = applied_at
        where name = (select min(name) from frontdesk_migrations)`.execute(tx);
    });
    wentWellAt = monotonic.now();
  };
  return async (): Promise<void> => {
    if (monotonic.now() - wentWellAt < BELIEVED_MS) return;
    underWay ??= check().finally(() => {
      underWay = undefined;
    });
    await underWay;
  };
}
