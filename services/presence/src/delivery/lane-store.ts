import type { EventRecord, SigningWebhook, WebhookRecord, WebhookState } from "../domain/records.ts";

/**
 * A lane is one webhook's line of deliveries. Whoever holds its lease sends them one after the
 * other; nobody else does until the lease runs out or is given back.
 */
export interface Lane {
  readonly webhook: SigningWebhook;
  readonly orgId: string;
  readonly orgSlug: string;
  /** Proves that this is still the holder. */
  readonly lease: string;
  readonly lastMatched: number | null;
  /** When something was sent to it last. */
  readonly lastAttemptAt: number | null;
}

/** A delivery that was tried before and is due again. */
export interface DueDelivery {
  readonly id: string;
  readonly step: number;
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly prevSequence: number | null;
  /** Missing when the event is no longer kept. */
  readonly event: EventRecord | undefined;
}

export interface Attempt {
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
  /** The address that was called. */
  readonly url: string;
}

export interface Settled {
  readonly id: string;
  /** With a first attempt: what the delivery is of. */
  readonly fresh: { readonly event: EventRecord; readonly prevSequence: number | null } | undefined;
  /** With a later one: the delivery as it was due. Sent again by somebody meanwhile, it is another, and stays pending. */
  readonly due: Pick<DueDelivery, "step" | "nextAttemptAt"> | undefined;
  readonly state: "pending" | "delivered" | "failed";
  readonly step: number;
  readonly nextAttemptAt: number | null;
  readonly attempt: Attempt | undefined;
}

export interface LaneProgress {
  readonly cursor: number;
  readonly lastMatched: number | null;
  readonly failingSince: number | null;
  readonly lastAttemptAt: number | null;
  /** Until when the holder keeps the lane; null gives it back. */
  readonly leaseUntil: number | null;
  readonly disable: string | undefined;
}

/** What delivery needs of a database. */
export interface LaneStore {
  /** Webhooks with something to send that nobody holds and whose key is here: those that work first, then by how long they wait. */
  waiting(now: number, limit: number): Promise<Array<{ id: string; failing: boolean }>>;
  /** Takes every lane from whoever holds it; what they still write is refused. */
  releaseAll(): Promise<void>;
  /** Gives back lanes whose service was interrupted, as far as nobody has taken them since. */
  giveBack(lanes: readonly Lane[], now: number): Promise<void>;
  /** Those of the lanes that are free and can be signed for; a webhook whose sealed secret is damaged is disabled. */
  claim(ids: readonly string[], now: number): Promise<Lane[]>;
  /** The webhook as it is now: its secret may have been rotated, it may have been paused or removed. */
  current(lane: Lane): Promise<WebhookRecord | undefined>;
  due(lane: Lane, now: number, limit: number): Promise<DueDelivery[]>;
  eventsAfter(lane: Lane, cursor: number, limit: number): Promise<EventRecord[]>;
  /** The last of the organisation's events that are no longer kept. */
  purgedThrough(lane: Lane): Promise<number>;
  /** Keeps what happened, unless the lease was lost; answers with the webhook's state. */
  settle(
    lane: Lane,
    settled: readonly Settled[],
    progress: LaneProgress,
    now: number,
  ): Promise<WebhookState | "lost">;
}
