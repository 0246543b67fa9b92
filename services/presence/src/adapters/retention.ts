import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import type { SelectQueryBuilder } from "kysely";
import type { Tables } from "./tables.ts";

const DAY_MS = 24 * 60 * 60_000;
export const RETENTION_MS = 30 * DAY_MS;
/** Who changed what is asked for long after the events are gone. */
export const AUDIT_RETENTION_MS = 400 * DAY_MS;
/** Small enough that nobody waits long for the writer. */
const AT_ONCE = 500;

/** Forgets events, finished deliveries and entries of the audit log that are older than their retention. */
export function createRetention(store: Store<Tables>, clock: Clock) {
  return async (): Promise<void> => {
    const before = clock.now() - RETENTION_MS;
    for (const { id } of await store.read.selectFrom("orgs").select("id").execute()) {
      while (await forgetEvents(store, id, before));
      while (await forgetAudit(store, id, clock.now() - AUDIT_RETENTION_MS));
    }
    while (await forgetDeliveries(store, before));
    await forgetRemovedWebhooks(store);
  };
}

async function forgetRemovedWebhooks(store: Store<Tables>): Promise<void> {
  const removed = await store.read
    .selectFrom("webhooks")
    .select("id")
    .where("state", "=", "removed")
    .execute();
  for (const { id } of removed) {
    while (await deletePortion(store, (some) => some.where("webhook_id", "=", id)));
    await store.write((tx) => tx.deleteFrom("webhooks").where("id", "=", id).execute());
  }
}

function forgetEvents(store: Store<Tables>, orgId: string, before: number): Promise<boolean> {
  return store.write(async (tx) => {
    const query = tx.selectFrom("orgs").select("purged_through").where("id", "=", orgId);
    const org = await store.forUpdate(query).executeTakeFirstOrThrow();
    const oldest = await tx
      .selectFrom("events")
      .select(["sequence", "occurred_at"])
      .where("org_id", "=", orgId)
      .where("sequence", ">", org.purged_through)
      .orderBy("sequence")
      .limit(AT_ONCE)
      .execute();
    const kept = oldest.findIndex(({ occurred_at }) => occurred_at >= before);
    const last = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1);
    if (!last) return false;
    await tx
      .deleteFrom("events")
      .where("org_id", "=", orgId)
      .where("sequence", "<=", last.sequence)
      .execute();
    await tx.updateTable("orgs").set({ purged_through: last.sequence }).where("id", "=", orgId).execute();
    return kept === -1 && oldest.length === AT_ONCE;
  });
}

/** Entries are numbered in the order of time, so the oldest are the first of the key. */
function forgetAudit(store: Store<Tables>, orgId: string, before: number): Promise<boolean> {
  return store.write(async (tx) => {
    const oldest = await tx
      .selectFrom("audit_log")
      .select(["id", "at"])
      .where("org_id", "=", orgId)
      .orderBy("id")
      .limit(AT_ONCE)
      .execute();
    const old = oldest.filter(({ at }) => at < before).map(({ id }) => id);
    if (old.length === 0) return false;
    await tx.deleteFrom("audit_log").where("org_id", "=", orgId).where("id", "in", old).execute();
    return old.length === AT_ONCE;
  });
}

function forgetDeliveries(store: Store<Tables>, before: number): Promise<boolean> {
  return deletePortion(store, (some) =>
    some.where("created_at", "<", before).where("next_attempt_at", "is", null).orderBy("created_at"),
  );
}

type Some = SelectQueryBuilder<Tables, "deliveries", { id: string }>;

/** Deletes some of the deliveries that are chosen; answers whether there may be more. */
function deletePortion(store: Store<Tables>, choose: (some: Some) => Some): Promise<boolean> {
  return store.write(async (tx) => {
    const gone = await tx
      .deleteFrom("deliveries")
      .where("id", "in", choose(tx.selectFrom("deliveries").select("id")).limit(AT_ONCE))
      .returning("id")
      .execute();
    return gone.length === AT_ONCE;
  });
}
