/** Octets of an identity that are kept in place; DHCP's usual client identifiers have 7 or 19. */
const MAX_INLINE = 23;
const WIDTH = MAX_INLINE + 1;
const ELSEWHERE = 255;

/**
 * From a client's identity on a network to its slot, and back. The octets stand in one array; the
 * rare long ones in a map. Chains are by a hash that starts from a secret, so that nobody can choose
 * identities that all fall into one.
 */
export class IdentityIndex {
  readonly #start: number;
  readonly #networkOf: (slot: number) => number;
  #octets: Uint8Array;
  #chain: Uint32Array;
  #heads: Uint32Array;
  readonly #long = new Map<number, Uint8Array>();
  #count = 0;

  constructor(capacity: number, secret: number, networkOf: (slot: number) => number) {
    this.#start = secret;
    this.#networkOf = networkOf;
    this.#octets = new Uint8Array(capacity * WIDTH);
    this.#chain = new Uint32Array(capacity);
    this.#heads = new Uint32Array(1024);
  }

  grow(capacity: number): void {
    const octets = new Uint8Array(capacity * WIDTH);
    octets.set(this.#octets);
    this.#octets = octets;
    const chain = new Uint32Array(capacity);
    chain.set(this.#chain);
    this.#chain = chain;
  }

  /** The identity a slot holds; empty when it holds none. */
  of(slot: number): Uint8Array {
    const length = this.#octets[slot * WIDTH] as number;
    if (length === ELSEWHERE) return this.#long.get(slot) as Uint8Array;
    return this.#octets.subarray(slot * WIDTH + 1, slot * WIDTH + 1 + length);
  }

  /** All slots of a client on a network, in no order. */
  findAll(identity: Uint8Array, network: number): number[] {
    const found: number[] = [];
    let entry = this.#heads[this.#bucket(identity, network)] as number;
    while (entry !== 0) {
      const slot = entry - 1;
      if (this.#networkOf(slot) === network && this.holds(slot, identity)) found.push(slot);
      entry = this.#chain[slot] as number;
    }
    return found;
  }

  holds(slot: number, identity: Uint8Array): boolean {
    const at = slot * WIDTH;
    const length = this.#octets[at] as number;
    if (length === ELSEWHERE) return equal(this.#long.get(slot) as Uint8Array, identity);
    if (length !== identity.length) return false;
    for (let i = 0; i < length; i++) if (this.#octets[at + 1 + i] !== identity[i]) return false;
    return true;
  }

  set(slot: number, identity: Uint8Array, network: number): void {
    if (identity.length > MAX_INLINE) {
      this.#octets[slot * WIDTH] = ELSEWHERE;
      this.#long.set(slot, identity.slice());
    } else {
      this.#octets[slot * WIDTH] = identity.length;
      this.#octets.set(identity, slot * WIDTH + 1);
    }
    if (++this.#count > this.#heads.length) this.#rehash();
    this.#link(slot, this.#bucket(identity, network));
  }

  delete(slot: number): void {
    if (this.#octets[slot * WIDTH] === 0) return;
    const identity = this.of(slot);
    const bucket = this.#bucket(identity, this.#networkOf(slot));
    let entry = this.#heads[bucket] as number;
    if (entry === slot + 1) this.#heads[bucket] = this.#chain[slot] as number;
    while (entry !== 0) {
      const next = this.#chain[entry - 1] as number;
      if (next === slot + 1) this.#chain[entry - 1] = this.#chain[slot] as number;
      entry = next;
    }
    this.#octets[slot * WIDTH] = 0;
    this.#long.delete(slot);
    this.#count--;
  }

  /** Forgets the chains and makes them anew for these slots: their networks have other numbers now. */
  rebuild(slots: Iterable<number>): void {
    this.#heads.fill(0);
    for (const slot of slots) {
      const identity = this.of(slot);
      if (identity.length > 0) this.#link(slot, this.#bucket(identity, this.#networkOf(slot)));
    }
  }

  #link(slot: number, bucket: number): void {
    this.#chain[slot] = this.#heads[bucket] as number;
    this.#heads[bucket] = slot + 1;
  }

  #rehash(): void {
    const old = this.#heads;
    this.#heads = new Uint32Array(old.length * 2);
    for (const head of old) {
      for (let entry = head; entry !== 0; ) {
        const slot = entry - 1;
        entry = this.#chain[slot] as number;
        this.#link(slot, this.#bucket(this.of(slot), this.#networkOf(slot)));
      }
    }
  }

  /** Nobody outside can tell which identities share one. Signed: V8 keeps larger numbers, as the keys of a map, on its heap. */
  hash(identity: Uint8Array): number {
    let hash = this.#start;
    for (let i = 0; i < identity.length; i++) {
      hash = Math.imul(hash ^ (identity[i] as number), 0x01000193);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }

  #bucket(identity: Uint8Array, network: number): number {
    return (this.hash(identity) ^ Math.imul(network, 0x9e3779b1)) & (this.#heads.length - 1);
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((octet, i) => octet === b[i]);
}

/** Where in a pool a client belongs: the same for a client always, whatever was restarted. */
export function placementHash(identity: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < identity.length; i++) hash = Math.imul(hash ^ (identity[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
