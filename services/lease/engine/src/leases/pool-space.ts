import type { AddressFamily } from "./address-family.ts";
import { type Address, type AddressPlan, isExcluded, type PoolRange } from "./binding.ts";
import { FreeMap } from "./free-map.ts";

/** A pool with more addresses than this has no map of those nobody had: chance finds one at once. */
const MAX_MAPPED = 2 ** 24;
const MAX_TRIES = 64;

/** Where a client's address is looked for in a pool, at the first try and at later ones. */
export type Scatter<A extends Address> = (pool: PoolRange<A>, tries: number) => A;

/** The pools of a plan: which one an address is in, and which addresses nobody ever had. */
export class PoolSpace<A extends Address, P extends PoolRange<A>> {
  readonly #family: AddressFamily<A>;
  readonly #plan: AddressPlan<A, P>;
  readonly #sorted: readonly P[];
  readonly #unused: ReadonlyArray<FreeMap | undefined>;

  /** With another space of the same layout, what nobody ever had is as it was there. */
  constructor(family: AddressFamily<A>, plan: AddressPlan<A, P>, same?: PoolSpace<A, P>) {
    this.#family = family;
    this.#plan = plan;
    this.#sorted = plan.pools.toSorted((a, b) => (a.first < b.first ? -1 : 1));
    this.#unused = same ? same.#unused : plan.pools.map((pool) => this.#mapOf(pool));
    if (!same) for (const address of plan.reserved.keys()) this.take(address);
  }

  /** The pool an address is in, if any. */
  poolOf(address: A): P | undefined {
    const pools = this.#sorted;
    let low = 0;
    let high = pools.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const pool = pools[middle] as P;
      if (address < pool.first) high = middle - 1;
      else if (address > pool.last) low = middle + 1;
      else return pool;
    }
    return undefined;
  }

  /** Whether a pool has more addresses than could all be known. */
  isVast(pool: P): boolean {
    return this.#unused[pool.index] === undefined;
  }

  /** The pool that may give an address to anyone, if any. */
  openPoolOf(address: A): P | undefined {
    const pool = this.poolOf(address);
    return pool && !this.isWithheld(address, pool) ? pool : undefined;
  }

  isWithheld(address: A, pool: P): boolean {
    return this.#plan.reserved.has(address) || isExcluded(pool, address);
  }

  /** Someone has, had or shall have this address. Answers the pool it is in. */
  take(address: A): P | undefined {
    const pool = this.poolOf(address);
    if (pool) this.#unused[pool.index]?.take(this.#family.placeOf(pool, address));
    return pool;
  }

  /** It is as if nobody ever had this address. */
  giveBack(address: A): void {
    const pool = this.openPoolOf(address);
    if (pool) this.#unused[pool.index]?.giveBack(this.#family.placeOf(pool, address));
  }

  /**
   * An address of the pool that nobody ever had, from a place on that `hash` says, for which `isOpen` holds. In a pool
   * without a map it is looked for where `scatter` says, try after try.
   */
  unused(pool: P, hash: number, isOpen: (address: A) => boolean, scatter?: Scatter<A>): A | undefined {
    const map = this.#unused[pool.index];
    const size = this.#family.placeOf(pool, pool.last) + 1;
    if (!map) return this.#unusedByChance(pool, scatter ?? this.#scatteredBy(hash, size), isOpen);
    const first = map.next(hash % size);
    for (let offset = first; offset !== undefined; ) {
      const address = this.#family.addressAt(pool, offset);
      if (isOpen(address)) return address;
      offset = map.next((offset + 1) % size);
      if (offset === first) return undefined;
    }
    return undefined;
  }

  #unusedByChance(pool: P, scatter: Scatter<A>, isOpen: (address: A) => boolean): A | undefined {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const address = scatter(pool, tries);
      if (!this.isWithheld(address, pool) && isOpen(address)) return address;
    }
    return undefined;
  }

  #scatteredBy(hash: number, size: number): Scatter<A> {
    let place = hash;
    return (pool, tries) => {
      place = Math.imul(place ^ (place >>> 15), 0x2c1b3c6d) + tries;
      const high = Math.imul(place ^ (place >>> 12), 0x297a2d39) >>> 11;
      const offset = (high * 2 ** 32 + (place >>> 0)) % Math.min(size, Number.MAX_SAFE_INTEGER);
      return this.#family.addressAt(pool, offset);
    };
  }

  #mapOf(pool: P): FreeMap | undefined {
    const size = this.#family.placeOf(pool, pool.last) + 1;
    if (size > MAX_MAPPED) return undefined;
    const map = new FreeMap(size);
    for (const { first, last } of pool.excluded) {
      const end = this.#family.placeOf(pool, last);
      for (let offset = this.#family.placeOf(pool, first); offset <= end; offset++) map.take(offset);
    }
    return map;
  }
}

/** The addresses of a pool that are not excluded. */
export function poolSize<A extends Address>(family: AddressFamily<A>, pool: PoolRange<A>): number {
  return pool.excluded.reduce(
    (size, { first, last }) => size - (family.placeOf(pool, last) - family.placeOf(pool, first) + 1),
    family.placeOf(pool, pool.last) + 1,
  );
}
