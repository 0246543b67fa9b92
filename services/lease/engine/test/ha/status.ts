import type { HaStatus } from "../../src/ha/status.ts";

/** A pair in normal operation. */
export const NORMAL: HaStatus = {
  state: "normal",
  since: 1_800_000_000,
  reason: "both have everything of each other",
  role: "primary",
  mode: "hot-standby",
  epoch: 3,
  link: "up",
  refusal: null,
  peer: { state: "normal", since: 1_800_000_000, serving: true, lastContact: 1_800_000_100 },
  unackedUpdates: 2,
  oldestUnackedSeconds: 0.5,
  pools: [{ subnet: "10.77.0.0/16", pool: "10.77.1.1-10.77.1.99", ownFree: 40, peerFree: 41, awaiting: 3 }],
  clockDifferenceMs: 120,
  plan: { agreed: true, frozen: false },
  serviceHashEqual: true,
  takeover: null,
  lastResync: { at: 1_800_000_000, rows: 17, seconds: 0.25 },
  handedOver: false,
  conflicts: 0,
  shortened: 5,
  updates: { sent: 100, received: 7 },
  aloneSeconds: 0,
  advice: null,
};
