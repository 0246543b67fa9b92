import type { Store } from "@frontdesk/store/store";
import { deliveryBody } from "../delivery/lane.ts";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import type { WebhookState } from "../domain/records.ts";
import { eventFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

const MAX_DELIVERIES = 100;

/** What was sent to a webhook, what came back and how long it took, newest first. */
export async function readDeliveryLog(store: Store<Tables>, orgSlug: string, webhookId: string) {
  const deliveries = await store.read
    .selectFrom("deliveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .orderBy("sequence", "desc")
    .limit(MAX_DELIVERIES)
    .execute();
  if (deliveries.length === 0) return [];
  const sequences = deliveries.map(({ sequence }) => sequence);
  const events = await store.read
    .selectFrom("events")
    .selectAll()
    .where("org_id", "=", deliveries[0]?.org_id ?? "")
    .where("sequence", "in", sequences)
    .execute();
  const attempts = await store.read
    .selectFrom("attempts")
    .selectAll()
    .where(
      "delivery_id",
      "in",
      deliveries.map(({ id }) => id),
    )
    .orderBy("number")
    .execute();
  const eventOf = new Map(events.map((event) => [event.sequence, event]));
  const attemptsOf = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  return deliveries.map((row) => {
    const event = eventOf.get(row.sequence);
    return {
      id: row.id,
      eventId: row.event_id,
      type: row.event_type,
      sequence: row.sequence,
      state: row.state,
      nextAttemptAt: isoTimeOrNull(row.next_attempt_at),
      request: event ? deliveryBody(eventFrom(event), orgSlug, row.prev_sequence) : null,
      attempts: (attemptsOf.get(row.id) ?? []).map(
        ({ number, at, duration_ms, status, error, response, url }) => ({
          number,
          at: isoTime(at),
          durationMs: duration_ms,
          status,
          error,
          response,
          url,
        }),
      ),
    };
  });
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
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    state: row.state as WebhookState,
    disabledReason: row.disabled_reason,
    failingSince: isoTimeOrNull(row.failing_since),
    createdAt: isoTime(row.created_at),
  }));
}
