import { refuse } from "../domain/errors.ts";

/** Runs at most `max` at once and lets `maxWaiting` wait; whoever comes then is asked to come again. */
export function createSemaphore(max: number, maxWaiting: number) {
  const waiting: Array<() => void> = [];
  let held = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (held >= max) {
      if (waiting.length >= maxWaiting) throw refuse("overloaded", 1);
      await new Promise<void>((enter) => waiting.push(enter));
    } else {
      held += 1;
    }
    try {
      return await work();
    } finally {
      // The permit goes to the next who waits, or back.
      const next = waiting.shift();
      if (next) next();
      else held -= 1;
    }
  };
}
