import { EventsGone } from "../domain/codes.ts";
import type { EventRecord } from "../domain/records.ts";
import { systemTimer, type Timer } from "../rounds.ts";
import type { StoreReader } from "./store-reader.ts";

const MAX_EVENTS_AT_ONCE = 200;
/** What no wake-up tells of is found after this long. */
const POLL_MS = 1_000;

/**
 * The events of organisations as they are committed: at once for those of this process, by NOTIFY for
 * those of other copies. Both only wake; what is read from the database is the truth, and it is read
 * again after a while without any wake-up.
 */
export function createEventFeed(
  reader: Pick<StoreReader, "events" | "eventRange">,
  timer: Timer = systemTimer,
) {
  const waiting = new Map<string, Set<() => void>>();

  /** Ends by a wake-up, by time or by the signal. Whoever began it cancels it, so that nothing of it is left. */
  function beginPause(orgId: string, signal: AbortSignal): { ended: Promise<void>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const set = waiting.get(orgId) ?? new Set();
    waiting.set(orgId, set.add(end));
    const stopTimer = timer(end, POLL_MS);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    return {
      ended: promise,
      cancel: () => {
        stopTimer();
        signal.removeEventListener("abort", end);
        set.delete(end);
        if (set.size === 0 && waiting.get(orgId) === set) waiting.delete(orgId);
      },
    };
  }

  return {
    /** An organisation has new events; without one, any may have. */
    wake(orgId?: string): void {
      const woken = orgId === undefined ? [...waiting.values()] : [waiting.get(orgId) ?? []];
      for (const resolve of woken.flatMap((set) => [...set])) resolve();
    },

    /**
     * Every event of an organisation after a sequence, in order and without a gap, until the signal is
     * aborted. Throws `EventsGone` where events after that sequence are no longer kept.
     */
    async *subscribe(orgId: string, after: number, signal: AbortSignal): AsyncGenerator<EventRecord> {
      let cursor = after;
      while (!signal.aborted) {
        // Before the read: what is committed during it wakes the pause that follows.
        const pause = beginPause(orgId, signal);
        try {
          const { items } = await reader.events(orgId, cursor, MAX_EVENTS_AT_ONCE);
          const first = items[0];
          if (first ? first.sequence > cursor + 1 : await isPurged(orgId, cursor)) {
            throw new EventsGone((await reader.eventRange(orgId)).purgedThrough);
          }
          for (const event of items) {
            if (signal.aborted) return;
            cursor = event.sequence;
            yield event;
          }
          if (items.length === 0) await pause.ended;
        } finally {
          pause.cancel();
        }
      }
    },
  };

  async function isPurged(orgId: string, cursor: number): Promise<boolean> {
    return (await reader.eventRange(orgId)).purgedThrough > cursor;
  }
}

export type EventFeed = ReturnType<typeof createEventFeed>;
