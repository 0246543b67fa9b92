import { createHash } from "node:crypto";
import { createRateLimit, type LimitStore } from "@frontdesk/kit/rate-limit";
import { databaseError } from "@frontdesk/store/database-away";
import { LIMITED, type Limited, type Limits } from "../domain/limits.ts";

const HOUR_SECONDS = 3_600;

export async function createLimits(
  store: LimitStore,
  mostPerHour: Readonly<Record<Limited, number>>,
): Promise<Limits> {
  const limits = new Map(
    await Promise.all(
      LIMITED.map(async (name) => {
        const options = { name, most: mostPerHour[name], perSeconds: HOUR_SECONDS };
        return [name, await createRateLimit(store, options)] as const;
      }),
    ),
  );
  // Counted by hash: addresses of people need not stand in one more table, and hashes are never too long for it.
  const keyed = (key: string) => createHash("sha256").update(key).digest("base64url");
  return {
    consume: async (what, key) => {
      try {
        return await limits.get(what)?.consume(keyed(key));
      } catch (error) {
        throw databaseError(error);
      }
    },
  };
}
