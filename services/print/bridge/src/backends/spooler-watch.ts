import { OVER, type Wait } from "../domain/backend.ts";
import { BridgeError } from "../domain/errors.ts";
import type { Spooler, SpoolerJob } from "../domain/spooler.ts";

/** While nothing changes, the time between two questions doubles up to so many times the shortest. */
const LONGEST = 20;

export const GONE: SpoolerJob = { state: "gone", reasons: [] };

/** Who waits for what becomes of a job. */
export interface JobListener {
  /** Undefined where the spooler did not tell. */
  hear(now: SpoolerJob | undefined): "ended" | "changed" | "same";
  fail(error: unknown): void;
  /** The bridge closes. */
  interrupt(): void;
}

/**
 * Asks a spooler how the jobs stand that it was handed: one question at a time for all of them, less and less often
 * while nothing changes.
 */
export function createSpoolerWatch(options: {
  readonly spooler: Pick<Spooler, "jobs" | "isCheap" | "formerly">;
  readonly wait: Wait;
  readonly pollMs: number;
  readonly closing: AbortSignal;
}) {
  const { spooler, closing } = options;
  const listeners = new Map<JobListener, string>();
  let watching = false;
  let interval = options.pollMs;
  let waiting = new AbortController();
  let pauseMs = 0;
  closing.addEventListener("abort", () => waiting.abort(OVER));

  async function ask(names: readonly string[]): Promise<ReadonlyMap<string, SpoolerJob>> {
    try {
      return await spooler.jobs(names, closing);
    } catch (error) {
      if (error instanceof BridgeError) return new Map();
      throw error;
    }
  }

  async function look(): Promise<void> {
    const asked = [...listeners];
    try {
      const told = await ask([...new Set(asked.map(([, name]) => name))]);
      if (closing.aborted) return;
      for (const [listener, name] of asked) {
        if (!listeners.has(listener)) continue;
        const heard = listener.hear(told.get(name));
        if (heard !== "same") interval = options.pollMs;
        if (heard === "ended") listeners.delete(listener);
      }
    } catch (error) {
      for (const [listener] of asked) {
        listeners.delete(listener);
        listener.fail(error);
      }
    }
  }

  async function watch(): Promise<void> {
    watching = true;
    while (listeners.size > 0 && !closing.aborted) {
      interval = Math.min(2 * interval, (spooler.isCheap ? 1 : LONGEST) * options.pollMs);
      await look();
      if (listeners.size === 0 || closing.aborted) break;
      waiting = new AbortController();
      pauseMs = interval;
      await options.wait(pauseMs, waiting.signal);
    }
    watching = false;
    if (!closing.aborted) return;
    for (const listener of listeners.keys()) listener.interrupt();
    listeners.clear();
  }

  return {
    add(name: string, listener: JobListener): void {
      // A name that is given again is no longer that of the earlier job.
      for (const [earlier, other] of listeners) {
        if (other === name && earlier.hear(spooler.formerly?.(name) ?? GONE) === "ended")
          listeners.delete(earlier);
      }
      listeners.set(listener, name);
      interval = options.pollMs / 2;
      if (!watching) void watch();
      // One question follows many jobs that are handed over one upon the other.
      else if (pauseMs > options.pollMs) waiting.abort(OVER);
    },
  };
}
