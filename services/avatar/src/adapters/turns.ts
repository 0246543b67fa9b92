import { refuse } from "../domain/errors.ts";

/** Lets so many in at once and so many wait; whoever comes then is asked to come again. */
export function createTurns(most: number, mostWaiting: number) {
  const waiting: Array<() => void> = [];
  let inside = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside >= most) {
      if (waiting.length >= mostWaiting) throw refuse("overloaded", 1);
      await new Promise<void>((enter) => waiting.push(enter));
    } else {
      inside += 1;
    }
    try {
      return await work();
    } finally {
      // Who leaves gives the place to the next, or up.
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
