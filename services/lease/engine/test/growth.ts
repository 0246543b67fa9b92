const RUNS = 12;
const TIMES_AS_MUCH = 16;
/** In proportion it is 1; there is room for caches, which hold the small work whole. What looks at each for each has 16. */
export const MAX_GROWTH = 4;

/**
 * How much longer a piece of work takes at `size` than sixteen pieces of a sixteenth of it. The one and the sixteen alternate,
 * so that both are compiled alike; they take about as long, so that whatever else the machine does disturbs both alike; and
 * the quickest of each counts. (Processor time is told in steps of four milliseconds on some machines, too coarse for this.)
 * `prepare` is not counted.
 */
export function growth(size: number, prepare: (size: number) => () => unknown): number {
  const small = prepare(size / TIMES_AS_MUCH);
  const large = prepare(size);
  let [least, most] = [Infinity, Infinity];
  for (let run = 0; run < RUNS; run++) {
    least = Math.min(least, milliseconds(TIMES_AS_MUCH, small));
    most = Math.min(most, milliseconds(1, large));
  }
  return most / least;
}

function milliseconds(times: number, work: () => unknown): number {
  const before = performance.now();
  for (let time = 0; time < times; time++) work();
  return performance.now() - before;
}
