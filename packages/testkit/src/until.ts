import { setTimeout as delay } from "node:timers/promises";

/** Only what hangs reaches it, however busy the machine is. */
const LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 20;

/** Waits until something holds that no event tells of; fails with its name when it never does. */
export async function until(what: string, holds: () => unknown): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
