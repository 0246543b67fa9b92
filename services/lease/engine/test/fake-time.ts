import type { TimeSources } from "../src/loop/engine-clock.ts";

/** Clocks that stand still until a test moves them. */
export interface FakeTime extends TimeSources {
  now(): number;
  /** Time passes, on all clocks. */
  advance(milliseconds: number): void;
  /** The wall clock is set. */
  step(milliseconds: number): void;
  /** The machine sleeps: the monotonic clock does not notice. */
  sleep(milliseconds: number): void;
  /** The machine is off for so long, and is started anew. */
  reboot(milliseconds: number): void;
}

let machines = 0;

export function fakeTime(start: string | number = "2026-01-01T00:00:00Z"): FakeTime {
  let wall = new Date(start).getTime();
  let monotonic = 5000;
  let uptime = 9000;
  const machine = ++machines;
  let boots = 1;
  const advance = (milliseconds: number) => {
    wall += milliseconds;
    monotonic += milliseconds;
    uptime += milliseconds;
  };
  return {
    now: () => wall,
    wall: () => wall,
    monotonic: () => monotonic,
    uptime: () => uptime,
    get bootId() {
      return `boot ${boots} of ${machine}`;
    },
    advance,
    step: (milliseconds) => {
      wall += milliseconds;
    },
    sleep: (milliseconds) => {
      wall += milliseconds;
      uptime += milliseconds;
    },
    reboot: (milliseconds) => {
      wall += milliseconds;
      monotonic = 0;
      uptime = 0;
      boots++;
    },
  };
}
