import { putLive } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { LeaseEvent } from "./api.ts";
import { type EventFilter, type EventPages, fits, placeEvent } from "./event-pages.ts";
import { queryClient } from "./session.ts";

/** Whoever has scrolled this far reads: rows that come in on top would push away what is read. */
const READING_PX = 300;
/** After so many they are kept no longer: every list is taken to lack some. */
export const MAX_SKIPPED = 1_000;
const NONE: readonly LeaseEvent[] = [];

/** Events that were not placed in the lists that they fit. */
export const skippedEvents = queryOptions({
  queryKey: ["skipped-events"],
  queryFn: () => NONE,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});
const skipped = () => queryClient.getQueryData(skippedEvents.queryKey) ?? NONE;

/** How many of them a list lacks. */
export const missingIn = (filter: EventFilter, events: readonly LeaseEvent[]): number =>
  events.length < MAX_SKIPPED ? events.filter((event) => fits(filter, event)).length : MAX_SKIPPED;

/**
 * On top of the lists that it fits. One that lacks an event gets no newer one before it is read anew: rows would stand beside each
 * other that are none in time.
 */
export function placeInLists(event: LeaseEvent): void {
  const before = skipped();
  const isReading = window.scrollY > READING_PX;
  let isSkipped = false;
  putLive<EventPages>(queryClient, ["event-pages"], (shown, [, key]) => {
    const filter = key as EventFilter;
    if (!fits(filter, event)) return shown;
    if (!isReading && missingIn(filter, before) === 0) return placeEvent(shown, event);
    isSkipped = true;
    return shown;
  });
  if (isSkipped && before.length < MAX_SKIPPED)
    queryClient.setQueryData(skippedEvents.queryKey, [...before, event]);
}

/** Reads the lists anew, if one of them may lack something. */
export function readMissing(): void {
  if (skipped().length === 0) return;
  queryClient.setQueryData(skippedEvents.queryKey, NONE);
  void queryClient.resetQueries({ queryKey: ["event-pages"] });
}
