const listeners = new Set<() => void>();

/** For whatever shows something of a person: it is called when they have left, or another one has come. */
export function whenLeft(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let leavings = 0;

/** How often somebody has left: where it is another number than before, what was begun before is for nobody. */
export const timesLeft = (): number => leavings;

export function tellLeft(): void {
  leavings++;
  for (const listener of [...listeners]) listener();
}
