import type { Store } from "@frontdesk/store/store";
import { deliveryBody } from "../delivery/lane.ts";
import type { AppReadModel, DeliveryRow } from "../domain/app-read-model.ts";
import { eventIsKept } from "./kept-event.ts";
import { pageOf } from "./row-page.ts";
import { eventFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** A webhook's log, page by page and one by one. */
export function deliveryPages(
  store: Store<Tables>,
): Pick<AppReadModel, "deliveries" | "delivery" | "countFailed"> {
  const { read } = store;
  return {
    deliveries: async (webhookId, filter, before, limit) => {
      let query = deliveryRows().where("d.webhook_id", "=", webhookId);
      if (filter.outcome !== undefined) query = query.where("d.state", "=", filter.outcome);
      if (filter.type !== undefined) query = query.where("d.event_type", "=", filter.type);
      if (filter.since !== undefined) query = query.where("d.created_at", ">=", filter.since);
      if (filter.until !== undefined) query = query.where("d.created_at", "<=", filter.until);
      if (before !== undefined) query = query.where("d.sequence", "<", before);
      const rows = await query
        .orderBy("d.sequence", "desc")
        .limit(limit + 1)
        .execute();
      return pageOf(rows.map(deliveryFrom), limit);
    },
    delivery: async (webhookId, id, orgSlug) => {
      const row = await deliveryRows()
        .select(["d.org_id", "d.prev_sequence"])
        .where("d.webhook_id", "=", webhookId)
        .where("d.id", "=", id)
        .executeTakeFirst();
      if (!row) return undefined;
      const event = await read
        .selectFrom("events")
        .selectAll()
        .where("org_id", "=", row.org_id)
        .where("sequence", "=", row.sequence)
        .executeTakeFirst();
      const attempts = await read
        .selectFrom("attempts")
        .selectAll()
        .where("delivery_id", "=", id)
        .orderBy("number")
        .execute();
      return {
        delivery: deliveryFrom(row),
        body: event ? deliveryBody(eventFrom(event), orgSlug, row.prev_sequence) : null,
        attempts: attempts.map(({ number, at, duration_ms, status, error, response, url }) => ({
          number,
          at,
          durationMs: duration_ms,
          status,
          error,
          response,
          url,
        })),
      };
    },
    countFailed: async (webhookId, since) => {
      const { count } = await read
        .selectFrom("deliveries")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("webhook_id", "=", webhookId)
        .where("state", "=", "failed")
        .where("updated_at", ">=", since)
        .where(eventIsKept)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };

  /** Deliveries, each with its last attempt. */
  function deliveryRows() {
    return read
      .selectFrom("deliveries as d")
      .leftJoin("attempts as a", (join) =>
        join.onRef("a.delivery_id", "=", "d.id").onRef("a.number", "=", "d.attempts"),
      )
      .select(["d.id", "d.event_id", "d.event_type", "d.sequence", "d.state", "d.created_at", "d.updated_at"])
      .select(["d.next_attempt_at", "d.attempts", "a.status", "a.error"]);
  }
}

type Joined = Pick<
  Tables["deliveries"],
  | "id"
  | "event_id"
  | "event_type"
  | "sequence"
  | "state"
  | "created_at"
  | "updated_at"
  | "next_attempt_at"
  | "attempts"
> & { status: number | null; error: string | null };

const deliveryFrom = (row: Joined): DeliveryRow => ({
  id: row.id,
  eventId: row.event_id,
  type: row.event_type,
  sequence: row.sequence,
  state: row.state as DeliveryRow["state"],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  nextAttemptAt: row.next_attempt_at,
  attempts: row.attempts,
  lastStatus: row.status,
  lastError: row.error,
});
