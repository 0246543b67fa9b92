import { readFileSync } from "node:fs";
import { sinceBoot } from "./libc.ts";

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
  /** By how much replay detection is ahead of engine time, at the most. */
  readonly replayAhead: number;
}

export const systemTime: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  // os.uptime() reads a file, three times in each batch, and a container may be shown the time since its own start there.
  uptime: sinceBoot,
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
/** What is kept of `replayAhead` is rounded up to this: clocks drift, and not each millisecond is worth a write. */
const REPLAY_STEP_MS = 10_000;

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
  #replayAhead: number;
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
    this.#replayAhead = kept.replayAhead;
  }

  /** What the next start needs to know. */
  get kept(): KeptClock {
    const replayAhead = Math.ceil(this.#replayAhead / REPLAY_STEP_MS) * REPLAY_STEP_MS;
    return {
      offset: this.#offset,
      bootId: this.#sources.bootId ?? null,
      bootTime: this.#bootTime,
      replayAhead,
    };
  }

  now(): number {
    return Math.floor(this.#base + this.#sources.monotonic() - this.#monotonicBase);
  }

  /** Wall time, without the steps that were not seen yet. */
  wall(): number {
    return this.now() - this.#offset;
  }

  /** What replay detection of authenticated messages tells (RFC 9915 section 20.3): it only grows. */
  replay(): number {
    return this.now() + this.#replayAhead;
  }

  /** Clients drop what is not above all that the other server of a pair has sent them. */
  raiseReplay(to: number): void {
    if (to <= MAX_BELIEVED) this.#replayAhead = Math.max(this.#replayAhead, to - this.now());
  }

  /** What the wall clock says, unless that is past belief. */
  utc(): number {
    const wall = this.#sources.wall();
    return wall <= MAX_BELIEVED ? wall : this.now();
  }

  /**
   * How many milliseconds have passed whenever it is asked, by whichever clock counted most: one stands still while the
   * machine sleeps, and all but the wall clock while its host has stopped it.
   */
  stopwatch(): () => number {
    const sources = this.#sources;
    const begun = { wall: sources.wall(), monotonic: sources.monotonic(), uptime: sources.uptime() };
    return () =>
      Math.max(
        sources.wall() - begun.wall,
        sources.monotonic() - begun.monotonic,
        sources.uptime() - begun.uptime,
      );
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
