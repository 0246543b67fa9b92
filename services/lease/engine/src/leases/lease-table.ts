import type { Config, Pool } from "@frontdesk/lease-config/config";
import { AddressIndex } from "./address-index.ts";
import { FreeMap } from "./free-map.ts";
import { IdentityIndex } from "./identity-index.ts";
import { LinkedLists } from "./linked-lists.ts";
import { TimingWheel, WHEEL_HEADS } from "./timing-wheel.ts";

export const STATE = { none: 0, offered: 1, bound: 2, released: 3, expired: 4, declined: 5 } as const;
export type State = (typeof STATE)[keyof typeof STATE];
export const FOREVER = 0xffffffff;

/** What stands in the way of an address, or nothing. */
export interface PoolUse {
  readonly size: number;
  readonly bound: number;
  readonly offered: number;
  readonly declined: number;
}

type Use = { bound: number; offered: number; declined: number };

const NOWHERE = 0xffff;

/**
 * Every lease the engine knows, about eighty octets each: columns in typed arrays, found by address
 * and by client, ordered by when they fall due or by how long they have been free. Times are seconds.
 */
export class LeaseTable {
  #capacity = 1024;
  #address = new Uint32Array(1024);
  #starts = new Uint32Array(1024);
  #until = new Uint32Array(1024);
  #state = new Uint8Array(1024);
  #network = new Uint16Array(1024);
  #pool = new Uint16Array(1024);
  readonly #byAddress = new AddressIndex((slot) => this.#address[slot] as number);
  readonly #byIdentity: IdentityIndex;
  #lists = new LinkedLists(WHEEL_HEADS, 0);
  #wheel: TimingWheel;
  #heads = WHEEL_HEADS;
  #pools: readonly Pool[] = [];
  #sortedPools: readonly Pool[] = [];
  #free: FreeMap[] = [];
  #use: Use[] = [];
  #outside: Use = { bound: 0, offered: 0, declined: 0 };
  #config: Config;
  readonly #spareSlots: number[] = [];
  #slots = 0;

  constructor(config: Config, now: number, secret: number) {
    this.#config = config;
    this.#byIdentity = new IdentityIndex(1024, secret, (slot) => this.#network[slot] as number);
    this.#wheel = new TimingWheel(this.#lists, now, () => 0);
    this.rebuild(config, now);
  }

  find(address: number): number | undefined {
    return this.#byAddress.get(address);
  }

  findClient(identity: Uint8Array, network: number): number | undefined {
    return this.#byIdentity.find(identity, network);
  }

  /** All slots of a client on a network: while it moves from one address to another there are two. */
  slotsOfClient(identity: Uint8Array, network: number): number[] {
    return this.#byIdentity.findAll(identity, network);
  }

  address = (slot: number) => this.#address[slot] as number;
  state = (slot: number) => this.#state[slot] as State;
  starts = (slot: number) => this.#starts[slot] as number;
  until = (slot: number) => this.#until[slot] as number;
  holds = (slot: number, identity: Uint8Array) => this.#byIdentity.holds(slot, identity);
  identity = (slot: number) => this.#byIdentity.of(slot);

  /** The pool an address is in, if any. */
  poolOf(address: number): Pool | undefined {
    const pools = this.#sortedPools;
    let low = 0;
    let high = pools.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const pool = pools[middle] as Pool;
      if (address < pool.first) high = middle - 1;
      else if (address > pool.last) low = middle + 1;
      else return pool;
    }
    return undefined;
  }

  freeMap(pool: Pool): FreeMap {
    return this.#free[pool.index] as FreeMap;
  }

  /** The address of a pool that has been free the longest, of those that someone once had. */
  longestFree(pool: Pool): number | undefined {
    const node = this.#lists.first(WHEEL_HEADS + pool.index);
    return node === undefined ? undefined : node - this.#heads;
  }

  use(pool: Pool): PoolUse {
    return { ...(this.#use[pool.index] as Use), size: poolSize(pool) };
  }

  /** Leases in force, in pools or not. */
  get active(): number {
    return this.#use.reduce((sum, use) => sum + use.bound, this.#outside.bound);
  }

  /** Puts a client on an address in a state. What the slot was before is forgotten. */
  put(address: number, identity: Uint8Array, state: State, starts: number, until: number): number {
    let slot = this.#byAddress.get(address);
    if (slot === undefined) slot = this.#newSlot(address);
    else this.#leave(slot);
    if (!this.#byIdentity.holds(slot, identity)) {
      this.#byIdentity.delete(slot);
      if (identity.length > 0) this.#byIdentity.set(slot, identity, this.#network[slot] as number);
    }
    this.#starts[slot] = starts;
    this.#until[slot] = until;
    this.#enter(slot, state);
    return slot;
  }

  /** Makes an address as if nobody ever had it. */
  forget(slot: number): void {
    const address = this.#address[slot] as number;
    this.#leave(slot);
    this.#state[slot] = STATE.none;
    this.#byIdentity.delete(slot);
    this.#byAddress.delete(address);
    const pool = this.#pools[this.#pool[slot] as number];
    if (pool && !this.#isWithheld(address, pool)) this.#free[pool.index]?.giveBack(address - pool.first);
    this.#spareSlots.push(slot);
  }

  /** Moves time on; `expire` is called for at most `limit` slots that have fallen due, and must move each. */
  expireDue(now: number, limit: number, expire: (slot: number) => void): number {
    this.#wheel.advance(now);
    let done = 0;
    for (
      let node = this.#wheel.firstDue();
      node !== undefined && done < limit;
      node = this.#wheel.firstDue()
    ) {
      expire(node - this.#heads);
      done++;
    }
    return done;
  }

  /** Every slot that is not empty. */
  *slots(): Generator<number> {
    for (let slot = 0; slot < this.#slots; slot++) if (this.#state[slot] !== STATE.none) yield slot;
  }

  /** Takes up another configuration: pools and networks may be others now, leases stay. */
  rebuild(config: Config, now: number): void {
    this.#config = config;
    this.#pools = config.pools;
    this.#sortedPools = config.pools.toSorted((a, b) => a.first - b.first);
    this.#heads = WHEEL_HEADS + config.pools.length + 1;
    this.#free = config.pools.map(openFreeMap);
    for (const address of config.reservedAddresses.keys()) {
      const pool = this.poolOf(address);
      if (pool) this.#free[pool.index]?.take(address - pool.first);
    }
    this.#use = config.pools.map(() => ({ bound: 0, offered: 0, declined: 0 }));
    this.#outside = { bound: 0, offered: 0, declined: 0 };
    this.#lists = new LinkedLists(this.#heads, this.#capacity);
    this.#wheel = new TimingWheel(this.#lists, now, (node) => this.#until[node - this.#heads] as number);
    for (const slot of this.slots()) this.#locate(slot);
    this.#byIdentity.rebuild(this.slots());
    for (const slot of this.#byTimeFree()) this.#enter(slot, this.#state[slot] as State);
  }

  /** Free slots in the order they became free, the others in any. */
  *#byTimeFree(): Generator<number> {
    const keys = new Float64Array(this.#slots);
    let count = 0;
    let oldest = FOREVER;
    for (const slot of this.slots()) oldest = Math.min(oldest, this.#until[slot] as number);
    for (const slot of this.slots()) {
      // Age and slot in one number that a float holds exactly: 26 bits of seconds, 27 of slots.
      const age = Math.min((this.#until[slot] as number) - oldest, 2 ** 26 - 1);
      if (isFree(this.#state[slot] as State)) keys[count++] = age * 2 ** 27 + slot;
      else yield slot;
    }
    for (const key of keys.subarray(0, count).sort()) yield key % 2 ** 27;
  }

  #newSlot(address: number): number {
    const spare = this.#spareSlots.pop();
    const slot = spare ?? this.#slots++;
    if (slot >= this.#capacity) this.#grow();
    this.#address[slot] = address;
    this.#byAddress.set(address, slot);
    this.#locate(slot);
    return slot;
  }

  #locate(slot: number): void {
    const address = this.#address[slot] as number;
    const pool = this.poolOf(address);
    this.#pool[slot] = pool?.index ?? NOWHERE;
    const subnet =
      pool?.subnet ?? this.#config.subnets.find((each) => (address & each.mask) >>> 0 === each.address);
    this.#network[slot] = subnet?.network.index ?? NOWHERE;
    if (pool) this.#free[pool.index]?.take(address - pool.first);
  }

  #isWithheld(address: number, pool: Pool): boolean {
    return (
      this.#config.reservedAddresses.has(address) ||
      pool.excluded.some(({ first, last }) => address >= first && address <= last)
    );
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
    const pool = this.#pools[this.#pool[slot] as number];
    const apart = !pool || this.#isWithheld(this.#address[slot] as number, pool);
    return WHEEL_HEADS + (apart ? this.#pools.length : pool.index);
  }

  #grow(): void {
    this.#capacity *= 2;
    const wider = <T extends Uint8Array | Uint16Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#address = wider(this.#address, new Uint32Array(this.#capacity));
    this.#starts = wider(this.#starts, new Uint32Array(this.#capacity));
    this.#until = wider(this.#until, new Uint32Array(this.#capacity));
    this.#state = wider(this.#state, new Uint8Array(this.#capacity));
    this.#network = wider(this.#network, new Uint16Array(this.#capacity));
    this.#pool = wider(this.#pool, new Uint16Array(this.#capacity));
    this.#byIdentity.grow(this.#capacity);
    this.#lists.grow(this.#heads + this.#capacity);
  }
}

export const isFree = (state: State) => state === STATE.released || state === STATE.expired;

export function poolSize(pool: Pool): number {
  return pool.excluded.reduce(
    (size, { first, last }) => size - (last - first + 1),
    pool.last - pool.first + 1,
  );
}

function openFreeMap(pool: Pool): FreeMap {
  const map = new FreeMap(pool.last - pool.first + 1);
  for (const { first, last } of pool.excluded) {
    for (let address = first; address <= last; address++) map.take(address - pool.first);
  }
  return map;
}
