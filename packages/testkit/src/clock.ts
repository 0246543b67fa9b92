/** A clock that stands still until a test moves it. Fits the kit's `Clock`. */
export interface FakeClock {
  now(): number;
  advance(milliseconds: number): void;
}

export function fakeClock(start: string | number = "2026-01-01T00:00:00Z"): FakeClock {
  let now = new Date(start).getTime();
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
