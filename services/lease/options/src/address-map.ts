/**
 * An address of IPv6 as a key of a Map. V8 hashes a bigint by its lowest 64 bits alone, which are zero in every prefix:
 * all prefixes would share one chain. The upper half is mixed into the lower one; the way back is the same.
 */
export const mapKey6 = (address: bigint): bigint => address ^ (address >> 64n);

/** Values by address or prefix of IPv6. */
export class AddressMap6<V> {
  readonly #values = new Map<bigint, V>();

  get size(): number {
    return this.#values.size;
  }

  get(address: bigint): V | undefined {
    return this.#values.get(mapKey6(address));
  }

  has(address: bigint): boolean {
    return this.#values.has(mapKey6(address));
  }

  set(address: bigint, value: V): void {
    this.#values.set(mapKey6(address), value);
  }

  delete(address: bigint): void {
    this.#values.delete(mapKey6(address));
  }

  *keys(): Generator<bigint> {
    // Mixing twice gives what was there before.
    for (const key of this.#values.keys()) yield mapKey6(key);
  }

  values(): IterableIterator<V> {
    return this.#values.values();
  }
}
