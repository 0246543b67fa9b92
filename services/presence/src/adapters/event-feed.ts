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

  function pause(orgId: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const set = waiting.get(orgId) ?? new Set();
    waiting.set(orgId, set.add(resolve));
    const cancel = timer(resolve, POLL_MS);
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    return promise.finally(() => {
      cancel();
      set.delete(resolve);
      if (set.size === 0) waiting.delete(orgId);
    });
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
        const woken = pause(orgId, signal);
        const { items, more } = await reader.events(orgId, cursor, MAX_EVENTS_AT_ONCE);
        const first = items[0];
        if (first ? first.sequence > cursor + 1 : await isPurged(orgId, cursor)) {
          throw new EventsGone((await reader.eventRange(orgId)).purgedThrough);
        }
        for (const event of items) {
          if (signal.aborted) return;
          cursor = event.sequence;
          yield event;
        }
        if (!more && items.length === 0) await woken;
      }
    },
  };

  async function isPurged(orgId: string, cursor: number): Promise<boolean> {
    return (await reader.eventRange(orgId)).purgedThrough > cursor;
  }
}

export type EventFeed = ReturnType<typeof createEventFeed>;
