/** What can happen to a lease. Their places are their numbers on disk: new ones come at the end. */
export const EVENT_TYPES = [
  "grant",
  "renew",
  "release",
  "expire",
  "decline",
  "conflict",
  "nak",
  "refusal",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
