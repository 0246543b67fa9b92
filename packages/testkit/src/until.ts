import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

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

/** Waits until what is read is as it should be; where it never is, the failure shows what it was last. */
export async function untilEqual<T>(
  read: () => Promise<T> | T,
  wanted: NoInfer<T>,
  message?: string,
): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const last = await read();
    if (isDeepStrictEqual(last, wanted)) return;
    if (performance.now() > deadline) assert.deepEqual(last, wanted, message);
    await delay(LOOK_EVERY_MS);
  }
}
