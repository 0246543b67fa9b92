import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import { isoTime } from "../domain/clock-text.ts";
import type { EventRecord } from "../domain/records.ts";
import { matches } from "../domain/webhook.ts";
import type { Lane, LaneProgress, LaneStore, Settled } from "./lane-store.ts";
import type { Outcome, Poster } from "./poster.ts";
import { DISABLE_AFTER_MS, nextAttempt, retryAfterMs } from "./schedule.ts";
import { signatureHeaders } from "./signature.ts";

export interface LaneTools {
  readonly store: LaneStore;
  readonly poster: Poster;
  readonly clock: Clock;
  readonly ids: Ids;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  readonly schedule: readonly number[];
  /** What is done is written down about this often, so that a crash repeats little. */
  readonly batchMs: number;
  /** Longer than a batch and an attempt after it. */
  readonly leaseMs: number;
  /** True when the service is on its way out. */
  readonly stopping: () => boolean;
}

/** After so much, others get their turn. */
const BATCH = 100;
const MOST_BATCHES = 20;
const GONE = 410;

/** Sends what waits in a lane, in order, until nothing does, an attempt fails, or the turn is over. */
export async function serveLane(claimed: Lane, tools: LaneTools): Promise<void> {
  let lane = claimed;
  for (let batches = 1; ; batches++) {
    const batch = await serveBatch(lane, tools);
    const goOn = batch.more && batches < MOST_BATCHES && !tools.stopping();
    const now = tools.clock.now();
    const progress = { ...batch.progress, leaseUntil: goOn ? now + tools.leaseMs : now };
    const state = await tools.store.settle(lane, batch.settled, progress, now);
    if (!goOn || state !== "active") return;
    const { cursor, failingSince, lastMatched } = progress;
    lane = { ...lane, lastMatched, webhook: { ...lane.webhook, cursor, failingSince } };
  }
}

interface Batch {
  readonly settled: Settled[];
  readonly progress: Omit<LaneProgress, "leaseUntil">;
  readonly more: boolean;
}

async function serveBatch(lane: Lane, tools: LaneTools): Promise<Batch> {
  const { store, clock } = tools;
  const settled: Settled[] = [];
  let { cursor, failingSince } = lane.webhook;
  let { lastMatched } = lane;
  let disable: string | undefined;
  const startedAt = performance.now();
  const timeIsUp = () => performance.now() - startedAt > tools.batchMs || tools.stopping();
  const end = (more: boolean): Batch => ({
    settled,
    progress: { cursor, lastMatched, failingSince, disable },
    more,
  });

  async function attempt(
    delivery: { id: string; step: number; attempts: number },
    event: EventRecord,
    prevSequence: number | null,
    isNew: boolean,
  ): Promise<"sent" | "failed" | "cut"> {
    const at = clock.now();
    const before = performance.now();
    const outcome = await send(lane, tools, event, prevSequence, at);
    // Broken off because the service goes: it counts for nothing and is sent again by whoever is next.
    if (outcome.status === null && tools.stopping()) return "cut";
    const now = clock.now();
    failingSince = outcome.ok ? null : (failingSince ?? now);
    if (outcome.status === GONE) disable = "The receiver answered 410 Gone.";
    else if (failingSince !== null && now - failingSince >= DISABLE_AFTER_MS)
      disable = `Every attempt failed since ${isoTime(failingSince)}.`;
    const retryAfter = retryAfterMs(outcome.retryAfter, now);
    const next =
      outcome.ok || disable
        ? null
        : nextAttempt(tools.schedule, delivery.step, now, tools.random(), retryAfter);
    const { status, error, response } = outcome;
    const durationMs = Math.round(performance.now() - before);
    settled.push({
      id: delivery.id,
      fresh: isNew ? { event, prevSequence } : undefined,
      state: outcome.ok ? "delivered" : next === null ? "failed" : "pending",
      step: outcome.ok ? delivery.step : delivery.step + 1,
      nextAttemptAt: next,
      attempt: { number: delivery.attempts + 1, at, durationMs, status, error, response },
    });
    return outcome.ok ? "sent" : "failed";
  }

  for (const delivery of await store.due(lane, clock.now(), BATCH)) {
    if (timeIsUp()) return end(true);
    if (!delivery.event) {
      const { id, step } = delivery;
      settled.push({ id, fresh: undefined, state: "failed", step, nextAttemptAt: null, attempt: undefined });
    } else if ((await attempt(delivery, delivery.event, delivery.prevSequence, false)) !== "sent") {
      return end(false);
    }
  }

  const events = await store.eventsAfter(lane, cursor, BATCH);
  for (const event of events) {
    if (timeIsUp()) return end(true);
    if (matches(lane.webhook, event)) {
      const delivery = { id: tools.ids.next(), step: 0, attempts: 0 };
      const became = await attempt(delivery, event, lastMatched, true);
      if (became === "cut") return end(false);
      cursor = event.sequence;
      lastMatched = event.sequence;
      if (became === "failed") return end(false);
    }
    cursor = event.sequence;
  }
  return end(events.length > 0);
}

/** The body of a delivery: the event, and where the one before it was. */
export function deliveryBody(event: EventRecord, orgSlug: string, prevSequence: number | null): string {
  const { id, type, sequence, occurredAt } = event;
  const head = JSON.stringify({ id, type, sequence, prevSequence, orgSlug, occurredAt: isoTime(occurredAt) });
  return `${head.slice(0, -1)},"data":${event.data}}`;
}

function send(
  lane: Lane,
  tools: LaneTools,
  event: EventRecord,
  prevSequence: number | null,
  now: number,
): Promise<Outcome> {
  const body = deliveryBody(event, lane.orgSlug, prevSequence);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Frontdesk-Presence/1",
    ...signatureHeaders(lane.webhook, event.id, body, now),
  };
  return tools.poster.post(lane.webhook.url, headers, body);
}
