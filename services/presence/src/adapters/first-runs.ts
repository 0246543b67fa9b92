import { randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import type { Kysely } from "kysely";
import { refuse } from "../domain/codes.ts";
import type { FirstRuns } from "../domain/first-run.ts";
import { hashToken } from "../domain/token.ts";
import { FIRST_MEMBER, FIRST_ORG } from "../first-org.ts";
import type { Tables } from "./tables.ts";

const LIFETIME_MS = 7 * 24 * 3_600_000;
const live = (now: number) => now - LIFETIME_MS;

/** The secrets of one-time links: each start hands out one more while nobody uses an organisation; the first one ends all. */
export function createFirstRuns(
  store: Store<Tables>,
  clock: Clock,
): FirstRuns & { issue(): Promise<string> } {
  return {
    isUnused: () => isUnused(store.read),
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
      (await isUnused(store.read)) &&
      (await store.read
        .selectFrom("first_runs")
        .select("hash")
        .where("hash", "=", hashToken(secret))
        .where("created_at", ">", live(clock.now()))
        .executeTakeFirst()) !== undefined,
  };
}

/** Uses up a one-time link within the change that makes the organisation; one that fails leaves it as it was. */
export async function useFirstRun(tx: Kysely<Tables>, secret: string, now: number): Promise<void> {
  const taken = await tx
    .deleteFrom("first_runs")
    .where("hash", "=", hashToken(secret))
    .where("created_at", ">", live(now))
    .returning("hash")
    .executeTakeFirst();
  if (!taken || !(await isUnused(tx))) throw refuse("first_run_over");
}

/** Whether there is no organisation, or only the one of the first start that nobody has joined. */
async function isUnused(db: Kysely<Tables>): Promise<boolean> {
  const other = await db.selectFrom("orgs").select("id").where("slug", "!=", FIRST_ORG).executeTakeFirst();
  if (other) return false;
  const joined = await db
    .selectFrom("members")
    .select("id")
    .where("email", "!=", FIRST_MEMBER)
    .executeTakeFirst();
  return !joined;
}
