import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** Milliseconds each. */
export interface TimeSources {
  /** Since the epoch, as the machine believes; it may be set at any time. */
  wall(): number;
  /** Runs evenly; stands still while the machine sleeps. */
  monotonic(): number;
  /** Since the machine was started: runs evenly and counts sleep; may be coarse. */
  uptime(): number;
  /** Names this start of the machine; undefined where the system has no such name. */
  readonly bootId: string | undefined;
}

/** What of a clock is kept with the leases. */
export interface KeptClock {
  /** Engine time minus wall time. */
  readonly offset: number;
  /** The start of the machine that `bootTime` is of; null when it is not known. */
  readonly bootId: string | null;
  /** Engine time when the machine was started. */
  readonly bootTime: number;
}

export const systemTime: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  // A container may be shown the time since its own start, which is less than the monotonic clock tells.
  uptime: () => Math.max(uptime() * 1000, Number(process.hrtime.bigint() / 1_000_000n)),
  bootId: readBootId(),
};

function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Less than this between the clocks is their coarseness, not a step. */
const TOLERANCE_MS = 2000;
/**
 * Seconds of leases are kept in 32 bits, which end in 2106. A wall clock beyond this is wrong, and is not what engine
 * time begins with.
 */
const MAX_BELIEVED = Date.UTC(2100, 0, 1);
/** Where engine time begins when neither the wall clock nor a lease tells anything. */
const FIRST_TIME = Date.UTC(2026, 0, 1);

/**
 * The time that leases are counted in. It runs with the monotonic clock and never jumps, whatever
 * happens to the wall clock: a step ends no lease and prolongs none. Restarts of the engine go on by
 * the time since the machine was started. When the machine was started anew, only its wall clock
 * tells how much time has passed, corrected by the difference that is kept with the leases. People
 * are shown wall time.
 */
export class EngineClock {
  readonly #sources: TimeSources;
  #base: number;
  #monotonicBase: number;
  #uptimeBase: number;
  #offset: number;
  readonly #bootTime: number;

  /** `newest`: when a client was last heard of. A start before it means that the wall clock is behind. */
  constructor(sources: TimeSources, kept: KeptClock & { newest: number }) {
    this.#sources = sources;
    this.#monotonicBase = sources.monotonic();
    this.#uptimeBase = sources.uptime();
    const wall = sources.wall();
    const newest = kept.newest <= MAX_BELIEVED ? kept.newest : 0;
    const isSameBoot = sources.bootId !== undefined && sources.bootId === kept.bootId;
    const told = isSameBoot ? kept.bootTime + this.#uptimeBase : wall + kept.offset;
    this.#base = Math.max(told <= MAX_BELIEVED ? told : newest || FIRST_TIME, newest);
    this.#offset = this.#base - wall;
    this.#bootTime = this.#base - this.#uptimeBase;
  }

  /** What the next start needs to know. */
  get kept(): KeptClock {
    return { offset: this.#offset, bootId: this.#sources.bootId ?? null, bootTime: this.#bootTime };
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
