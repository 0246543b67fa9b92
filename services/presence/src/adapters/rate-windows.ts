import type { Clock } from "@frontdesk/kit/clock";
import {
  createSlidingWindows,
  type RatePolicy,
  type RateVerdict,
  slide,
} from "@frontdesk/kit/sliding-window";
import type { Store } from "@frontdesk/store/store";
import type { RateWindows } from "../domain/rate-window.ts";
import { createKeyedMutex } from "./keyed-mutex.ts";
import type { Tables } from "./tables.ts";

/**
 * SQLite has one copy of the service, which counts in memory. On PostgreSQL the copies share a row
 * for each token, and its lock makes the count exact across them.
 */
export function createRateWindows(
  store: Store<Tables>,
  policy: RatePolicy,
  time: { clock: Clock; monotonic: Clock },
): RateWindows {
  return store.engine === "sqlite"
    ? createSlidingWindows(policy, time.monotonic)
    : inPostgres(store, policy, time.clock);
}

interface Waiting {
  readonly cost: number;
  readonly counted: number;
  readonly tell: (verdict: RateVerdict) => void;
  readonly fail: (error: unknown) => void;
}

function inPostgres(store: Store<Tables>, policy: RatePolicy, clock: Clock): RateWindows {
  const turns = createKeyedMutex();
  const waiting = new Map<string, Array<Waiting>>();

  /** Counts all that wait for a token's turn in one go. */
  const countAll = (tokenId: string): Promise<void> =>
    turns(tokenId, async () => {
      const batch = waiting.get(tokenId) ?? [];
      waiting.delete(tokenId);
      if (batch.length === 0) return;
      const count = store.write(async (tx) => {
        // An update of nothing, which takes the row's lock and shows its newest content.
        const row = await tx
          .insertInto("rate_windows")
          .values({ token_id: tokenId, hits: "" })
          .onConflict((conflict) => conflict.column("token_id").doUpdateSet({ token_id: tokenId }))
          .returning("hits")
          .executeTakeFirstOrThrow();
        const now = clock.now();
        const hits = decode(row.hits);
        const found = batch.map(({ cost, counted }) => slide(hits, policy, now, cost, counted));
        if (found.some(({ allowed }, i) => allowed || (batch[i]?.counted ?? 0) > 0)) {
          await tx
            .updateTable("rate_windows")
            .set({ hits: encode(hits) })
            .where("token_id", "=", tokenId)
            .execute();
        }
        return found;
      });
      await count.then(
        (verdicts) => batch.forEach(({ tell }, i) => void tell(verdicts[i] as RateVerdict)),
        (error) => batch.forEach(({ fail }) => void fail(error)),
      );
    });

  return {
    consume: (tokenId, cost, counted = 0) =>
      new Promise((tell, fail) => {
        const batch = waiting.get(tokenId);
        if (batch) {
          batch.push({ cost, counted, tell, fail });
          return;
        }
        waiting.set(tokenId, [{ cost, counted, tell, fail }]);
        void countAll(tokenId);
      }),
  };
}

/** Distances between neighbours are short, so a full window stays small. */
function encode(hits: readonly number[]): string {
  return hits.map((hit, i) => (i === 0 ? hit : hit - (hits[i - 1] as number)).toString(36)).join(" ");
}

function decode(text: string): number[] {
  let last = 0;
  return text === "" ? [] : text.split(" ").map((word) => (last += Number.parseInt(word, 36)));
}
