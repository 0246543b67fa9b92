import { createHash } from "node:crypto";
import { createRateLimit, type LimitStore } from "@frontdesk/kit/rate-limit";
import { databaseError } from "./database-away.ts";

const HOUR_SECONDS = 3_600;

/** How often an hour each of some things may be done with one key. Services that share a database count apart. */
export async function createHourlyLimits<Limited extends string>(
  store: LimitStore,
  service: string,
  mostPerHour: Readonly<Record<Limited, number>>,
) {
  const names = Object.keys(mostPerHour) as Limited[];
  const limits = new Map(
    await Promise.all(
      names.map(async (name) => {
        const options = { name: `${service} ${name}`, most: mostPerHour[name], perSeconds: HOUR_SECONDS };
        return [name, await createRateLimit(store, options)] as const;
      }),
    ),
  );
  // Counted by hash: addresses of people need not stand in one more table, and hashes are never too long for it.
  const keyed = (key: string) => createHash("sha256").update(key).digest("base64url");
  const asked = async (what: Limited, key: string, how: "consume" | "wait") => {
    try {
      return await limits.get(what)?.[how](keyed(key));
    } catch (error) {
      throw databaseError(error);
    }
  };
  return {
    /** Counts one more; answers how many seconds to wait when that is too many, else undefined. */
    consume: (what: Limited, key: string) => asked(what, key, "consume"),
    /** How many seconds to wait when it has been too many; counts nothing. */
    wait: (what: Limited, key: string) => asked(what, key, "wait"),
  };
}
