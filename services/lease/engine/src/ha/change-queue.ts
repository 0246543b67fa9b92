import type { Address } from "../leases/binding.ts";

interface Entry {
  readonly seq: number;
  readonly address: Address;
  /** When it was changed, seconds. */
  readonly at: number;
}

/** More than so many numbers of rows that were changed again since are worth sorting out. */
const MIN_STALE = 4096;

/**
 * Own changes that the peer has not acknowledged, in the order of their numbers. A row that was changed again stands
 * here twice; whoever reads it looks whether the number is still the row's.
 */
export class ChangeQueue {
  #entries: Entry[] = [];
  #first = 0;
  /** Numbers of rows that were changed again. */
  readonly #stale = new Set<number>();
  #afterLastSort = 0;

  /** Rows; one that was changed again counts once. */
  get length(): number {
    return this.#entries.length - this.#first - this.#stale.size;
  }

  get oldest(): Entry | undefined {
    for (let at = this.#first; at < this.#entries.length; at++) {
      const entry = this.#entries[at] as Entry;
      if (!this.#stale.has(entry.seq)) return entry;
    }
    return undefined;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** A row has another number now, or none. */
  retire(seq: number): void {
    const first = this.#entries[this.#first];
    if (first && seq >= first.seq && this.#entries[this.#after(seq - 1)]?.seq === seq) this.#stale.add(seq);
  }

  /** Numbers above `seq` and up to `last`, with their addresses. */
  *between(seq: number, last: number): Generator<Entry> {
    for (let at = this.#after(seq); at < this.#entries.length; at++) {
      const entry = this.#entries[at] as Entry;
      if (entry.seq > last) return;
      yield entry;
    }
  }

  /** The peer has all changes up to a number. */
  forgetUpTo(acked: number): void {
    const first = this.#after(acked);
    for (let at = this.#first; this.#stale.size > 0 && at < first; at++)
      this.#stale.delete((this.#entries[at] as Entry).seq);
    this.#first = first;
    if (this.#first < MIN_STALE || this.#first < this.#entries.length / 2) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
    this.#afterLastSort = 0;
  }

  /** Leaves out what was changed again, once that is half of it: clients that renew while the peer is away. */
  sort(isCurrent: (entry: Entry) => boolean): void {
    const length = this.#entries.length - this.#first;
    if (length < 2 * this.#afterLastSort + MIN_STALE) return;
    this.#entries = this.#entries.slice(this.#first).filter(isCurrent);
    this.#stale.clear();
    this.#first = 0;
    this.#afterLastSort = this.#entries.length;
  }

  clear(): void {
    this.#entries = [];
    this.#stale.clear();
    this.#first = 0;
    this.#afterLastSort = 0;
  }

  #after(seq: number): number {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as Entry).seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
