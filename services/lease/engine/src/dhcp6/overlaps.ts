import { type Config6, type Pool6, poolOf6, type Reservation6 } from "@frontdesk/lease-config/config6";
import { prefixBase, sameBytes } from "@frontdesk/lease-options/address";
import { type Binding, isFree, STATE } from "../leases/binding.ts";
import { ADDRESS_BITS } from "../leases/lease6-record.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";
import type { Across } from "../leases/pool-space.ts";
import { PrefixIndex } from "./prefix-index.ts";

/** What a lease gave that lies across several places of what is given now, or within one. Who has it, the table knows. */
interface OddLease {
  readonly address: bigint;
  readonly length: number;
}

/** For so many seconds what lies across a lease is not looked at again: some end a little later than their time, some never. */
const MIN_COVERED = 10;
const MAX_COVERED = 86_400;

type Leases = Pick<PendingLeases<bigint, Pool6>, "find">;

/** Who asks, and at which moment. */
export interface Asking {
  readonly now: number;
  readonly identity: Uint8Array;
  readonly reservation: Reservation6 | undefined;
  readonly leases: Leases;
}

/** How long what is given at an address is: of an address, 128. */
export function lengthAt({ reserved, sortedPools }: Config6, address: bigint): number {
  const { prefix } = reserved.get(address) ?? {};
  if (prefix?.address === address) return prefix.length;
  return poolOf6(sortedPools, address)?.length ?? ADDRESS_BITS;
}

/**
 * What a prefix must not overlap although no lease begins where it does: reserved prefixes, and leases of another length than
 * is given there now. Such a lease was given before a reload, or by a peer that has another configuration.
 */
export class Overlaps {
  readonly #v6: Config6;
  readonly #hasPrefixes: boolean;
  readonly #reserved: PrefixIndex<Reservation6>;
  readonly #odd: PrefixIndex<OddLease>;

  constructor(v6: Config6) {
    this.#v6 = v6;
    const reserved = reservedPrefixes(v6);
    const lengths = [...v6.pools, ...reserved].map(({ length }) => length);
    this.#hasPrefixes = lengths.some((length) => length < ADDRESS_BITS);
    this.#reserved = new PrefixIndex(lengths);
    this.#odd = new PrefixIndex(lengths);
    for (const { address, length, reservation } of reserved) this.#reserved.set(address, length, reservation);
  }

  /**
   * To be told of every lease as soon as it is decided, whoever gave it: the rest of the batch must see it. Nothing is to be
   * told of its end, or of a commit that failed: whether a lease is in the way is asked of the table.
   */
  add({ address, length = ADDRESS_BITS, state, earlier }: Binding<bigint>): void {
    // Among addresses alone, nothing lies across anything.
    if ((!this.#hasPrefixes && length === ADDRESS_BITS) || !isTaken(state)) return;
    if (this.#isOdd(address, length)) this.#odd.set(address, length, { address, length });
    if (earlier) this.#odd.set(address, earlier.length, { address, length: earlier.length });
  }

  /** By another configuration, with the same leases. */
  after(v6: Config6, leases: Leases & { all(): Iterable<Binding<bigint>> }, now: number): Overlaps {
    if (v6 === this.#v6) return this;
    const next = new Overlaps(v6);
    for (const lease of this.#odd.values()) {
      const { address, length } = lease;
      // What its client may believe to have is another length than the table knows.
      const isOdd = next.#isOdd(address, length) || leases.find(address)?.length !== length;
      if (isOdd && holderOf(lease, leases, now)) next.#odd.set(address, length, lease);
    }
    if (layoutOf(v6) !== layoutOf(this.#v6)) for (const binding of leases.all()) next.add(binding);
    return next;
  }

  get isNone(): boolean {
    return this.#reserved.isEmpty && this.#odd.isEmpty;
  }

  /** What lies across what is given at an address and is not the asking one's, if anything does. */
  at(address: bigint, { now, identity, reservation, leases }: Asking): Across<bigint> | undefined {
    const length = lengthAt(this.#v6, address);
    for (const each of this.#reserved.across(address, length)) {
      if (each === reservation && each.prefix?.address === address) continue;
      if (each.prefix) return { first: each.prefix.address, last: lastOf(each.prefix), until: 0 };
    }
    for (const lease of this.#odd.across(address, length)) {
      const holder = holderOf(lease, leases, now);
      if (holder && !sameBytes(holder.identity, identity)) return acrossOf(lease, holder, now);
    }
    return undefined;
  }

  /** Places of what is given now that smaller leases lie in. */
  *placesAround(leases: Leases, now: number): Generator<[place: bigint, across: Across<bigint>]> {
    for (const lease of this.#odd.values()) {
      const pool = poolOf6(this.#v6.sortedPools, lease.address);
      const holder = pool && pool.length < lease.length ? holderOf(lease, leases, now) : undefined;
      if (pool && holder) yield [prefixBase(lease.address, pool.length), acrossOf(lease, holder, now)];
    }
  }

  /** Where prefixes begin that an address may lie in: one of its pool, reserved ones, and leases of another length. */
  prefixesAround(address: bigint, leases: Leases, now: number): bigint[] {
    const pool = poolOf6(this.#v6.sortedPools, address);
    const reserved = this.#reserved.across(address, ADDRESS_BITS).map(({ prefix }) => prefix?.address);
    const odd = this.#odd.across(address, ADDRESS_BITS).filter((lease) => holderOf(lease, leases, now));
    const found = [...reserved, ...odd.map((lease) => lease.address)].filter((each) => each !== undefined);
    return pool && pool.length < ADDRESS_BITS ? [prefixBase(address, pool.length), ...found] : found;
  }

  #isOdd(address: bigint, length: number): boolean {
    if (length !== lengthAt(this.#v6, address)) return true;
    return this.#reserved.across(address, length).some(({ prefix }) => prefix?.address !== address);
  }
}

const lastOf = ({ address, length }: Pick<OddLease, "address" | "length">) =>
  address + (1n << BigInt(ADDRESS_BITS - length)) - 1n;

const isTaken = (state: Binding<bigint>["state"]) => state !== STATE.none && !isFree(state);

type Holder = Pick<Binding<bigint>, "identity" | "until">;

/**
 * Who still has what an odd lease gave, if anyone does, and until when. A client that got another length with a renewal may
 * not know it before its old time is over.
 */
function holderOf({ address, length }: OddLease, leases: Leases, now: number): Holder | undefined {
  const binding = leases.find(address);
  if (!binding || !isTaken(binding.state)) return undefined;
  if (binding.length === length) return binding;
  const { identity, earlier } = binding;
  // It may have begun at the end of a second.
  const isEarlier = earlier?.length === length && earlier.until >= now;
  return isEarlier ? { identity, until: earlier.until } : undefined;
}

const acrossOf = (lease: OddLease, { until }: Holder, now: number): Across<bigint> => ({
  first: lease.address,
  last: lastOf(lease),
  until: Math.min(Math.max(until, now + MIN_COVERED), now + MAX_COVERED),
});

interface ReservedPrefix {
  readonly address: bigint;
  readonly length: number;
  readonly reservation: Reservation6;
}

function reservedPrefixes({ reserved }: Config6): ReservedPrefix[] {
  const found: ReservedPrefix[] = [];
  for (const address of reserved.keys()) {
    const reservation = reserved.get(address);
    const { prefix } = reservation ?? {};
    if (reservation && prefix?.address === address)
      found.push({ address, length: prefix.length, reservation });
  }
  return found;
}

/** Of two configurations in which this is the same, what is given at each address has the same length. */
const layoutOf = (v6: Config6): string =>
  [
    ...v6.pools.map(({ first, last, length }) => `${first}-${last}/${length}`),
    ...reservedPrefixes(v6).map(({ address, length }) => `${address}/${length}`),
  ].join(" ");
