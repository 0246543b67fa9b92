import { randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import type { FirstRuns } from "../domain/first-run.ts";
import { hashToken } from "../domain/token.ts";
import type { Tables } from "./tables.ts";

const LIFETIME_MS = 7 * 24 * 3_600_000;

/** The secrets of one-time links: each start hands out one more while there is no organisation; the first that is used ends all. */
export function createFirstRuns(
  store: Store<Tables>,
  clock: Clock,
): FirstRuns & { issue(): Promise<string> } {
  const live = (time: number) => time - LIFETIME_MS;
  return {
    issue: () =>
      store.write(async (tx) => {
        const now = clock.now();
        const secret = randomBytes(24).toString("base64url");
        await tx.deleteFrom("first_runs").where("created_at", "<=", live(now)).execute();
        await tx
          .insertInto("first_runs")
          .values({ hash: hashToken(secret), created_at: now })
          .execute();
        return secret;
      }),
    isLive: async (secret) =>
      (await store.read
        .selectFrom("first_runs")
        .select("hash")
        .where("hash", "=", hashToken(secret))
        .where("created_at", ">", live(clock.now()))
        .executeTakeFirst()) !== undefined,
    take: (secret) =>
      store.write(async (tx) => {
        const taken = await tx
          .deleteFrom("first_runs")
          .where("hash", "=", hashToken(secret))
          .where("created_at", ">", live(clock.now()))
          .returning("hash")
          .executeTakeFirst();
        return taken !== undefined;
      }),
    giveBack: (secret) =>
      store.write(async (tx) => {
        const row = { hash: hashToken(secret), created_at: clock.now() };
        await tx.insertInto("first_runs").values(row).execute();
      }),
    endAll: () =>
      store.write(async (tx) => {
        await tx.deleteFrom("first_runs").execute();
      }),
  };
}
