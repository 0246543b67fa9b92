interface Lane {
  /** Tells the change that waits whether it is its turn, or that a newer one has taken its place. */
  waiting: ((isNewest: boolean) => void) | undefined;
}

/**
 * Makes changes of one thing one after the other; of those that wait, the newest alone: whatever the network does, the
 * last click is the last that the server hears of. Answers undefined where a newer change follows.
 */
export function createNewestLast() {
  const lanes = new Map<string, Lane>();
  return async <T>(about: string, change: () => Promise<T>): Promise<T | undefined> => {
    const busy = lanes.get(about);
    const lane: Lane = busy ?? { waiting: undefined };
    if (busy) {
      busy.waiting?.(false);
      const isNewest = await new Promise<boolean>((resolve) => {
        busy.waiting = resolve;
      });
      if (!isNewest) return undefined;
    } else lanes.set(about, lane);
    try {
      const answer = await change();
      return lane.waiting ? undefined : answer;
    } finally {
      const next = lane.waiting;
      lane.waiting = undefined;
      if (next) next(true);
      else lanes.delete(about);
    }
  };
}
