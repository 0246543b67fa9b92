import { AddressMap } from "@frontdesk/lease-options/address-map";
import type { Address } from "../leases/binding.ts";

/** A lease as the writes up to now make it, and those that nobody has asked for yet. */
interface Latest<W, R> {
  before: () => R | undefined;
  readonly waiting: W[];
}

/** What the writes of a batch make of each lease: each write is looked at once, however often leases are asked for. */
export class LatestWrites<A extends Address, W, R> {
  readonly #addressOf: (write: W) => A;
  readonly #kept: (address: A) => R | undefined;
  readonly #changed: (before: () => R | undefined, write: W) => R | undefined;
  #latest = new AddressMap<A, Latest<W, R>>();

  /** `kept`: as it was before the batch. `changed`: what a write makes of it. */
  constructor(
    addressOf: (write: W) => A,
    kept: (address: A) => R | undefined,
    changed: (before: () => R | undefined, write: W) => R | undefined,
  ) {
    this.#addressOf = addressOf;
    this.#kept = kept;
    this.#changed = changed;
  }

  add(write: W): void {
    const address = this.#addressOf(write);
    const latest = this.#latest.get(address);
    if (latest) latest.waiting.push(write);
    else this.#latest.set(address, { before: () => this.#kept(address), waiting: [write] });
  }

  has(address: A): boolean {
    return this.#latest.has(address);
  }

  find(address: A): R | undefined {
    const latest = this.#latest.get(address);
    if (!latest) return this.#kept(address);
    if (latest.waiting.length === 0) return latest.before();
    const found = latest.waiting.reduce((before, write) => {
      const after = this.#changed(before, write);
      return () => after;
    }, latest.before);
    latest.before = found;
    latest.waiting.length = 0;
    return found();
  }

  /** Some were taken back: these are left. */
  reset(writes: Iterable<W>): void {
    this.#latest = new AddressMap();
    for (const write of writes) this.add(write);
  }
}
