import type { LinkedLists } from "./linked-lists.ts";

const SPOKES = 256;
const LEVELS = 4;
const HEADS = SPOKES * LEVELS;
const DUE = HEADS;
/** A leap beyond this many seconds sorts everything anew instead of passing through every second. */
const MAX_STEPS = 4096;

/** How many list heads a wheel takes, the one for what is due included. */
export const WHEEL_HEADS = HEADS + 1;

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

  add(node: number): void {
    const at = this.#dueAt(node);
    const delta = at - this.#now;
    if (delta <= 0) {
      this.#lists.append(DUE, node);
      return;
    }
    let level = 0;
    while (level < LEVELS - 1 && delta >= SPOKES ** (level + 1)) level++;
    const spoke = Math.floor(at / SPOKES ** level) % SPOKES;
    this.#lists.append(level * SPOKES + spoke, node);
  }

  /** Moves on to `now`; what has fallen due can then be taken. It never moves back. */
  advance(now: number): void {
    if (now - this.#now > MAX_STEPS) this.#leap(now);
    while (this.#now < now) {
      this.#now++;
      for (let level = LEVELS - 1; level > 0; level--) {
        if (this.#now % SPOKES ** level === 0) this.#sortAgain(this.#head(level));
      }
      this.#lists.appendAll(DUE, this.#now % SPOKES);
    }
  }

  /** The nodes that are due, while none of them is moved. */
  *due(): Generator<number> {
    for (let node = this.#lists.first(DUE); node !== undefined; node = this.#lists.next(DUE, node))
      yield node;
  }

  /** A node that is due comes after all others that are. */
  postpone(node: number): void {
    this.#lists.remove(node);
    this.#lists.append(DUE, node);
  }

  #head(level: number): number {
    return level * SPOKES + (Math.floor(this.#now / SPOKES ** level) % SPOKES);
  }

  #leap(now: number): void {
    this.#now = now;
    for (let head = 0; head < HEADS; head++) this.#sortAgain(head);
  }

  /** Each node of a list goes where it belongs now; one that belongs here again is not met twice. */
  #sortAgain(head: number): void {
    for (const node of this.#lists.takeAll(head)) this.add(node);
  }
}
