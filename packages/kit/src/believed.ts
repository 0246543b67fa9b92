import { type Clock, monotonicClock } from "./clock.ts";

const BELIEVED_MS = 5_000;

/**
 * A check that is asked for often, and by anybody, but costs something: where it went well it is believed for a while,
 * and many who ask at once are answered by one.
 */
export function believed(check: () => Promise<unknown>, monotonic: Clock = monotonicClock) {
  let wentWellAt = Number.NEGATIVE_INFINITY;
  let isDoubted = false;
  let underWay: Promise<void> | undefined;
  const run = async () => {
    isDoubted = false;
    await check();
    if (!isDoubted) wentWellAt = monotonic.now();
  };
  return {
    check: async (): Promise<void> => {
      if (monotonic.now() - wentWellAt < BELIEVED_MS) return;
      underWay ??= run().finally(() => {
        underWay = undefined;
      });
      await underWay;
    },
    /** It is no longer believed, nor is one that is under way. */
    doubt: (): void => {
      isDoubted = true;
      wentWellAt = Number.NEGATIVE_INFINITY;
    },
  };
}
