import type { Clock } from "@frontdesk/kit/clock";
import type { Store } from "@frontdesk/store/store";
import type { Kysely, SelectQueryBuilder } from "kysely";
import type { Tables } from "./tables.ts";

const DAY_MS = 24 * 60 * 60_000;
export const RETENTION_MS = 30 * DAY_MS;
/** Who changed what is asked for long after the events are gone. */
export const AUDIT_RETENTION_MS = 400 * DAY_MS;
/** Small enough that nobody waits long for the writer. */
const AT_ONCE = 500;

/** Forgets events, finished deliveries, ended invitations and entries of the audit log that are older than their retention. */
export function createRetention(store: Store<Tables>, clock: Clock) {
  return async (): Promise<void> => {
    const now = clock.now();
    for (const { id } of await store.read.selectFrom("orgs").select("id").execute()) {
      while (await forgetEvents(store, id, now));
      while (await forgetAudit(store, id, now - AUDIT_RETENTION_MS));
      await forgetFormerMembers(store, id, now - AUDIT_RETENTION_MS);
    }
    while (await forgetDeliveries(store, now - RETENTION_MS));
    await forgetRemovedWebhooks(store);
    await store.write((tx) =>
      tx
        .deleteFrom("invitations")
        .where("expires_at", "<", now - RETENTION_MS)
        .execute(),
    );
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

/**
 * Deletes some of the events that are old enough, from the first on; answers whether there may be more. Nothing goes that
 * an active webhook has not been sent: the clock may be wrong, or the service was stopped for long.
 */
function forgetEvents(store: Store<Tables>, orgId: string, now: number): Promise<boolean> {
  return store.write(async (tx) => {
    const query = tx.selectFrom("orgs").select(["purged_through", "sequence"]).where("id", "=", orgId);
    const org = await store.forUpdate(query).executeTakeFirstOrThrow();
    const through = Math.min(
      await lastOldEvent(tx, orgId, org.purged_through, now),
      await sentToAll(tx, orgId, org.sequence),
      org.purged_through + AT_ONCE,
    );
    if (through <= org.purged_through) return false;
    await tx.deleteFrom("events").where("org_id", "=", orgId).where("sequence", "<=", through).execute();
    await tx.updateTable("orgs").set({ purged_through: through }).where("id", "=", orgId).execute();
    return through === org.purged_through + AT_ONCE;
  });
}

/**
 * Of the next events, the last that is too old, before the first that is to be kept. One dated ahead was written while the
 * clock was: it is as old as the first after it of which that is known.
 */
async function lastOldEvent(
  tx: Kysely<Tables>,
  orgId: string,
  purgedThrough: number,
  now: number,
): Promise<number> {
  const before = now - RETENTION_MS;
  const last = purgedThrough + AT_ONCE;
  const events = tx.selectFrom("events").select(["sequence", "occurred_at"]).where("org_id", "=", orgId);
  // Never more than these: in a long row of old events, each portion would be looked for in all of it.
  const next = events.where("sequence", ">", purgedThrough).where("sequence", "<=", last);
  const firstKept = await next
    .where("occurred_at", ">=", before)
    .where("occurred_at", "<=", now)
    .orderBy("sequence")
    .limit(1)
    .executeTakeFirst();
  const known = firstKept ?? (await firstKnownAfter(events, last, now));
  if (!firstKept && known && known.occurred_at < before) return last;
  const lastOld = await next
    .where("occurred_at", "<", before)
    .where("sequence", "<", firstKept?.sequence ?? Number.MAX_SAFE_INTEGER)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return lastOld?.sequence ?? 0;
}

type Events = SelectQueryBuilder<Tables, "events", { sequence: number; occurred_at: number }>;

/** All between are dated ahead: there are few. */
const firstKnownAfter = (events: Events, sequence: number, now: number) =>
  events
    .where("sequence", ">", sequence)
    .where("occurred_at", "<=", now)
    .orderBy("sequence")
    .limit(1)
    .executeTakeFirst();

/** Up to this sequence every active webhook has been sent everything, and nothing waits for another attempt. */
async function sentToAll(tx: Kysely<Tables>, orgId: string, last: number): Promise<number> {
  const active = tx.selectFrom("webhooks as w").where("w.org_id", "=", orgId).where("w.state", "=", "active");
  const { cursor } = await active
    .select(({ fn }) => fn.min<number | null>("w.cursor").as("cursor"))
    .executeTakeFirstOrThrow();
  const { waiting } = await active
    .innerJoin("deliveries as d", "d.webhook_id", "w.id")
    .where("d.next_attempt_at", "is not", null)
    .select(({ fn }) => fn.min<number | null>("d.sequence").as("waiting"))
    .executeTakeFirstOrThrow();
  return Math.min(cursor ?? last, waiting === null ? last : waiting - 1);
}

/** Looked for outside the transaction: identifiers follow the clock, so the old ones may be anywhere. */
async function forgetAudit(store: Store<Tables>, orgId: string, before: number): Promise<boolean> {
  const old = await store.read
    .selectFrom("audit_log")
    .select("id")
    .where("org_id", "=", orgId)
    .where("at", "<", before)
    .orderBy("at")
    .limit(AT_ONCE)
    .execute();
  if (old.length === 0) return false;
  const ids = old.map(({ id }) => id);
  await store.write((tx) =>
    tx.deleteFrom("audit_log").where("org_id", "=", orgId).where("id", "in", ids).execute(),
  );
  return old.length === AT_ONCE;
}

const forgetFormerMembers = (store: Store<Tables>, orgId: string, before: number) =>
  store.write((tx) =>
    tx.deleteFrom("former_members").where("org_id", "=", orgId).where("left_at", "<", before).execute(),
  );

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
