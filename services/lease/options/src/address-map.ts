type Address = number | bigint;

/**
 * An address of IPv6 as a key of a Map. V8 hashes a bigint by its lowest 64 bits alone, which are zero in every prefix:
 * all prefixes would share one chain. The upper half is mixed into the lower one; the way back is the same.
 */
export const mapKey6 = (address: bigint): bigint => address ^ (address >> 64n);

const mapKey = <A extends Address>(address: A): A =>
  (typeof address === "bigint" ? mapKey6(address) : address) as A;

/** What can be asked of values by address; a Map can answer it, too, where there are few. */
export interface ReadonlyAddressMap<A extends Address, V> extends Iterable<[A, V]> {
  readonly size: number;
  get(address: A): V | undefined;
  has(address: A): boolean;
  keys(): Iterable<A>;
  values(): Iterable<V>;
}

/** Values by address of either family, or by prefix, in the order in which they were added. */
export class AddressMap<A extends Address, V> implements ReadonlyAddressMap<A, V> {
  readonly #values = new Map<A, V>();

  constructor(entries: Iterable<readonly [A, V]> = []) {
    for (const [address, value] of entries) this.set(address, value);
  }

  get size(): number {
    return this.#values.size;
  }

  get(address: A): V | undefined {
    return this.#values.get(mapKey(address));
  }

  has(address: A): boolean {
    return this.#values.has(mapKey(address));
  }

  set(address: A, value: V): void {
    this.#values.set(mapKey(address), value);
  }

  delete(address: A): boolean {
    return this.#values.delete(mapKey(address));
  }

  clear(): void {
    this.#values.clear();
  }

  *keys(): Generator<A> {
    // Mixing twice gives what was there before.
    for (const key of this.#values.keys()) yield mapKey(key);
  }

  values(): IterableIterator<V> {
    return this.#values.values();
  }

  *[Symbol.iterator](): Generator<[A, V]> {
    for (const [key, value] of this.#values) yield [mapKey(key), value];
  }
}

/** Values by address or prefix of IPv6. */
export class AddressMap6<V> extends AddressMap<bigint, V> {}

/** Addresses of either family, or prefixes, in the order in which they were added. */
export class AddressSet<A extends Address> implements Iterable<A> {
  readonly #keys = new Set<A>();

  constructor(addresses: Iterable<A> = []) {
    for (const address of addresses) this.add(address);
  }

  get size(): number {
    return this.#keys.size;
  }

  has(address: A): boolean {
    return this.#keys.has(mapKey(address));
  }

  add(address: A): void {
    this.#keys.add(mapKey(address));
  }

  delete(address: A): boolean {
    return this.#keys.delete(mapKey(address));
  }

  *[Symbol.iterator](): Generator<A> {
    for (const key of this.#keys) yield mapKey(key);
  }
}
