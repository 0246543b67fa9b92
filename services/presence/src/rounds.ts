import type { Log } from "@frontdesk/kit/log";

export interface Round {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => unknown;
}

/** Does each round's work again and again, never twice at once, until it is told to stop. */
export function startRounds(rounds: readonly Round[], log: Log): { stop(): Promise<void> } {
  let stopped = false;
  const wake = new Set<() => void>();
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        wake.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      wake.add(done);
    });
  const running = rounds.map(async ({ name, everyMs, work }) => {
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
