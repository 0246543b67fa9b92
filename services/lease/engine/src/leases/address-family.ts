import { AddressMap6 } from "@frontdesk/lease-options/address-map";
import type { Address, PoolRange } from "./binding.ts";

/** The addresses of all slots, and from an address to its slot. */
export interface AddressColumn<A extends Address> {
  grow(capacity: number): void;
  get(slot: number): A;
  find(address: A): number | undefined;
  add(address: A, slot: number): void;
  remove(address: A): void;
}

/** Everything that differs between addresses of 32 and of 128 bits. */
export interface AddressFamily<A extends Address> {
  column(): AddressColumn<A>;
  /** The place of an address in a pool, from 0 on; exact up to 2^53. */
  placeOf(pool: PoolRange<A>, address: A): number;
  addressAt(pool: PoolRange<A>, place: number): A;
}

/** Open addressing over one array, half full at most; the addresses stand in an array of their own. */
class Ipv4Column implements AddressColumn<number> {
  #addresses = new Uint32Array(1024);
  #table = new Uint32Array(1024);
  #count = 0;

  grow(capacity: number): void {
    const wider = new Uint32Array(capacity);
    wider.set(this.#addresses);
    this.#addresses = wider;
  }

  get(slot: number): number {
    return this.#addresses[slot] as number;
  }

  find(address: number): number | undefined {
    const entry = this.#table[this.#place(address)] as number;
    return entry === 0 ? undefined : entry - 1;
  }

  add(address: number, slot: number): void {
    if ((this.#count + 1) * 2 > this.#table.length) this.#rehash();
    this.#addresses[slot] = address;
    const place = this.#place(address);
    if (this.#table[place] === 0) this.#count++;
    this.#table[place] = slot + 1;
  }

  remove(address: number): void {
    let hole = this.#place(address);
    if (this.#table[hole] === 0) return;
    this.#count--;
    const last = this.#table.length - 1;
    // What was pushed on by the one that leaves moves back, so that no search stops short.
    for (let at = (hole + 1) & last; this.#table[at] !== 0; at = (at + 1) & last) {
      const home = this.#home(this.get((this.#table[at] as number) - 1));
      if (((at - home) & last) >= ((at - hole) & last)) {
        this.#table[hole] = this.#table[at] as number;
        hole = at;
      }
    }
    this.#table[hole] = 0;
  }

  #home(address: number): number {
    // Fibonacci hashing: the upper bits of the product are the well mixed ones.
    return Math.imul(address, 0x9e3779b1) >>> (Math.clz32(this.#table.length) + 1);
  }

  #place(address: number): number {
    const last = this.#table.length - 1;
    let at = this.#home(address);
    while (this.#table[at] !== 0 && this.get((this.#table[at] as number) - 1) !== address) {
      at = (at + 1) & last;
    }
    return at;
  }

  #rehash(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (const entry of old) {
      if (entry !== 0) this.#table[this.#place(this.get(entry - 1))] = entry;
    }
  }
}

const LOW = (1n << 64n) - 1n;

class Ipv6Column implements AddressColumn<bigint> {
  #high = new BigUint64Array(1024);
  #low = new BigUint64Array(1024);
  readonly #slots = new AddressMap6<number>();

  grow(capacity: number): void {
    const [high, low] = [new BigUint64Array(capacity), new BigUint64Array(capacity)];
    high.set(this.#high);
    low.set(this.#low);
    [this.#high, this.#low] = [high, low];
  }

  get(slot: number): bigint {
    return ((this.#high[slot] as bigint) << 64n) | (this.#low[slot] as bigint);
  }

  find(address: bigint): number | undefined {
    return this.#slots.get(address);
  }

  add(address: bigint, slot: number): void {
    this.#high[slot] = address >> 64n;
    this.#low[slot] = address & LOW;
    this.#slots.set(address, slot);
  }

  remove(address: bigint): void {
    this.#slots.delete(address);
  }
}

export const ipv4: AddressFamily<number> = {
  column: () => new Ipv4Column(),
  placeOf: (pool, address) => address - pool.first,
  addressAt: (pool, place) => pool.first + place,
};

export const ipv6: AddressFamily<bigint> = {
  column: () => new Ipv6Column(),
  placeOf: ({ first, shift = 0 }, address) => Number((address - first) >> BigInt(shift)),
  addressAt: ({ first, shift = 0 }, place) => first + (BigInt(place) << BigInt(shift)),
};
