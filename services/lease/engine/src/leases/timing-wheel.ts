import type { LinkedLists } from "./linked-lists.ts";

const SPOKES = 256;
const LEVELS = 4;

/** How many list heads a wheel takes, the one for what is due included. */
export const WHEEL_HEADS = SPOKES * LEVELS + 1;

/**
 * Which nodes fall due at which second, four wheels of 256 spokes each: a node goes to a spoke by
 * how far off it is, and comes down a wheel as its time nears. No cost depends on how many there are.
 */
export class TimingWheel {
  readonly #lists: LinkedLists;
  readonly #dueAt: (node: number) => number;
  #now: number;

  constructor(lists: LinkedLists, now: number, dueAt: (node: number) => number) {
    this.#lists = lists;
    this.#now = now;
    this.#dueAt = dueAt;
  }

  static readonly #due = SPOKES * LEVELS;

  add(node: number): void {
    const at = this.#dueAt(node);
    const delta = at - this.#now;
    if (delta <= 0) {
      this.#lists.append(TimingWheel.#due, node);
      return;
    }
    let level = 0;
    while (level < LEVELS - 1 && delta >= SPOKES ** (level + 1)) level++;
    const spoke = Math.floor(at / SPOKES ** level) % SPOKES;
    this.#lists.append(level * SPOKES + spoke, node);
  }

  /** Moves on to `now`; what has fallen due can then be taken. */
  advance(now: number): void {
    while (this.#now < now) {
      this.#now++;
      for (let level = LEVELS - 1; level > 0; level--) {
        if (this.#now % SPOKES ** level === 0) this.#comeDown(level);
      }
      this.#lists.appendAll(TimingWheel.#due, this.#now % SPOKES);
    }
  }

  #comeDown(level: number): void {
    const head = level * SPOKES + (Math.floor(this.#now / SPOKES ** level) % SPOKES);
    for (let node = this.#lists.first(head); node !== undefined; node = this.#lists.first(head)) {
      this.#lists.remove(node);
      this.add(node);
    }
  }

  /** A node that is due and still listed; the caller takes it off the list. */
  firstDue(): number | undefined {
    return this.#lists.first(TimingWheel.#due);
  }
}
