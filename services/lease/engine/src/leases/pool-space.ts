import type { AddressFamily } from "./address-family.ts";
import { type Address, type AddressPlan, isExcluded, type PoolRange } from "./binding.ts";
import { FreeMap } from "./free-map.ts";

/** A pool with more addresses than this has no map of those nobody had: chance finds one at once. */
const MAX_MAPPED = 2 ** 24;
const MAX_TRIES = 64;
/** Places that nobody had and that cannot be given all the same: those of the batch, or across a prefix of another length. */
const MAX_OPEN_TRIES = 16_384;

/** What another client has that lies across an address or prefix: where it begins, and how far it goes. */
export interface Across<A extends Address> {
  readonly first: A;
  readonly last: A;
  /** When to look again; 0: it ends with the configuration. */
  readonly until: number;
}

/** Whether an address can be given; or else the last one from it on that cannot. */
export type IsOpen<A extends Address> = (address: A) => true | A;

/** Where a client's address is looked for in a pool, at the first try and at later ones. */
export type Scatter<A extends Address> = (pool: PoolRange<A>, tries: number) => A;

/** Which addresses a server of a pair may give. */
export interface Own<A extends Address> {
  /** The first addresses from one on, up to `last`, that are its own. */
  next(address: A, last: A): { readonly first: A; readonly last: A } | undefined;
  isAllowed(address: A): boolean;
}

/** Ranges that are passed over, and addresses that are looked at, for one that a server of a pair may give. */
const MAX_OWN_TRIES = 4096;
const OWN_PLACES = 32;
const TRIES_AT_PLACE = 8;
/** Places that are this part of the pool apart lie evenly in it, however many they are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

function* ownStarts(
  start: number,
  size: number,
): Generator<{ readonly from: number; readonly most: number }> {
  for (let i = 0; i < OWN_PLACES; i++) {
    yield { from: Math.floor(start + i * GOLDEN * size) % size, most: TRIES_AT_PLACE };
  }
  for (const from of [start, 0]) yield { from, most: MAX_OWN_TRIES };
}

/** The pools of a plan: which one an address is in, and which addresses nobody ever had. */
export class PoolSpace<A extends Address, P extends PoolRange<A>> {
  readonly #family: AddressFamily<A>;
  readonly #plan: AddressPlan<A, P>;
  readonly #sorted: readonly P[];
  readonly #unused: ReadonlyArray<FreeMap | undefined>;
  /** Addresses that someone had and anyone may have again; only where it is asked for. */
  #returned: ReadonlyArray<FreeMap | undefined> | undefined;

  /** With another space of the same layout, what nobody ever had is as it was there. */
  constructor(family: AddressFamily<A>, plan: AddressPlan<A, P>, same?: PoolSpace<A, P>) {
    this.#family = family;
    this.#plan = plan;
    this.#sorted = plan.pools.toSorted((a, b) => (a.first < b.first ? -1 : 1));
    this.#unused = same ? same.#unused : plan.pools.map((pool) => this.#mapOf(pool));
    this.#returned = same ? same.#returned : undefined;
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

  /** Remembers as well which addresses are free again, for `countFree` and `freeUpTo`. */
  countReturned(): void {
    this.#returned ??= this.#unused.map((map) => map && FreeMap.full(map.size));
  }

  /** Someone had this address, and anyone may have it now; or no longer. */
  returned(pool: P, address: A, isFree: boolean): void {
    const map = this.#returned?.[pool.index];
    if (!map) return;
    if (isFree) map.giveBack(this.#family.placeOf(pool, address));
    else map.take(this.#family.placeOf(pool, address));
  }

  /** How many addresses of a range that lies in a pool anyone may have; undefined of a pool without a map. */
  countFree(pool: P, first: A, last: A): number | undefined {
    const [unused, returned] = [this.#unused[pool.index], this.#returned?.[pool.index]];
    if (!unused || !returned) return undefined;
    const [from, to] = [this.#placeFrom(pool, first), this.#family.placeOf(pool, last)];
    if (from > to) return 0;
    return unused.count(from, to) + returned.count(from, to);
  }

  /** Addresses of a range that lies in a pool that anyone may have, the last one first. */
  *freeUpTo(pool: P, first: A, last: A): Generator<A> {
    const [unused, returned] = [this.#unused[pool.index], this.#returned?.[pool.index]];
    if (!unused || !returned) return;
    const from = this.#placeFrom(pool, first);
    const start = this.#family.placeOf(pool, last);
    // Each map is asked anew only when its answer was used: one without a free place is walked through whole.
    const next = [unused, returned].map((map) => ({ map, place: map.upTo(start, from) ?? -1 }));
    for (;;) {
      const place = Math.max(...next.map((each) => each.place));
      if (place < from) return;
      yield this.#family.addressAt(pool, place);
      for (const each of next) {
        if (each.place === place) each.place = place > from ? (each.map.upTo(place - 1, from) ?? -1) : -1;
      }
    }
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
    // What lies within a prefix and begins none takes no place, and so has none to give back.
    if (pool && this.#begins(pool, address))
      this.#unused[pool.index]?.take(this.#family.placeOf(pool, address));
    return pool;
  }

  #begins(pool: P, address: A): boolean {
    return this.#family.addressAt(pool, this.#family.placeOf(pool, address)) === address;
  }

  /**
   * Where the place begins that an address lies in, of prefixes also within the last one; undefined where there is none, or
   * they are not known one by one.
   */
  beginningOf(address: A): A | undefined {
    const pool = this.#sorted.findLast(({ first }) => first <= address);
    if (!pool || this.isVast(pool)) return undefined;
    const place = this.#family.placeOf(pool, address);
    return place <= this.#family.placeOf(pool, pool.last) ? this.#family.addressAt(pool, place) : undefined;
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
  unused(pool: P, hash: number, isOpen: IsOpen<A>, scatter?: Scatter<A>, own?: Own<A>): A | undefined {
    const map = this.#unused[pool.index];
    const size = this.#family.placeOf(pool, pool.last) + 1;
    if (!map) {
      const places = scatter ?? this.#scatteredBy(hash, size);
      if (!own) return this.#unusedByChance(pool, places, isOpen);
      const isGood = (address: A) => (own.isAllowed(address) ? isOpen(address) : address);
      return this.#unusedByChance(pool, this.#ownPlaces(pool, places, own), isGood);
    }
    const start = hash % size;
    if (own) return this.#unusedOwn(pool, map, start, isOpen, own);
    for (let passed = 0, tries = 0; passed < size && tries < MAX_OPEN_TRIES; tries++) {
      const place = map.next((start + passed) % size);
      const further = place === undefined ? 0 : (place - start + size) % size;
      if (place === undefined || further < passed) return undefined;
      const address = this.#family.addressAt(pool, place);
      const open = isOpen(address);
      if (open === true) return address;
      passed = further + this.#family.placeOf(pool, open) - place + 1;
    }
    return undefined;
  }

  /**
   * A few tries each at places all over the pool, then from the first of them on to the end, and from the beginning;
   * what is the peer's is passed over a range at a time.
   */
  #unusedOwn(pool: P, map: FreeMap, start: number, isOpen: IsOpen<A>, own: Own<A>): A | undefined {
    for (const { from, most } of ownStarts(start, map.size)) {
      let place: number | undefined = from;
      for (let tries = 0; tries < most && place !== undefined; tries++) {
        const free = map.from(place);
        if (free === undefined) break;
        const address = this.#family.addressAt(pool, free);
        const next = own.next(address, pool.last)?.first;
        if (next === undefined) break;
        if (next !== address) {
          place = this.#placeFrom(pool, next);
          continue;
        }
        const open = own.isAllowed(address) ? isOpen(address) : address;
        if (open === true) return address;
        place = this.#family.placeOf(pool, open) + 1;
      }
    }
    return undefined;
  }

  /** Where a client's address is looked for when a part of the pool is the peer's: at the same place of a range of its own. */
  #ownPlaces(pool: P, places: Scatter<A>, own: Own<A>): Scatter<A> {
    return (_, tries) => {
      const address = places(pool, tries);
      const range = own.next(address, pool.last) ?? own.next(pool.first, pool.last);
      if (!range || range.first === address) return address;
      const from = this.#placeFrom(pool, range.first);
      const size = this.#family.placeOf(pool, range.last) - from + 1;
      const place = this.#family.placeOf(pool, address);
      return size < 1 ? address : this.#family.addressAt(pool, from + (place % size));
    };
  }

  /** The place of the first prefix that begins here or later; of addresses, each begins one. */
  #placeFrom(pool: P, address: A): number {
    const place = this.#family.placeOf(pool, address);
    return this.#family.addressAt(pool, place) < address ? place + 1 : place;
  }

  #unusedByChance(pool: P, scatter: Scatter<A>, isOpen: IsOpen<A>): A | undefined {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const address = scatter(pool, tries);
      if (!this.isWithheld(address, pool) && isOpen(address) === true) return address;
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
