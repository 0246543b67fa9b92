import type { Wait } from "../src/domain/backend.ts";

/** Lets everything that waits for nothing but other promises come to its end. */
const settle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/**
 * Time that passes only when nothing else can happen: an hour of waiting costs a few turns of the event loop, and
 * what is to happen first happens first, however busy the machine is.
 */
export function virtualTime() {
  let now = 0;
  let sleepers: Array<{ readonly due: number; readonly wake: () => void }> = [];

  const wait: Wait = (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = { due: now + milliseconds, wake: resolve };
      sleepers.push(sleeper);
      signal?.addEventListener(
        "abort",
        () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          resolve();
        },
        { once: true },
      );
    });

  async function step(): Promise<boolean> {
    const due = Math.min(...sleepers.map((sleeper) => sleeper.due));
    if (due === Number.POSITIVE_INFINITY) return false;
    now = Math.max(now, due);
    const awake = sleepers.filter((sleeper) => sleeper.due === due);
    sleepers = sleepers.filter((sleeper) => sleeper.due !== due);
    for (const { wake } of awake) wake();
    await settle();
    return true;
  }

  return {
    wait,
    monotonic: () => now,
    /** The machine sleeps: time passes, and nothing happens in it. */
    sleep(milliseconds: number): void {
      now += milliseconds;
    },
    /** Lets time pass until something holds; false where nothing is left that could bring it about. */
    async until(holds: () => unknown, limitMs = 24 * 3_600_000): Promise<boolean> {
      const end = now + limitMs;
      await settle();
      while (!holds()) if (now > end || !(await step())) return false;
      return true;
    },
    async pass(milliseconds: number): Promise<void> {
      const over = wait(milliseconds).then(() => true);
      let isOver = false;
      void over.then(() => {
        isOver = true;
      });
      await settle();
      while (!isOver) await step();
    },
  };
}
