/** What a node of a pair can be in. */
export const HA_STATES = [
  "startup",
  "resync",
  "normal",
  "interrupted",
  "partner_down",
  "recover",
  "conflict",
  "maintenance",
] as const;
export type HaState = (typeof HA_STATES)[number];
