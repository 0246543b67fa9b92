import { createRateLimit, type LimitStore } from "@frontdesk/kit/rate-limit";
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
  return { consume: async (what, key) => limits.get(what)?.consume(key) };
}
