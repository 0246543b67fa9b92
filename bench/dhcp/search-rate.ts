const MOST_LOST = 0.025;
const MOST_TRIED = 60_000;

/** The highest rate at which at most 2.5 % of the exchanges are lost, to about an eighth. */
export function searchRate(lossAt: (rate: number) => number, start: number): number {
  const holds = (rate: number) => {
    const lost = lossAt(rate);
    console.error(`  ${rate} a second: ${(lost * 100).toFixed(1)} % lost`);
    return lost <= MOST_LOST;
  };
  let good = start;
  while (!holds(good)) {
    good = Math.round(good / 2);
    if (good < 20) return 0;
  }
  let bad = good * 2;
  while (bad < MOST_TRIED && holds(bad)) {
    good = bad;
    bad *= 2;
  }
  for (let n = 0; n < 3; n++) {
    const middle = Math.round((good + bad) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
