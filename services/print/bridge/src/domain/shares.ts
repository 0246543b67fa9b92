/** Something there is only so much of, and what each origin has of it. */
export interface Shares {
  readonly taken: number;
  takenBy(origin: string): number;
  /** Whether an origin may have more; `isShared`: whether others may want some as well. */
  hasRoom(origin: string, amount: number, isShared: () => boolean): boolean;
  take(origin: string, amount: number): void;
  giveBack(origin: string, amount: number): void;
}

/**
 * Nobody takes it all from the others: where it is shared, an origin may have half of what the others leave. So the next
 * one always finds half of the rest. Where nobody has any, the first may have all of it: otherwise what is larger than
 * half would never find room.
 */
export function createShares(max: number): Shares {
  const byOrigin = new Map<string, number>();
  let taken = 0;
  const takenBy = (origin: string) => byOrigin.get(origin) ?? 0;
  function change(origin: string, amount: number): void {
    taken += amount;
    const now = takenBy(origin) + amount;
    if (now > 0) byOrigin.set(origin, now);
    else byOrigin.delete(origin);
  }
  return {
    get taken() {
      return taken;
    },
    takenBy,
    hasRoom: (origin, amount, isShared) => {
      if (taken + amount > max) return false;
      const mine = takenBy(origin) + amount;
      const others = taken + amount - mine;
      return taken === 0 || mine <= (max - others) / 2 || !isShared();
    },
    take: change,
    giveBack: (origin, amount) => change(origin, -amount),
  };
}
