/** Frames of all connections in one turn of the event loop. */
const MAX_FRAMES = 8;

/**
 * Shares the event loop between frames and everything else: what the disk and the printers answer is seen between two
 * turns, however many frames have come at once. Who finds no place waits, and goes in the order of coming.
 */
export interface FrameTurns {
  /** Whether a frame may be handled now. */
  take(): boolean;
  /** Calls back in a later turn, once for however many times it was asked; `take` is asked again then. */
  wait(next: () => void): void;
}

export function createFrameTurns(): FrameTurns {
  const waiting = new Set<() => void>();
  let taken = 0;
  let isCalling = false;

  function nextTurn(): void {
    taken = 0;
    isCalling = true;
    for (const next of waiting) {
      if (taken === MAX_FRAMES) break;
      waiting.delete(next);
      next();
    }
    isCalling = false;
    if (taken > 0 || waiting.size > 0) setImmediate(nextTurn);
  }

  return {
    take: () => {
      if (taken === MAX_FRAMES || (waiting.size > 0 && !isCalling)) return false;
      if (taken++ === 0 && !isCalling) setImmediate(nextTurn);
      return true;
    },
    wait: (next) => {
      waiting.add(next);
    },
  };
}
