import type { FailureLog } from "@frontdesk/kit/sparing-log";

export interface Round {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => unknown;
  /** The first time is after the first pause. */
  readonly notAtStart?: boolean;
}

/** Calls back after a while; what it returns forgets about that. */
export type Timer = (done: () => void, ms: number) => () => void;

export const systemTimer: Timer = (done, ms) => {
  const timer = setTimeout(done, ms);
  return () => clearTimeout(timer);
};

/** Shorter than a service's limit for an orderly end. */
const MAX_STOP_MS = 3_000;

/**
 * Does each round's work again and again, never twice at once, until it is told to stop. Work that then
 * takes too long (a mail server that does not answer) is left: what it has not written down is done again
 * after the next start.
 */
export function startRounds(
  rounds: readonly Round[],
  log: FailureLog,
  timer: Timer,
): { stop(): Promise<void> } {
  let stopped = false;
  const wake = new Set<() => void>();
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        wake.delete(done);
        resolve();
      };
      const cancel = timer(done, ms);
      wake.add(done);
    });
  const running = rounds.map(async ({ name, everyMs, work, notAtStart }) => {
    if (notAtStart) await pause(everyMs);
    while (!stopped) {
      try {
        await work();
      } catch (err) {
        // Left behind, it finds the store closed.
        if (!stopped) log.error({ err, round: name }, "a round failed and will be tried again");
      }
      if (!stopped) await pause(everyMs);
    }
  });
  return {
    stop: async () => {
      stopped = true;
      for (const done of [...wake]) done();
      let cancel = () => {};
      const limit = new Promise<void>((resolve) => {
        cancel = systemTimer(resolve, MAX_STOP_MS);
      });
      await Promise.race([Promise.all(running), limit]);
      cancel();
    },
  };
}
