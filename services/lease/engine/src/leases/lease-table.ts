import type { AddressColumn, AddressFamily } from "./address-family.ts";
import {
  type Address,
  type AddressPlan,
  type Binding,
  FOREVER,
  isActive,
  isExcluded,
  isFree,
  type PoolRange,
  STATE,
  type State,
} from "./binding.ts";
import { FreeMap } from "./free-map.ts";
import { IdentityIndex } from "./identity-index.ts";
import { LinkedLists } from "./linked-lists.ts";
import { Ports } from "./ports.ts";
import { TimingWheel, WHEEL_HEADS } from "./timing-wheel.ts";

export interface PoolUse {
  readonly size: number;
  readonly bound: number;
  readonly offered: number;
  readonly declined: number;
  /** Reserved addresses inside the pool that nobody holds. */
  readonly reserved: number;
  readonly free: number;
}

type Use = { bound: number; offered: number; declined: number };

const NOWHERE = 0xffff;
/** A pool with more addresses than this has no map of those nobody had: chance finds one at once. */
const MAX_MAPPED = 2 ** 24;

/**
 * Every lease the engine knows, about eighty octets each: columns in typed arrays, found by address
 * and by client, ordered by when they fall due or by how long they have been free.
 */
export class LeaseTable<A extends Address, P extends PoolRange<A>> {
  readonly #family: AddressFamily<A>;
  readonly #addresses: AddressColumn<A>;
  readonly #identities: IdentityIndex;
  readonly #ports = new Ports();
  #capacity = 1024;
  #starts = new Uint32Array(1024);
  #until = new Uint32Array(1024);
  #state = new Uint8Array(1024);
  #network = new Uint16Array(1024);
  #pool = new Uint16Array(1024);
  #port = new Uint32Array(1024);
  #told = new Uint32Array(1024);
  #digest = new Uint32Array(1024);
  #lists = new LinkedLists(WHEEL_HEADS, 0);
  #wheel: TimingWheel;
  #heads = WHEEL_HEADS;
  #plan: AddressPlan<A, P>;
  #sortedPools: readonly P[] = [];
  #unused: Array<FreeMap | undefined> = [];
  #use: Use[] = [];
  #outside: Use = { bound: 0, offered: 0, declined: 0 };
  readonly #spareSlots: number[] = [];
  #slots = 0;

  constructor(family: AddressFamily<A>, plan: AddressPlan<A, P>, now: number, secret: number) {
    this.#family = family;
    this.#addresses = family.column();
    this.#plan = plan;
    this.#identities = new IdentityIndex(1024, secret, (slot) => this.#network[slot] as number);
    this.#wheel = new TimingWheel(this.#lists, now, () => 0);
    this.rebuild(plan, now);
  }

  find(address: A): Binding<A> | undefined {
    const slot = this.#addresses.find(address);
    return slot === undefined ? undefined : this.#binding(slot);
  }

  /** What a client has and had on a network, in no order. */
  ofClient(identity: Uint8Array, network: number): Binding<A>[] {
    return this.#identities.findAll(identity, network).map((slot) => this.#binding(slot));
  }

  networkOf(address: A): number {
    return this.#plan.networkOf(address) ?? NOWHERE;
  }

  /** The pool that may give an address to anyone, if any. */
  openPoolOf(address: A): P | undefined {
    const pool = this.poolOf(address);
    return pool && !this.#isWithheld(address, pool) ? pool : undefined;
  }

  /** The pool an address is in, if any. */
  poolOf(address: A): P | undefined {
    const pools = this.#sortedPools;
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

  /** An address of the pool that nobody ever had, from a place on that `hash` says, for which `isOpen` holds. */
  unused(pool: P, hash: number, isOpen: (address: A) => boolean): A | undefined {
    const map = this.#unused[pool.index];
    const size = this.#family.distance(pool.first, pool.last) + 1;
    if (!map) return this.#unusedByChance(pool, size, hash, isOpen);
    const first = map.next(hash % size);
    for (let offset = first; offset !== undefined; ) {
      const address = this.#family.plus(pool.first, offset);
      if (isOpen(address)) return address;
      offset = map.next((offset + 1) % size);
      if (offset === first) return undefined;
    }
    return undefined;
  }

  /** Free addresses of a pool that someone once had, the one that has been free the longest first. */
  *longFree(pool: P): Generator<Binding<A>> {
    const head = WHEEL_HEADS + pool.index;
    for (let node = this.#lists.first(head); node !== undefined; node = this.#lists.next(head, node)) {
      yield this.#binding(node - this.#heads);
    }
  }

  /** What has fallen due by now. */
  *due(now: number): Generator<Binding<A>> {
    this.#wheel.advance(now);
    for (const node of this.#wheel.due()) {
      const slot = node - this.#heads;
      if ((this.#until[slot] as number) <= now) yield this.#binding(slot);
    }
  }

  /** Every address that is known. */
  *all(): Generator<Binding<A>> {
    for (const slot of this.#known()) yield this.#binding(slot);
  }

  /** How the pools are used, in their order. */
  uses(): PoolUse[] {
    const reserved = this.#plan.pools.map(() => 0);
    for (const address of this.#plan.reserved.keys()) {
      const pool = this.poolOf(address);
      if (!pool || isExcluded(pool, address)) continue;
      const slot = this.#addresses.find(address);
      const state = slot === undefined ? STATE.none : (this.#state[slot] as State);
      if (isActive(state) || state === STATE.declined) continue;
      reserved[pool.index] = (reserved[pool.index] as number) + 1;
    }
    return this.#plan.pools.map((pool, i) => {
      const use = this.#use[i] as Use;
      const size = poolSize(this.#family, pool);
      const kept = reserved[i] as number;
      return { ...use, size, reserved: kept, free: size - use.bound - use.offered - use.declined - kept };
    });
  }

  /** Leases in force, in pools or not. */
  get active(): number {
    return this.#use.reduce((sum, use) => sum + use.bound, this.#outside.bound);
  }

  portUse(port: string): number {
    return this.#ports.held(port);
  }

  crowdedPorts(limit: number): Array<{ port: string; held: number }> {
    return this.#ports.beyond(limit);
  }

  identityHash(identity: Uint8Array): number {
    return this.#identities.hash(identity);
  }

  /** Makes an address what the binding says; with state none, as if nobody ever had it. */
  put(binding: Binding<A>): void {
    if (binding.state === STATE.none) {
      this.#forget(binding.address);
      return;
    }
    let slot = this.#addresses.find(binding.address);
    if (slot === undefined) slot = this.#newSlot(binding.address);
    else this.#leave(slot);
    if (!this.#identities.holds(slot, binding.identity)) {
      this.#identities.delete(slot);
      if (binding.identity.length > 0) {
        this.#identities.set(slot, binding.identity, this.#network[slot] as number);
      }
    }
    this.#starts[slot] = binding.starts;
    this.#until[slot] = binding.until;
    this.#told[slot] = binding.told;
    this.#digest[slot] = binding.digest;
    this.#port[slot] = isActive(binding.state) ? this.#ports.take(binding.port) : 0;
    this.#enter(slot, binding.state);
  }

  /** Takes up another plan: pools and networks may be others now, leases stay. */
  rebuild(plan: AddressPlan<A, P>, now: number): void {
    this.#plan = plan;
    this.#sortedPools = plan.pools.toSorted((a, b) => (a.first < b.first ? -1 : 1));
    this.#heads = WHEEL_HEADS + plan.pools.length + 1;
    this.#unused = plan.pools.map((pool) => this.#mapOf(pool));
    for (const address of plan.reserved.keys()) this.#mark(address);
    this.#use = plan.pools.map(() => ({ bound: 0, offered: 0, declined: 0 }));
    this.#outside = { bound: 0, offered: 0, declined: 0 };
    this.#lists = new LinkedLists(this.#heads, this.#capacity);
    this.#wheel = new TimingWheel(this.#lists, now, (node) => this.#until[node - this.#heads] as number);
    for (const slot of this.#known()) this.#locate(slot);
    this.#identities.rebuild(this.#known());
    for (const slot of this.#byTimeFree()) this.#enter(slot, this.#state[slot] as State);
  }

  *#known(): Generator<number> {
    for (let slot = 0; slot < this.#slots; slot++) if (this.#state[slot] !== STATE.none) yield slot;
  }

  #binding(slot: number): Binding<A> {
    return {
      address: this.#addresses.get(slot),
      identity: this.#identities.of(slot),
      state: this.#state[slot] as State,
      starts: this.#starts[slot] as number,
      until: this.#until[slot] as number,
      port: this.#ports.name(this.#port[slot] as number),
      told: this.#told[slot] as number,
      digest: this.#digest[slot] as number,
    };
  }

  #forget(address: A): void {
    const slot = this.#addresses.find(address);
    if (slot === undefined) return;
    this.#leave(slot);
    this.#state[slot] = STATE.none;
    this.#identities.delete(slot);
    this.#addresses.remove(address);
    const pool = this.#plan.pools[this.#pool[slot] as number];
    if (pool && !this.#isWithheld(address, pool)) {
      this.#unused[pool.index]?.giveBack(this.#family.distance(pool.first, address));
    }
    this.#spareSlots.push(slot);
  }

  /** Free slots in the order they became free, the others in any. */
  *#byTimeFree(): Generator<number> {
    const keys = new Float64Array(this.#slots);
    let count = 0;
    let oldest = FOREVER;
    for (const slot of this.#known()) oldest = Math.min(oldest, this.#until[slot] as number);
    for (const slot of this.#known()) {
      // Age and slot in one number that a float holds exactly: 26 bits of seconds, 27 of slots.
      const age = Math.min((this.#until[slot] as number) - oldest, 2 ** 26 - 1);
      if (isFree(this.#state[slot] as State)) keys[count++] = age * 2 ** 27 + slot;
      else yield slot;
    }
    for (const key of keys.subarray(0, count).sort()) yield key % 2 ** 27;
  }

  #unusedByChance(pool: P, size: number, hash: number, isOpen: (address: A) => boolean): A | undefined {
    let place = hash;
    for (let tries = 0; tries < 64; tries++) {
      place = Math.imul(place ^ (place >>> 15), 0x2c1b3c6d) + tries;
      const high = Math.imul(place ^ (place >>> 12), 0x297a2d39) >>> 11;
      const offset = (high * 2 ** 32 + (place >>> 0)) % Math.min(size, Number.MAX_SAFE_INTEGER);
      const address = this.#family.plus(pool.first, offset);
      const open = this.#addresses.find(address) === undefined && !this.#isWithheld(address, pool);
      if (open && isOpen(address)) return address;
    }
    return undefined;
  }

  #mapOf(pool: P): FreeMap | undefined {
    const size = this.#family.distance(pool.first, pool.last) + 1;
    if (size > MAX_MAPPED) return undefined;
    const map = new FreeMap(size);
    for (const { first, last } of pool.excluded) {
      const end = this.#family.distance(pool.first, last);
      for (let offset = this.#family.distance(pool.first, first); offset <= end; offset++) map.take(offset);
    }
    return map;
  }

  /** Someone has, had or shall have this address. */
  #mark(address: A): P | undefined {
    const pool = this.poolOf(address);
    if (pool) this.#unused[pool.index]?.take(this.#family.distance(pool.first, address));
    return pool;
  }

  #newSlot(address: A): number {
    const spare = this.#spareSlots.pop();
    const slot = spare ?? this.#slots++;
    if (slot >= this.#capacity) this.#grow();
    this.#addresses.add(address, slot);
    this.#locate(slot);
    return slot;
  }

  #locate(slot: number): void {
    const address = this.#addresses.get(slot);
    this.#pool[slot] = this.#mark(address)?.index ?? NOWHERE;
    this.#network[slot] = this.#plan.networkOf(address) ?? NOWHERE;
  }

  #isWithheld(address: A, pool: P): boolean {
    return this.#plan.reserved.has(address) || isExcluded(pool, address);
  }

  #count(slot: number, by: 1 | -1): void {
    const use = this.#use[this.#pool[slot] as number] ?? this.#outside;
    const state = this.#state[slot];
    if (state === STATE.bound) use.bound += by;
    else if (state === STATE.offered) use.offered += by;
    else if (state === STATE.declined) use.declined += by;
  }

  #leave(slot: number): void {
    this.#count(slot, -1);
    this.#ports.leave(this.#port[slot] as number);
    this.#port[slot] = 0;
    this.#lists.remove(this.#heads + slot);
  }

  #enter(slot: number, state: State): void {
    this.#state[slot] = state;
    this.#count(slot, 1);
    const node = this.#heads + slot;
    if (isFree(state)) this.#lists.append(this.#freeList(slot), node);
    else if (this.#until[slot] !== FOREVER) this.#wheel.add(node);
  }

  /** Where a free slot waits to be given again; one that no pool may give waits apart. */
  #freeList(slot: number): number {
    const pool = this.#plan.pools[this.#pool[slot] as number];
    const apart = !pool || this.#isWithheld(this.#addresses.get(slot), pool);
    return WHEEL_HEADS + (apart ? this.#plan.pools.length : pool.index);
  }

  #grow(): void {
    this.#capacity *= 2;
    const wider = <T extends Uint8Array | Uint16Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#addresses.grow(this.#capacity);
    this.#starts = wider(this.#starts, new Uint32Array(this.#capacity));
    this.#until = wider(this.#until, new Uint32Array(this.#capacity));
    this.#state = wider(this.#state, new Uint8Array(this.#capacity));
    this.#network = wider(this.#network, new Uint16Array(this.#capacity));
    this.#pool = wider(this.#pool, new Uint16Array(this.#capacity));
    this.#port = wider(this.#port, new Uint32Array(this.#capacity));
    this.#told = wider(this.#told, new Uint32Array(this.#capacity));
    this.#digest = wider(this.#digest, new Uint32Array(this.#capacity));
    this.#identities.grow(this.#capacity);
    this.#lists.grow(this.#heads + this.#capacity);
  }
}

/** The addresses of a pool that are not excluded. */
export function poolSize<A extends Address>(family: AddressFamily<A>, pool: PoolRange<A>): number {
  return pool.excluded.reduce(
    (size, { first, last }) => size - (family.distance(first, last) + 1),
    family.distance(pool.first, pool.last) + 1,
  );
}
