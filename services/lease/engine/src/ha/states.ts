export const STATES = [
  "startup",
  "resync",
  "normal",
  "interrupted",
  "partner_down",
  "recover",
  "conflict",
  "maintenance",
] as const;
export type State = (typeof STATES)[number];
