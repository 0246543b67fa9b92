import type { PoolUse } from "./pool-use.ts";

/** How often free addresses are counted, and how far back is looked: a day. */
const SAMPLE_SECONDS = 600;
const MAX_SAMPLES = 144;
/** From fewer, an hour's, nothing is told. */
const MIN_SAMPLES = 7;
/** What is further off than this is not worth a warning. */
const MAX_HOURS = 30 * 24;

type PoolCount = Pick<PoolUse, "free" | "usable">;

interface Sample extends PoolCount {
  readonly hour: number;
}

/** When pools will be full, if they go on as in the last day. Times are seconds of the engine's clock. */
export class PoolForecast {
  #samples = new Map<string, Sample[]>();
  #nextAt = 0;

  /** Counts the free addresses of each pool by its name, when it is time to; pools that are gone are forgotten. */
  sample(now: number, countPools: () => ReadonlyMap<string, PoolCount>): void {
    if (now < this.#nextAt) return;
    this.#nextAt = now + SAMPLE_SECONDS;
    const samples = new Map<string, Sample[]>();
    for (const [pool, { free, usable }] of countPools()) {
      const known = this.#known(pool, usable);
      samples.set(pool, [...known.slice(1 - MAX_SAMPLES), { hour: now / 3600, free, usable }]);
    }
    this.#samples = samples;
  }

  /** What was counted while the pool had so many addresses to give: what a reload adds or keeps back is no demand. */
  #known(pool: string, usable: number): readonly Sample[] {
    const samples = this.#samples.get(pool);
    return samples?.at(-1)?.usable === usable ? samples : [];
  }

  /** Hours until a pool is full; undefined when it does not fill up, not soon, or not enough is known. */
  hoursUntilFull(pool: string, { free, usable }: PoolCount): number | undefined {
    if (free <= 0) return 0;
    const samples = this.#known(pool, usable);
    if (samples.length < MIN_SAMPLES) return undefined;
    const hours = free / -slope(samples);
    return hours >= 0 && hours <= MAX_HOURS ? Math.round(hours * 10) / 10 : undefined;
  }
}

/** Free addresses that come an hour, by least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [hour, free] = [mean((sample) => sample.hour), mean((sample) => sample.free)];
  const together = mean((sample) => (sample.hour - hour) * (sample.free - free));
  return together / mean((sample) => (sample.hour - hour) ** 2);
}
