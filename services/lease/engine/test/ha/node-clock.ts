import type { PairMoment, PairTime } from "../../src/ha/pair-time.ts";

/** What stands still: the process alone, the machine asleep, or a virtual machine that its host has paused. */
export type Pause = "process" | "sleep" | "machine";

/** How fast a clock that is slewed comes to where it shall be, seconds a second. */
const SLEW = 0.1;

/** The clocks of one machine, by true time. All are seconds. */
export class NodeClock {
  readonly #trueTime: () => number;
  #pairTime: PairTime;
  /** The wall clock minus true time. */
  #offset: number;
  #slewed: { readonly from: number; readonly to: number; readonly at: number } | undefined;
  /** True time that a clock did not count. */
  readonly #unseen = { monotonic: 0, uptime: 0 };
  #pausedAt: { readonly at: number; readonly how: Pause } | undefined;
  /** The engine's time minus the uptime, for nodes without an engine's clock. */
  #first: number;

  constructor(trueTime: () => number, offset: number, pairTime: PairTime) {
    this.#trueTime = trueTime;
    this.#pairTime = pairTime;
    this.#offset = offset;
    this.#first = this.wall - this.uptime;
  }

  /** The machine is started anew: what an engine kept of its time is all that it knows, beside the wall clock. */
  reboot(shift: number): void {
    this.#first = this.wall + shift - this.uptime;
  }

  /** Another process reads the clocks. */
  begin(pairTime: PairTime): void {
    this.#pairTime = pairTime;
  }

  get offset(): number {
    const { from, to, at } = this.#slewed ?? { from: this.#offset, to: this.#offset, at: 0 };
    const passed = (this.#trueTime() - at) * SLEW;
    return from < to ? Math.min(to, from + passed) : Math.max(to, from - passed);
  }

  /** The wall clock is set. */
  set offset(offset: number) {
    this.#offset = offset;
    this.#slewed = undefined;
  }

  /** The wall clock is brought to where it shall be little by little. */
  slewTo(offset: number): void {
    this.#slewed = { from: this.offset, to: offset, at: this.#trueTime() };
  }

  /** What stands still now. */
  get pausedHow(): Pause | undefined {
    return this.#pausedAt?.how;
  }

  pause(how: Pause): void {
    this.#pausedAt = { at: this.#trueTime(), how };
  }

  /** The wall clock is right again before anything else happens: the system or the host sees to it. */
  resume(): void {
    const { at, how } = this.#pausedAt ?? { at: 0, how: "process" };
    const missed = this.#trueTime() - at;
    if (how !== "process") this.#unseen.monotonic += missed;
    if (how === "machine") this.#unseen.uptime += missed;
    this.#pausedAt = undefined;
  }

  get wall(): number {
    return this.#trueTime() + this.offset;
  }

  get monotonic(): number {
    return this.#trueTime() - this.#unseen.monotonic;
  }

  get uptime(): number {
    return this.#trueTime() - this.#unseen.uptime;
  }

  /** What an engine's clock makes of it that was never started anew. */
  get engine(): number {
    return this.uptime + this.#first;
  }

  /** By how much the wall clock was set since this was last asked. */
  step(): number {
    return this.#pairTime.stepAt(this.moment());
  }

  /** Seconds of the engine's time since this was last asked. */
  passed(): number {
    return this.#pairTime.passedAt(this.moment());
  }

  /** As the pair sees it, with the time of an engine. */
  moment(engine = this.engine): PairMoment {
    return this.#pairTime.at(this.wall, engine);
  }
}
