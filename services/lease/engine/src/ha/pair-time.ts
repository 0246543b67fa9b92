/** One moment as a node of a pair sees it. */
export interface PairMoment {
  /** Seconds of UTC: what both nodes count in. */
  readonly now: number;
  /** The same moment in engine time, which leases end in: it goes on evenly when the clock is set. */
  readonly engine: number;
  /** Engine time minus UTC, whole seconds as the ends of leases are. */
  readonly shift: number;
}

/** The clocks may be so far apart without one of them having been set. */
const COARSE_SECONDS = 2;

/**
 * The time that a pair counts in: UTC, as the wall clock tells it. It stands still while the clock was set back by less
 * than the skew; set back further, it goes back with it, which the core takes for a pause, as it does a step forward.
 */
export class PairTime {
  readonly #skew: number;
  #now = Number.NEGATIVE_INFINITY;
  #shift: number | undefined;
  #seen: number | undefined;
  #asked: number | undefined;

  /** `kept`: engine time minus UTC as it was when a process of this node last looked, in seconds. */
  constructor(skew: number, kept?: number) {
    this.#skew = skew;
    this.#seen = kept === undefined ? undefined : Math.round(kept);
  }

  /** By how many seconds the clock was set since this was last asked; 0 where that is within the skew. */
  stepAt({ shift }: PairMoment): number {
    const step = (this.#seen ?? shift) - shift;
    this.#seen = shift;
    return Math.abs(step) > Math.max(this.#skew, COARSE_SECONDS) ? step : 0;
  }

  /** Seconds of the engine's time since this was last asked. */
  passedAt({ engine }: PairMoment): number {
    const passed = engine - (this.#asked ?? engine);
    this.#asked = engine;
    return passed;
  }

  /** Seconds of the wall clock, and of the engine's. */
  at(wall: number, engine: number): PairMoment {
    if (wall >= this.#now || this.#now - wall > this.#skew) this.#now = wall;
    const shift = engine - wall;
    // A second more or less is no reason to move the ends of leases.
    if (this.#shift === undefined || Math.abs(shift - this.#shift) >= 1) this.#shift = Math.round(shift);
    return { now: this.#now, engine, shift: this.#shift };
  }
}
