const RUNS = 3;
/** Four times as much takes four times as long, with some room; what looks at each for each takes sixteen times. */
export const MAX_GROWTH = 9;

/**
 * How many times as long a piece of work takes when there is four times as much of it, in processor time. The quickest of
 * several runs of it counts, so that what else the machine does hardly matters. `prepare` is not counted.
 */
export function growth(size: number, prepare: (size: number) => () => unknown): number {
  return Math.max(quickest(4 * size, prepare), 1) / Math.max(quickest(size, prepare), 1);
}

function quickest(size: number, prepare: (size: number) => () => unknown): number {
  const work = prepare(size);
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times) / 1000;
}
