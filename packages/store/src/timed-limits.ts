import { createHash } from "node:crypto";
import type { LimitStore } from "./limit-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How often an hour each of some things may be done with one key. Services that share a database count apart. */
export const createHourlyLimits = <Limited extends string>(
  store: LimitStore,
  service: string,
  maxPerHour: Readonly<Record<Limited, number>>,
) => createLimits(store, service, maxPerHour, HOUR_MS);

/** The same for a day. */
export const createDailyLimits = <Limited extends string>(
  store: LimitStore,
  service: string,
  maxPerDay: Readonly<Record<Limited, number>>,
) => createLimits(store, service, maxPerDay, DAY_MS);

function createLimits<Limited extends string>(
  store: LimitStore,
  service: string,
  max: Readonly<Record<Limited, number>>,
  spanMs: number,
) {
  // Counted by hash: addresses of people need not stand in one more table, and hashes are never too long for it.
  const keyed = (what: Limited, key: string) =>
    `${service} ${what}:${createHash("sha256").update(key).digest("base64url")}`;
  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));
  return {
    /** Counts one more; where that would be too many, counts nothing and answers how many seconds to wait. */
    consume: async (what: Limited, key: string): Promise<number | undefined> => {
      const remainingMs = await store.add(keyed(what, key), spanMs, max[what]);
      return remainingMs === undefined ? undefined : seconds(remainingMs);
    },
    /** Takes back what was counted last: it turned out not to be what the limit is for. */
    giveBack: (what: Limited, key: string): Promise<void> => store.giveBack(keyed(what, key), spanMs),
    /** How many seconds to wait when it has been too many; counts nothing. */
    wait: async (what: Limited, key: string): Promise<number | undefined> => {
      const count = await store.find(keyed(what, key), spanMs);
      return count && count.points >= max[what] ? seconds(count.remainingMs) : undefined;
    },
  };
}
