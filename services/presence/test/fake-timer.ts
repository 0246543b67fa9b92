import { setImmediate as turn } from "node:timers/promises";
import type { FakeClock } from "@frontdesk/testkit/clock";
import type { Timer } from "../src/rounds.ts";

/** A timer that goes by a fake clock. */
export function fakeTimer(clock: FakeClock) {
  const waiting = new Set<{ at: number; done: () => void }>();
  const timer: Timer = (done, ms) => {
    const entry = { at: clock.now() + ms, done };
    waiting.add(entry);
    return () => waiting.delete(entry);
  };
  /** Resolves when so many wait: then everyone else has done what there was to do. */
  const settled = async (count: number): Promise<void> => {
    while (waiting.size < count) await turn();
  };
  return {
    timer,
    settled,
    /** Moves the clock to the moment when the next one is due, but not beyond the limit. */
    advance: async (limit: number): Promise<void> => {
      const count = waiting.size;
      const next = Math.min(limit, ...[...waiting].map(({ at }) => at));
      clock.advance(next - clock.now());
      for (const { at, done } of [...waiting]) if (at <= next) done();
      await settled(count);
    },
  };
}
