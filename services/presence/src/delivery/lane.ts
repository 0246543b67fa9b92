import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import { isoTime } from "../domain/clock-text.ts";
import type { EventRecord, SigningWebhook } from "../domain/records.ts";
import { canSign, matches } from "../domain/webhook.ts";
import type { DueDelivery, Lane, LaneProgress, LaneStore, Settled } from "./lane-store.ts";
import type { Outcome, Poster } from "./poster.ts";
import { DISABLE_AFTER_MS, failsStill, nextAttempt, retryAfterMs } from "./schedule.ts";
import { signatureHeaders } from "./signature.ts";

export interface LaneTools {
  readonly store: LaneStore;
  readonly poster: Poster;
  readonly clock: Clock;
  /** For how long something takes, whatever the clock on the wall does meanwhile. */
  readonly monotonic: Clock;
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

const BATCH = 100;
/** After so long, others get their turn. */
const MAX_TURN_MS = 5_000;
const GONE = 410;

/**
 * Sends what waits in a lane, in order, until nothing does, an attempt fails, or the turn is over.
 * Answers how many milliseconds the slowest attempt took.
 */
export async function serveLane(claimed: Lane, tools: LaneTools): Promise<number> {
  const { monotonic } = tools;
  const startedAt = monotonic.now();
  let lane = claimed;
  let slowest = 0;
  for (;;) {
    const batch = await serveBatch(lane, tools);
    slowest = Math.max(slowest, ...batch.settled.map(({ attempt }) => attempt?.durationMs ?? 0));
    const goOn = batch.more && monotonic.now() - startedAt < MAX_TURN_MS && !tools.stopping();
    const now = tools.clock.now();
    const progress = { ...batch.progress, leaseUntil: goOn ? now + tools.leaseMs : null };
    const state = await tools.store.settle(lane, batch.settled, progress, now);
    if (!goOn || state !== "active") return slowest;
    const { cursor, failingSince, lastMatched, lastAttemptAt } = progress;
    lane = { ...lane, lastMatched, lastAttemptAt, webhook: { ...lane.webhook, cursor, failingSince } };
  }
}

interface Batch {
  readonly settled: Settled[];
  readonly progress: Omit<LaneProgress, "leaseUntil">;
  readonly more: boolean;
}

async function serveBatch(lane: Lane, tools: LaneTools): Promise<Batch> {
  const { store, clock, monotonic } = tools;
  const settled: Settled[] = [];
  let { cursor, failingSince } = lane.webhook;
  let { lastMatched, lastAttemptAt } = lane;
  let disable: string | undefined;
  // From the first attempt on: a database that is slow to tell what waits leaves time to send some of it.
  let startedAt: number | undefined;
  const timeIsUp = () =>
    (startedAt !== undefined && monotonic.now() - startedAt > tools.batchMs) || tools.stopping();
  const end = (more: boolean): Batch => ({
    settled,
    progress: { cursor, lastMatched, failingSince, lastAttemptAt, disable },
    more,
  });

  /**
   * Events up to this one are no longer kept, and some of them may have matched: the next delivery
   * names as its predecessor one that the receiver cannot have.
   */
  function skipPurged(sequence: number): void {
    if (sequence <= cursor) return;
    cursor = sequence;
    lastMatched = sequence;
  }

  async function attempt(
    delivery: Pick<DueDelivery, "id" | "step" | "attempts">,
    event: EventRecord,
    prevSequence: number | null,
    due: DueDelivery | undefined,
  ): Promise<"sent" | "failed" | "cut"> {
    const webhook = await store.current(lane);
    if (webhook?.state !== "active" || !canSign(webhook)) return "cut";
    const at = clock.now();
    const before = monotonic.now();
    startedAt ??= before;
    const outcome = await send(lane, webhook, tools, event, prevSequence, at);
    // Broken off because the service goes: it counts for nothing and is sent again by whoever is next.
    if (outcome.status === null && tools.stopping()) return "cut";
    const now = clock.now();
    const wasFailing = failsStill(failingSince, lastAttemptAt, at, tools.schedule);
    failingSince = outcome.ok ? null : (wasFailing ?? now);
    lastAttemptAt = now;
    if (outcome.status === GONE) disable = "The receiver answered 410 Gone.";
    else if (failingSince !== null && now - failingSince >= DISABLE_AFTER_MS)
      disable = `Every attempt failed since ${isoTime(failingSince)}.`;
    const { status, error, response } = outcome;
    const durationMs = Math.round(monotonic.now() - before);
    const number = delivery.attempts + 1;
    settled.push({
      id: delivery.id,
      fresh: due ? undefined : { event, prevSequence },
      due,
      ...nextOf(delivery, outcome, now),
      attempt: { number, at, durationMs, status, error, response, url: webhook.url },
    });
    return outcome.ok ? "sent" : "failed";
  }

  function nextOf(delivery: { step: number }, outcome: Outcome, now: number) {
    if (outcome.ok) return { state: "delivered", step: delivery.step, nextAttemptAt: null } as const;
    // What a disabled webhook has not taken is sent first when it is resumed.
    if (disable) return { state: "pending", step: 0, nextAttemptAt: now } as const;
    const retryAfter = retryAfterMs(outcome.retryAfter, now);
    const next = nextAttempt(tools.schedule, delivery.step, now, tools.random(), retryAfter);
    const state = next === null ? "failed" : "pending";
    return { state, step: delivery.step + 1, nextAttemptAt: next } as const;
  }

  for (const delivery of await store.due(lane, clock.now(), BATCH)) {
    if (timeIsUp()) return end(true);
    if (!delivery.event) {
      const { id, step } = delivery;
      const lost = { id, fresh: undefined, due: delivery, attempt: undefined };
      settled.push({ ...lost, state: "failed", step, nextAttemptAt: null });
    } else if ((await attempt(delivery, delivery.event, delivery.prevSequence, delivery)) !== "sent") {
      return end(false);
    }
  }

  const events = await store.eventsAfter(lane, cursor, BATCH);
  if (events.length === 0) skipPurged(await store.purgedThrough(lane));
  // Read after the events: no event that happened after a change of the filter is judged by the one before.
  const webhook = events.length === 0 ? undefined : await store.current(lane);
  if (!webhook) return end(false);
  for (const event of events) {
    if (timeIsUp()) return end(true);
    skipPurged(event.sequence - 1);
    if (matches(webhook, event)) {
      const delivery = { id: tools.ids.next(), step: 0, attempts: 0 };
      const became = await attempt(delivery, event, lastMatched, undefined);
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
  const { id, type, sequence, occurredAt, source } = event;
  const head = JSON.stringify({
    id,
    type,
    sequence,
    prevSequence,
    orgSlug,
    occurredAt: isoTime(occurredAt),
    source,
  });
  return `${head.slice(0, -1)},"data":${event.data}}`;
}

function send(
  lane: Lane,
  webhook: SigningWebhook,
  tools: LaneTools,
  event: EventRecord,
  prevSequence: number | null,
  now: number,
): Promise<Outcome> {
  const body = deliveryBody(event, lane.orgSlug, prevSequence);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Frontdesk-Presence/1",
    ...signatureHeaders(webhook, event.id, body, now),
  };
  return tools.poster.post(webhook.url, headers, body);
}
