import { AddressMap, AddressSet } from "@frontdesk/lease-options/address-map";
import type { AddressColumn, AddressFamily } from "./address-family.ts";
import { BinaryHeap } from "./binary-heap.ts";
import {
  type Address,
  type AddressPlan,
  type Binding,
  FOREVER,
  isActive,
  isExcluded,
  isFree,
  NOWHERE,
  type PairPart,
  type PoolRange,
  STATE,
  type State,
} from "./binding.ts";
import { CoveredPlaces } from "./covered-places.ts";
import { IdentityIndex } from "./identity-index.ts";
import { LeaseColumns } from "./lease-columns.ts";
import { ADDRESS_BITS } from "./lease6-record.ts";
import { LinkedLists } from "./linked-lists.ts";
import { PairColumns } from "./pair-columns.ts";
import { type Across, type IsOpen, type Own, PoolSpace, type Scatter } from "./pool-space.ts";
import { PoolCounts, type PoolUse } from "./pool-use.ts";
import { Ports } from "./ports.ts";
import { TimingWheel, WHEEL_HEADS } from "./timing-wheel.ts";

/**
 * Addresses that are known at the most before a pool without an end gives again what was free the longest: it would
 * otherwise grow with every client that somebody invents.
 */
const MAX_KNOWN = 2 ** 22;

/**
 * Every lease the engine knows, about eighty octets each: columns in typed arrays, found by address
 * and by client, ordered by when they fall due or by how long they have been free.
 */
export class LeaseTable<A extends Address, P extends PoolRange<A>> {
  readonly #family: AddressFamily<A>;
  readonly #addresses: AddressColumn<A>;
  readonly #identities: IdentityIndex;
  readonly #ports = new Ports();
  readonly #columns = new LeaseColumns();
  /** Of one of a pair of servers. */
  #pairs: PairColumns | undefined;
  #lists = new LinkedLists(WHEEL_HEADS, 0);
  #wheel: TimingWheel;
  /** The free slots of each pool. */
  #free: BinaryHeap[] = [];
  /** Those that no pool may give: reserved ones, and those whose pool is gone. */
  #freeOutside!: BinaryHeap;
  #plan: AddressPlan<A, P>;
  /** Made with each plan, the first ones by the constructor. */
  #space!: PoolSpace<A, P>;
  #counts!: PoolCounts;
  #covered!: CoveredPlaces<A, P>;
  readonly #spareSlots: number[] = [];
  /** Of the few prefixes that a renewal made smaller, what their clients may believe to have. */
  readonly #earlier = new AddressMap<A, NonNullable<Binding<A>["earlier"]>>();
  #slots = 0;

  constructor(family: AddressFamily<A>, plan: AddressPlan<A, P>, now: number, secret: number) {
    this.#family = family;
    this.#addresses = family.column();
    this.#plan = plan;
    this.#identities = new IdentityIndex(
      this.#columns.capacity,
      secret,
      (slot) => this.#columns.network[slot] as number,
    );
    this.#wheel = new TimingWheel(this.#lists, now, () => 0);
    this.#sortAnew(plan, now);
  }

  find(address: A): Binding<A> | undefined {
    const slot = this.#addresses.find(address);
    return slot === undefined ? undefined : this.#binding(slot);
  }

  /** Makes room for what a pair of servers keeps of each lease. */
  keepPairs(): void {
    this.#pairs ??= new PairColumns(this.#columns.capacity);
    this.#space.countReturned();
    for (const slot of this.#slotsInUse()) {
      if (isFree(this.#columns.state[slot] as State)) this.#tellReturned(slot, true);
    }
  }

  /** What the pair keeps of an address; undefined where there is nothing. */
  pairOf(address: A): PairPart | undefined {
    const slot = this.#addresses.find(address);
    return slot === undefined ? undefined : this.#pairs?.get(slot);
  }

  setPair(address: A, part: PairPart): void {
    const slot = this.#addresses.find(address);
    if (slot !== undefined) this.#pairs?.set(slot, part);
  }

  /** How many addresses of a range within a pool anyone may have; undefined where there are too many to count. */
  countFree(first: A, last: A): number | undefined {
    const pool = this.#space.poolOf(first);
    return pool && this.#space.countFree(pool, first, last);
  }

  /** Whether a pool has more addresses than could be gone through. */
  isVast(first: A): boolean {
    const pool = this.#space.poolOf(first);
    return pool !== undefined && this.#space.isVast(pool);
  }

  /** How far two neighbours of the pool of an address are apart. */
  stepOf(address: A): bigint {
    return 1n << BigInt(this.#space.poolOf(address)?.shift ?? 0);
  }

  /** Addresses of a range within a pool that anyone may have, the last one first. */
  freeUpTo(first: A, last: A): Iterable<A> {
    const pool = this.#space.poolOf(first);
    return pool ? this.#space.freeUpTo(pool, first, last) : [];
  }

  /** The latest end that the peer was promised of any lease, those without an end left out. */
  get latestPromise(): number {
    return this.#pairs?.latestPromise(this.#slotsInUse()) ?? 0;
  }

  /** Leases and quarantines with an end, of which the peer was promised that they have none. */
  *promisedForEver(): Generator<A> {
    const { state, until } = this.#columns;
    for (const slot of this.#slotsInUse()) {
      const hasEnd = !isFree(state[slot] as State) && until[slot] !== FOREVER;
      if (hasEnd && this.#pairs?.isEndless(slot)) yield this.#addresses.get(slot);
    }
  }

  /** What has fallen due and cannot be ended yet is looked at again after everything else that is due. */
  postpone(address: A): void {
    const slot = this.#addresses.find(address);
    if (slot !== undefined && !isFree(this.#columns.state[slot] as State))
      this.#wheel.postpone(WHEEL_HEADS + slot);
  }

  /** What a client has and had on a network, in no order. */
  ofClient(identity: Uint8Array, network: number): Binding<A>[] {
    const found: Binding<A>[] = [];
    for (const slot of this.#identities.findAll(identity, network)) found.push(this.#binding(slot));
    return found;
  }

  networkOf(address: A): number {
    return this.#plan.networkOf(address) ?? NOWHERE;
  }

  /** The pool that may give an address to anyone, if any. */
  openPoolOf(address: A): P | undefined {
    return this.#space.openPoolOf(address);
  }

  /** The pool an address is in, if any. */
  poolOf(address: A): P | undefined {
    return this.#space.poolOf(address);
  }

  /** An address of the pool that nobody ever had, from a place on that `hash` says, for which `isOpen` holds. */
  unused(pool: P, hash: number, isOpen: IsOpen<A>, scatter?: Scatter<A>, own?: Own<A>): A | undefined {
    const known = this.#slots - this.#spareSlots.length;
    if (known >= MAX_KNOWN && this.#space.isVast(pool)) return undefined;
    return this.#space.unused(
      pool,
      hash,
      (address) => (this.#addresses.find(address) === undefined ? isOpen(address) : address),
      scatter,
      own,
    );
  }

  /**
   * An address that nobody had cannot be given before then, since a lease of another length begins within what it stands
   * for, and ends with `last`: it is not looked at again for so long. What lies within a larger lease is passed over with it.
   */
  cover(address: A, across: Across<A>): void {
    this.#covered.cover(address, across);
  }

  /** What was covered until before now is looked at again. */
  uncover(now: number): void {
    this.#covered.uncoverOver(now);
  }

  /** Of what was uncovered, covers again what cannot be given. */
  coverAgain(acrossAt: (address: A) => Across<A> | undefined): void {
    this.#covered.coverAgain(acrossAt);
  }

  /** What clients may have believed to have until before now keeps no place from anyone. */
  forgetEarlier(now: number): void {
    for (const [address, { until }] of this.#earlier) {
      if (until >= now) continue;
      const slot = this.#addresses.find(address) as number;
      this.#count(slot, -1);
      this.#earlier.delete(address);
      this.#count(slot, 1);
    }
  }

  /**
   * Free addresses of a pool that someone once had, the one whose time ends first first: one that was released rests
   * until its time would have ended, and so comes after all whose time is over.
   */
  *longFree(pool: P): Generator<Binding<A>> {
    for (const slot of this.#free[pool.index]?.inOrder() ?? []) yield this.#binding(slot);
  }

  /** The same of addresses that no pool may give. */
  *longFreeOutside(): Generator<Binding<A>> {
    for (const slot of this.#freeOutside.inOrder()) yield this.#binding(slot);
  }

  /** What has fallen due by now. */
  *due(now: number): Generator<Binding<A>> {
    this.#wheel.advance(now);
    for (const node of this.#wheel.due()) {
      const slot = node - WHEEL_HEADS;
      if ((this.#columns.until[slot] as number) <= now) yield this.#binding(slot);
    }
  }

  /** Every address that is known. */
  *all(): Generator<Binding<A>> {
    for (const slot of this.#slotsInUse()) yield this.#binding(slot);
  }

  /** How the pools are used, in their order. */
  uses(): PoolUse[] {
    const stateOf = (address: A): State => {
      const slot = this.#addresses.find(address);
      return slot === undefined ? STATE.none : (this.#columns.state[slot] as State);
    };
    return this.#counts.uses(this.#family, this.#plan, (address) => this.poolOf(address), stateOf);
  }

  /** Leases in force, in pools or not. */
  get active(): number {
    return this.#counts.active;
  }

  /** Offers that are open, in pools or not. */
  get offered(): number {
    return this.#counts.offered;
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
    const isOver = binding.state === STATE.none || isFree(binding.state);
    if (isOver) this.#covered.uncoverAround(binding.address);
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
        this.#identities.set(slot, binding.identity, this.#columns.network[slot] as number);
      }
    }
    this.#columns.length[slot] = binding.length ?? 0;
    this.#columns.starts[slot] = binding.starts;
    this.#columns.until[slot] = binding.until;
    this.#columns.told[slot] = binding.told;
    this.#columns.digest[slot] = binding.digest;
    this.#columns.relayDigest[slot] = binding.relayDigest;
    this.#columns.port[slot] = isActive(binding.state) ? this.#ports.take(binding.port) : 0;
    if (binding.earlier && !isOver) this.#earlier.set(binding.address, binding.earlier);
    else if (this.#earlier.size > 0) this.#earlier.delete(binding.address);
    if (binding.pair) this.#pairs?.set(slot, binding.pair);
    this.#enter(slot, binding.state);
  }

  /** Takes up another plan; leases stay. Where only reservations differ, it costs what those do. */
  rebuild(plan: AddressPlan<A, P>, now: number): void {
    if (plan.layout === this.#plan.layout) this.#reserveAnew(plan);
    else this.#sortAnew(plan, now);
  }

  #reserveAnew(plan: AddressPlan<A, P>): void {
    const before = new AddressSet(this.#plan.reserved.keys());
    const after = new AddressSet(plan.reserved.keys());
    const changed = [
      ...[...before].filter((address) => !after.has(address)),
      ...[...after].filter((address) => !before.has(address)),
    ];
    const free = changed
      .map((address) => this.#addresses.find(address))
      .filter((slot) => slot !== undefined && isFree(this.#columns.state[slot] as State)) as number[];
    for (const slot of free) this.#leaveFree(slot);
    this.#plan = plan;
    this.#space = new PoolSpace(this.#family, plan, this.#space);
    for (const slot of free) this.#enterFree(slot);
    for (const address of changed) {
      if (this.#addresses.find(address) !== undefined) continue;
      if (after.has(address)) this.#space.take(address);
      else this.#space.giveBack(address);
    }
  }

  /** Pools and networks may be others now. */
  #sortAnew(plan: AddressPlan<A, P>, now: number): void {
    this.#plan = plan;
    this.#space = new PoolSpace(this.#family, plan);
    if (this.#pairs) this.#space.countReturned();
    this.#counts = new PoolCounts(plan.pools.length);
    this.#covered = new CoveredPlaces({
      space: () => this.#space,
      counts: this.#counts,
      isKnown: (address) => this.#addresses.find(address) !== undefined,
    });
    this.#ports.resetCounts();
    this.#free = plan.pools.map(() => this.#newHeap());
    this.#freeOutside = this.#newHeap();
    this.#lists = new LinkedLists(WHEEL_HEADS, this.#columns.capacity);
    this.#wheel = new TimingWheel(
      this.#lists,
      now,
      (node) => this.#columns.until[node - WHEEL_HEADS] as number,
    );
    for (const slot of this.#slotsInUse()) this.#locate(slot);
    this.#identities.rebuild(this.#slotsInUse());
    for (const slot of this.#slotsInUse()) this.#enter(slot, this.#columns.state[slot] as State);
  }

  *#slotsInUse(): Generator<number> {
    for (let slot = 0; slot < this.#slots; slot++) if (this.#columns.state[slot] !== STATE.none) yield slot;
  }

  #binding(slot: number): Binding<A> {
    const address = this.#addresses.get(slot);
    const binding = {
      address,
      identity: this.#identities.of(slot),
      state: this.#columns.state[slot] as State,
      starts: this.#columns.starts[slot] as number,
      until: this.#columns.until[slot] as number,
      port: this.#ports.name(this.#columns.port[slot] as number),
      told: this.#columns.told[slot] as number,
      digest: this.#columns.digest[slot] as number,
      relayDigest: this.#columns.relayDigest[slot] as number,
      length: this.#columns.length[slot] as number,
    };
    const earlier = this.#earlier.size > 0 ? this.#earlier.get(address) : undefined;
    return earlier ? { ...binding, earlier } : binding;
  }

  #forget(address: A): void {
    const slot = this.#addresses.find(address);
    if (slot === undefined) return;
    this.#leave(slot);
    this.#columns.state[slot] = STATE.none;
    this.#pairs?.clear(slot);
    this.#identities.delete(slot);
    this.#earlier.delete(address);
    this.#addresses.remove(address);
    this.#space.giveBack(address);
    this.#spareSlots.push(slot);
  }

  #newSlot(address: A): number {
    const spare = this.#spareSlots.pop();
    const slot = spare ?? this.#slots++;
    if (slot >= this.#columns.capacity) this.#grow();
    this.#covered.uncover(address);
    this.#addresses.add(address, slot);
    this.#locate(slot);
    return slot;
  }

  #locate(slot: number): void {
    const address = this.#addresses.get(slot);
    const pool = this.#space.take(address);
    // A lease on an excluded address, by reservation or from before a reload, uses up nothing of the pool.
    this.#columns.pool[slot] = pool && !isExcluded(pool, address) ? pool.index : NOWHERE;
    this.#columns.network[slot] = this.#plan.networkOf(address) ?? NOWHERE;
  }

  #count(slot: number, by: 1 | -1): void {
    const pool = this.#columns.pool[slot] as number;
    const state = this.#columns.state[slot] as State;
    this.#counts.add(pool, state, by);
    // What a client has of a network that is gone keeps it from nothing: it cannot go on with it.
    if (this.#columns.network[slot] !== NOWHERE) this.#ports.count(this.#columns.port[slot] as number, by);
    const length = this.#columns.length[slot] as number;
    if (length > 0 && pool !== NOWHERE && !isFree(state))
      this.#counts.cover(pool, by * this.#placesBeside(slot, length));
  }

  /** How many places of its pool a lease lies across, beside its own: it is larger than what is given there now. */
  #placesBeside(slot: number, length: number): number {
    const pool = this.#plan.pools[this.#columns.pool[slot] as number] as P;
    const given = ADDRESS_BITS - (pool.shift ?? 0);
    if (length >= given && this.#earlier.size === 0) return 0;
    const address = this.#addresses.get(slot);
    const shortest = Math.min(length, this.#earlier.get(address)?.length ?? length);
    if (shortest >= given) return 0;
    const left = this.#family.placeOf(pool, pool.last) - this.#family.placeOf(pool, address);
    return Math.min(2 ** (given - shortest) - 1, left);
  }

  #leave(slot: number): void {
    this.#count(slot, -1);
    this.#ports.leave(this.#columns.port[slot] as number);
    this.#columns.port[slot] = 0;
    if (isFree(this.#columns.state[slot] as State)) this.#leaveFree(slot);
    else this.#lists.remove(WHEEL_HEADS + slot);
  }

  #enter(slot: number, state: State): void {
    this.#columns.state[slot] = state;
    this.#count(slot, 1);
    if (isFree(state)) this.#enterFree(slot);
    else if (this.#columns.until[slot] !== FOREVER) this.#wheel.add(WHEEL_HEADS + slot);
  }

  #enterFree(slot: number): void {
    this.#freeOf(slot).add(slot);
    if (this.#pairs) this.#tellReturned(slot, true);
  }

  #leaveFree(slot: number): void {
    this.#freeOf(slot).removeAt(this.#columns.place[slot] as number);
    if (this.#pairs) this.#tellReturned(slot, false);
  }

  #tellReturned(slot: number, isReturned: boolean): void {
    const address = this.#addresses.get(slot);
    const pool = this.#space.openPoolOf(address);
    if (pool) this.#space.returned(pool, address, isReturned);
  }

  /** Where a free slot waits, to be given again or to be forgotten. */
  #freeOf(slot: number): BinaryHeap {
    const pool = this.#plan.pools[this.#columns.pool[slot] as number];
    if (!pool || this.#space.isWithheld(this.#addresses.get(slot), pool)) return this.#freeOutside;
    return this.#free[pool.index] as BinaryHeap;
  }

  #newHeap(): BinaryHeap {
    return new BinaryHeap(
      (one, other) => this.#endsBefore(one, other),
      (slot, place) => {
        this.#columns.place[slot] = place;
      },
    );
  }

  /** The address decides between those of one second, so that a restart changes nothing. */
  #endsBefore(one: number, other: number): boolean {
    const { until } = this.#columns;
    const apart = (until[one] as number) - (until[other] as number);
    return apart < 0 || (apart === 0 && this.#addresses.get(one) < this.#addresses.get(other));
  }

  #grow(): void {
    this.#columns.grow();
    const { capacity } = this.#columns;
    this.#addresses.grow(capacity);
    this.#identities.grow(capacity);
    this.#pairs?.grow(capacity);
    this.#lists.grow(WHEEL_HEADS + capacity);
  }
}
