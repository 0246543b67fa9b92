import { refusalAdvice, refusalText } from "../ha/refusal.ts";
import type { HaStatus } from "../ha/status.ts";

const HOUR_MS = 3_600_000;
/** Fewer free addresses of its own than this, while the peer is away, are told. */
const FEW_FREE = 8;

interface Warning {
  readonly about: string;
  readonly details: object;
  readonly message: string;
}

/** What of the pair an operator should know, as long as it is so. */
function warningsOf(status: HaStatus, skewSeconds: number, problem: string | undefined): Warning[] {
  const { state, reason, link, refusal, plan, conflicts, clockDifferenceMs, aloneSeconds, pools } = status;
  const isAlone = link === "down" && state !== "partner_down" && state !== "maintenance";
  const few = isAlone ? pools.filter(({ ownFree }) => ownFree < FEW_FREE) : [];
  return [
    ...(refusal
      ? [
          {
            about: `refusal ${refusal.because}`,
            details: { setting: refusal.because, here: refusal.here, there: refusal.there },
            message: `${refusalText(refusal)}. ${refusalAdvice(refusal)}`,
          },
        ]
      : []),
    ...(isAlone && !refusal
      ? [
          {
            about: "alone",
            details: {
              state,
              reason,
              seconds: Math.round(aloneSeconds),
              ...(problem ? { link: problem } : {}),
            },
            message:
              "no contact to the peer: a restart now would end service after max_lead; if the peer has stopped, run leasectl ha partner-down",
          },
        ]
      : []),
    ...few.map(({ subnet, pool, ownFree }) => ({
      about: `few ${pool}`,
      details: { subnet, pool, free: ownFree },
      message: "few addresses are left for new clients while the peer is away",
    })),
    ...(Math.abs(clockDifferenceMs) > skewSeconds * 1000
      ? [
          {
            about: "clock",
            details: { milliseconds: Math.round(clockDifferenceMs) },
            message: "the clocks of the two nodes differ by more than max_clock_skew: no lease is ended",
          },
        ]
      : []),
    ...(plan.frozen
      ? [
          {
            about: "plan",
            details: {},
            message:
              "pools or reservations of the two nodes differ: addresses that differ are given to nobody new, and where the two have never agreed, one of them gives new clients nothing (leasectl ha status)",
          },
        ]
      : []),
    ...(conflicts > 0
      ? [
          {
            about: `conflicts ${conflicts}`,
            details: { conflicts },
            message: "two clients were given one address after a takeover: the event history tells which",
          },
        ]
      : []),
  ];
}

/** Tells each warning when it begins to hold, and hourly while it does. */
export function createHaWarnings(options: {
  readonly warn: (details: object, message: string) => void;
  readonly now: () => number;
}): (status: HaStatus, skewSeconds: number, problem: string | undefined) => void {
  const toldAt = new Map<string, number>();
  return (status, skewSeconds, problem) => {
    const now = options.now();
    const holds = warningsOf(status, skewSeconds, problem);
    for (const about of toldAt.keys()) if (!holds.some((each) => each.about === about)) toldAt.delete(about);
    for (const { about, details, message } of holds) {
      const last = toldAt.get(about);
      if (last !== undefined && now - last < HOUR_MS) continue;
      toldAt.set(about, now);
      options.warn(details, message);
    }
  };
}
