import { DomainError } from "@frontdesk/kit/domain-error";
import type { FailureLog } from "@frontdesk/kit/sparing-log";
import { type LaneTools, serveLane } from "./lane.ts";
import type { Lane } from "./lane-store.ts";

export interface DispatcherOptions extends Omit<LaneTools, "stopping"> {
  readonly log: FailureLog;
  /** How many lanes are served at once. */
  readonly maxLanes: number;
}

/** The database cannot be asked at the moment. */
const isAway = (error: unknown): boolean => error instanceof DomainError && error.code === "unavailable";

/** A lane whose receiver takes this long to answer is slow. */
const SLOW_MS = 2_000;

/** Shorter than the service's own limit for an orderly end. */
const GRACE_MS = 3_000;

/**
 * Gives waiting lanes to whoever is free. Each lane is served by itself, so one that hangs holds
 * nobody up. Half of the places are for lanes that neither fail nor are slow: those that turn out to
 * be slow while they are served leave their place to others.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { store, clock, monotonic, log } = options;
  const running = new Map<string, { burden: boolean; startedAt: number; ended: Promise<void> }>();
  /** Whose last turn was slow. */
  const slow = new Set<string>();
  /** Lanes that are held for nothing since the database went away: nobody else serves them before their lease runs out. */
  let stranded: readonly Lane[] = [];
  /** Whose last turn was interrupted so. */
  const interrupted = new Set<string>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  const tools: LaneTools = { ...options, stopping: () => stopped };

  async function look(): Promise<void> {
    const now = clock.now();
    if (stranded.length > 0) {
      const lanes = stranded;
      await store.giveBack(lanes, now);
      stranded = stranded.filter((lane) => !lanes.includes(lane));
    }
    // So many that those known as slow, which may have to wait, leave room for the others.
    const limit = 2 * options.maxLanes + running.size + slow.size;
    const waiting = (await store.waiting(now, limit)).filter(({ id }) => !running.has(id));
    const half = Math.floor(options.maxLanes / 2);
    const burdens = [...running.values()].filter(isBurden).length;
    let places = options.maxLanes - (running.size - burdens) - Math.min(burdens, half);
    let burdenPlaces = half - burdens;
    const chosen = new Map<string, boolean>();
    for (const { id, failing } of waiting) {
      const burden = failing || slow.has(id);
      if (places <= 0) break;
      if (burden && burdenPlaces <= 0) continue;
      chosen.set(id, burden);
      places--;
      if (burden) burdenPlaces--;
    }
    if (chosen.size === 0 || stopped) return;
    for (const lane of await store.claim([...chosen.keys()], now)) {
      const { id } = lane.webhook;
      const startedAt = monotonic.now();
      const ended = serveLane(lane, tools)
        .then((slowest) => {
          interrupted.delete(id);
          if (slowest >= SLOW_MS) slow.add(id);
          else slow.delete(id);
        })
        .catch((err) => {
          // What fails otherwise, or once more (a disk that is full takes lanes, but not what was delivered), would fail
          // again at once, and its receiver hear the same without end: that waits for the lease.
          if (isAway(err) && !interrupted.has(id)) stranded = [...stranded, lane];
          interrupted.add(id);
          log.error({ err, webhook: id }, "deliveries of a webhook interrupted");
        })
        .finally(() => {
          running.delete(id);
          poke();
        });
      running.set(id, { burden: chosen.get(id) ?? false, startedAt, ended });
    }
  }

  function isBurden(lane: { burden: boolean; startedAt: number }): boolean {
    return lane.burden || monotonic.now() - lane.startedAt >= SLOW_MS;
  }

  /** Says that there may be something to send. */
  function poke(): void {
    if (stopped) return;
    lookAgain = true;
    looking ??= lookWhileAsked().finally(() => {
      looking = undefined;
    });
  }

  async function lookWhileAsked(): Promise<void> {
    while (lookAgain && !stopped) {
      lookAgain = false;
      // Changes that were made together are looked at together.
      await new Promise((next) => setImmediate(next));
      try {
        await look();
      } catch (err) {
        log.error({ err }, "looking up waiting webhooks failed");
      }
    }
  }

  return {
    poke,
    /** Resolves when nothing is being sent and nothing waits. */
    idle: async (): Promise<void> => {
      poke();
      while (looking || running.size > 0) {
        await looking;
        await Promise.all([...running.values()].map(({ ended }) => ended));
      }
    },
    /** Lets the attempts under way finish for a while, writes them down and gives the lanes back. */
    stop: async (): Promise<void> => {
      stopped = true;
      await looking;
      const timer = setTimeout(() => options.poster.cut(), GRACE_MS);
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
