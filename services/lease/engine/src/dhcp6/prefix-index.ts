import { prefixBase } from "@frontdesk/lease-options/address";
import { AddressMap6 } from "@frontdesk/lease-options/address-map";

/**
 * Values by prefix, found by what lies across: of two prefixes that share an address one contains the other, so that no
 * search costs more than there are lengths.
 */
export class PrefixIndex<V> {
  readonly #asked: readonly number[];
  /** By the length of the prefix, and where it begins. */
  readonly #at = new Map<number, AddressMap6<{ value: V }>>();
  /** All that lie within a shorter prefix that is asked for, by its length and where it begins. */
  readonly #within = new Map<number, AddressMap6<Array<{ value: V }>>>();

  /** With the lengths that are asked for. */
  constructor(asked: readonly number[]) {
    this.#asked = [...new Set(asked)];
  }

  get isEmpty(): boolean {
    return this.#at.size === 0;
  }

  set(address: bigint, length: number, value: V): void {
    const same = mapOf(this.#at, length).get(address);
    if (same) {
      same.value = value;
      return;
    }
    const entry = { value };
    mapOf(this.#at, length).set(address, entry);
    for (const shorter of this.#asked) {
      if (shorter >= length) continue;
      const base = prefixBase(address, shorter);
      const within = mapOf(this.#within, shorter).get(base);
      if (within) within.push(entry);
      else mapOf(this.#within, shorter).set(base, [entry]);
    }
  }

  *values(): Generator<V> {
    for (const entries of this.#at.values()) for (const { value } of entries.values()) yield value;
  }

  /** What contains a prefix, is it, or lies within it; the last only for a length that is asked for. */
  *across(address: bigint, length: number): Generator<V> {
    for (const [own, entries] of this.#at) {
      const around = own <= length ? entries.get(prefixBase(address, own)) : undefined;
      if (around) yield around.value;
    }
    for (const { value } of this.#within.get(length)?.get(prefixBase(address, length)) ?? []) yield value;
  }
}

function mapOf<V>(maps: Map<number, AddressMap6<V>>, length: number): AddressMap6<V> {
  const known = maps.get(length);
  if (known) return known;
  const made = new AddressMap6<V>();
  maps.set(length, made);
  return made;
}
