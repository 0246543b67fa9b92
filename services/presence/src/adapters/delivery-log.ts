import type { Store } from "@frontdesk/store/store";
import { deliveryBody } from "../delivery/lane.ts";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import { eventFrom, webhookFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

const MOST_DELIVERIES = 100;

/** What was sent to a webhook, what came back and how long it took, newest first. */
export async function readDeliveryLog(store: Store<Tables>, orgSlug: string, webhookId: string) {
  const deliveries = await store.read
    .selectFrom("deliveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .orderBy("sequence", "desc")
    .limit(MOST_DELIVERIES)
    .execute();
  return Promise.all(
    deliveries.map(async (row) => {
      const event = await store.read
        .selectFrom("events")
        .selectAll()
        .where("org_id", "=", row.org_id)
        .where("sequence", "=", row.sequence)
        .executeTakeFirst();
      const attempts = await store.read
        .selectFrom("attempts")
        .selectAll()
        .where("delivery_id", "=", row.id)
        .orderBy("number")
        .execute();
      return {
        id: row.id,
        eventId: row.event_id,
        type: row.event_type,
        sequence: row.sequence,
        state: row.state,
        nextAttemptAt: isoTimeOrNull(row.next_attempt_at),
        request: event ? deliveryBody(eventFrom(event), orgSlug, row.prev_sequence) : null,
        attempts: attempts.map(({ number, at, duration_ms, status, error, response }) => ({
          number,
          at: isoTime(at),
          durationMs: duration_ms,
          status,
          error,
          response,
        })),
      };
    }),
  );
}

/** The webhooks of an organisation, without their secrets. */
export async function readWebhooks(store: Store<Tables>, orgId: string) {
  const rows = await store.read
    .selectFrom("webhooks")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("state", "!=", "removed")
    .orderBy("id")
    .execute();
  return rows.map(webhookFrom).map(({ id, url, events, state, disabledReason, failingSince, createdAt }) => ({
    id,
    url,
    events,
    state,
    disabledReason,
    failingSince: isoTimeOrNull(failingSince),
    createdAt: isoTime(createdAt),
  }));
}
