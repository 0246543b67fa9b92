import { MAX_RECONCILED } from "./limits.ts";
import type { NameDifferences, Reconcile, Reconciled } from "./name-differences.ts";

export type Differences = Omit<NameDifferences, "next_cursor">;

/** Asks for all pages of what DNS has beside what it shall have. `compared` is told how far it is. */
export async function compareAll(
  page: (cursor: string | undefined) => Promise<NameDifferences>,
  compared: (upTo: string) => void,
): Promise<Differences> {
  const found: Differences = { missing: [], stale: [] };
  for (let cursor: string | undefined; ; ) {
    const { missing, stale, next_cursor } = await page(cursor);
    found.missing.push(...missing);
    found.stale.push(...stale);
    if (next_cursor === null) return found;
    cursor = next_cursor;
    compared(cursor);
  }
}

/** Puts right what was shown, as many at once as one request takes. `removed` is told how many are gone by now. */
export async function reconcileAll(
  send: (part: Reconcile) => Promise<Reconciled>,
  { missing, stale }: Differences,
  removed: (count: number) => void,
): Promise<Omit<Reconciled, "done">> {
  const sum: Omit<Reconciled, "done"> = { restored: 0, removed: 0, left: [] };
  for (let [restoring, removing] = [0, 0]; restoring < missing.length || removing < stale.length; ) {
    const answer = await send({
      missing: missing.slice(restoring, restoring + MAX_RECONCILED),
      stale: stale.slice(removing, removing + MAX_RECONCILED),
    });
    sum.restored += answer.restored;
    sum.removed += answer.removed;
    sum.left.push(...answer.left);
    restoring += MAX_RECONCILED;
    removing += answer.done;
    removed(sum.removed);
  }
  return sum;
}
