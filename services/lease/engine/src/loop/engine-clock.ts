import { uptime } from "node:os";

/** Milliseconds each. */
export interface TimeSources {
  /** Since the epoch, as the machine believes; it may be set at any time. */
  wall(): number;
  /** Runs evenly; stands still while the machine sleeps. */
  monotonic(): number;
  /** Runs evenly and counts sleep; may be coarse. */
  uptime(): number;
}

export const systemTime: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
};

/** Less than this between the clocks is their coarseness, not a step. */
const TOLERANCE_MS = 2000;

/**
 * The time that leases are counted in. It runs with the monotonic clock and never jumps, whatever
 * happens to the wall clock: a step ends no lease and prolongs none. The difference between the two
 * is kept with the leases, so that this holds across restarts; people are shown wall time.
 */
export class EngineClock {
  readonly #sources: TimeSources;
  #base: number;
  #monotonicBase: number;
  #uptimeBase: number;
  #offset: number;

  /** `newest`: when a client was last heard of. A start before it means that the wall clock is behind. */
  constructor(sources: TimeSources, kept: { offset: number; newest: number }) {
    this.#sources = sources;
    const wall = sources.wall();
    this.#base = Math.max(wall + kept.offset, kept.newest);
    this.#offset = this.#base - wall;
    this.#monotonicBase = sources.monotonic();
    this.#uptimeBase = sources.uptime();
  }

  now(): number {
    return Math.floor(this.#base + this.#sources.monotonic() - this.#monotonicBase);
  }

  /** Wall time, without the steps that were not seen yet. */
  wall(): number {
    return this.now() - this.#offset;
  }

  /** Engine time minus wall time. */
  get offset(): number {
    return this.#offset;
  }

  /** Compares the clocks; answers by how much the wall clock was set, or 0. */
  check(): number {
    const slept =
      this.#sources.uptime() - this.#uptimeBase - (this.#sources.monotonic() - this.#monotonicBase);
    // While the machine slept, the leases ran on.
    if (slept > TOLERANCE_MS) {
      this.#base += slept;
      this.#uptimeBase += slept;
    }
    const step = this.#sources.wall() - this.wall();
    if (Math.abs(step) < TOLERANCE_MS) return 0;
    this.#offset -= step;
    return step;
  }
}
