import type { Log } from "@frontdesk/kit/log";
import { type LaneTools, serveLane } from "./lane.ts";

export interface DispatcherOptions extends Omit<LaneTools, "stopping"> {
  readonly log: Log;
  /** How many lanes are served at once. */
  readonly most: number;
}

/** Shorter than the service's own limit for an orderly end. */
const GRACE_MS = 3_000;

/**
 * Gives waiting lanes to whoever is free. Each lane is served by itself, so one that hangs holds
 * nobody up; lanes whose last attempt failed together take at most half of the places.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { store, clock, log } = options;
  const running = new Map<string, { failing: boolean; ended: Promise<void> }>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  const tools: LaneTools = { ...options, stopping: () => stopped };

  async function look(): Promise<void> {
    const now = clock.now();
    const waiting = (await store.waiting(now, 2 * options.most)).filter(({ id }) => !running.has(id));
    const failingNow = [...running.values()].filter((lane) => lane.failing).length;
    let places = options.most - running.size;
    let failingPlaces = Math.floor(options.most / 2) - failingNow;
    const chosen = new Map<string, boolean>();
    for (const { id, failing } of waiting) {
      if (places <= 0 || (failing && failingPlaces <= 0)) break;
      chosen.set(id, failing);
      places--;
      if (failing) failingPlaces--;
    }
    if (chosen.size === 0 || stopped) return;
    for (const lane of await store.claim([...chosen.keys()], now, now + options.leaseMs)) {
      const { id } = lane.webhook;
      const ended = serveLane(lane, tools)
        .catch((err) => log.error({ err, webhook: id }, "a webhook's deliveries were interrupted"))
        .finally(() => {
          running.delete(id);
          poke();
        });
      running.set(id, { failing: chosen.get(id) ?? false, ended });
    }
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
        log.error({ err }, "waiting webhooks could not be looked up");
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
