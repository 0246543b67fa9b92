import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import { MAX_SKEW_MS } from "./clock-skew.ts";
import type { Tables } from "./tables.ts";

/** Small enough that nobody waits long for the writer. */
const AT_ONCE = 500;

/**
 * Deliveries whose next attempt was set while the clock was ahead would wait until it gets there again:
 * when the clock was set back, and once at the start, they become due.
 */
export function createRetryTimesRound(
  store: Store<Tables>,
  { clock, monotonic }: { clock: Clock; monotonic: Clock },
) {
  const offset = () => clock.now() - monotonic.now();
  /** Before the first look the clock may have been set at any time. */
  let lastOffset = Number.POSITIVE_INFINITY;
  return async (): Promise<void> => {
    const current = offset();
    if (lastOffset - current > MAX_SKEW_MS) while (await makeDue(store, clock.now()));
    lastOffset = current;
  };
}

async function makeDue(store: Store<Tables>, now: number): Promise<boolean> {
  return store.write(async (tx) => {
    const some = tx
      .selectFrom("deliveries")
      .select("id")
      .where("next_attempt_at", "is not", null)
      .where("updated_at", ">", now + MAX_SKEW_MS)
      .limit(AT_ONCE);
    const due = await tx
      .updateTable("deliveries")
      .set({ next_attempt_at: now, updated_at: now })
      .where("id", "in", some)
      .returning("id")
      .execute();
    return due.length === AT_ONCE;
  });
}
