/** Delta debugging: as few of the steps as still fail, in their order. */
export function fewestSteps<T>(steps: readonly T[], fails: (fewer: readonly T[]) => boolean): readonly T[] {
  let kept = steps;
  let parts = 2;
  while (kept.length > 1) {
    const size = Math.ceil(kept.length / parts);
    const without = Array.from({ length: parts }, (_, part) => [
      ...kept.slice(0, part * size),
      ...kept.slice((part + 1) * size),
    ]).find((fewer) => fewer.length < kept.length && fails(fewer));
    if (without) {
      kept = without;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) return kept;
    else parts = Math.min(kept.length, parts * 2);
  }
  return kept;
}
