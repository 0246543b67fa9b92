import type { Log } from "@frontdesk/kit/log";

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

/** Does each round's work again and again, never twice at once, until it is told to stop. */
export function startRounds(rounds: readonly Round[], log: Log, timer: Timer): { stop(): Promise<void> } {
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
        log.error({ err, round: name }, "a round failed and will be tried again");
      }
      if (!stopped) await pause(everyMs);
    }
  });
  return {
    stop: async () => {
      stopped = true;
      for (const done of [...wake]) done();
      await Promise.all(running);
    },
  };
}
