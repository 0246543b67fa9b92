import { type Config6, type Pool6, poolOf6, type Reservation6 } from "@frontdesk/lease-config/config6";
import { prefixBase, sameBytes } from "@frontdesk/lease-options/address";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { type Binding, isFree, STATE } from "../leases/binding.ts";
import { ADDRESS_BITS } from "../leases/lease6-record.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";

/** A lease that lies across several places of what is given now, or within one: it was given before a reload. */
export interface OddLease {
  readonly address: bigint;
  readonly length: number;
  readonly until: number;
  readonly identity: Uint8Array;
}

interface Block {
  readonly first: bigint;
  readonly last: bigint;
  readonly by: { readonly lease: OddLease } | { readonly reservation: Reservation6 };
}

/** Who asks, and at which moment. */
export interface Asking {
  readonly now: number;
  readonly identity: Uint8Array;
  readonly reservation: Reservation6 | undefined;
  readonly leases: Pick<PendingLeases<bigint, Pool6>, "find">;
}

const lastOf = (address: bigint, length: number) => address | ((1n << BigInt(ADDRESS_BITS - length)) - 1n);

/** How long what is given at an address is: of an address, 128. */
export function lengthAt({ reserved, sortedPools }: Config6, address: bigint): number {
  const { prefix } = reserved.get(address) ?? {};
  if (prefix?.address === address) return prefix.length;
  return poolOf6(sortedPools, address)?.length ?? ADDRESS_BITS;
}

/**
 * What a prefix must not overlap although no lease begins where it does: reserved prefixes, and leases of another length than
 * the pool has by now.
 */
export class Overlaps {
  readonly #v6: Config6;
  readonly #odd: ReadonlyMap<bigint, OddLease>;
  /** By their first address. */
  readonly #blocks: readonly Block[];
  /** The highest last address of all blocks up to each. */
  readonly #reach: readonly bigint[];

  private constructor(v6: Config6, odd: readonly OddLease[]) {
    this.#v6 = v6;
    this.#odd = new Map(odd.map((lease) => [lease.address, lease]));
    this.#blocks = [...reservedBlocks(v6), ...odd.map(blockOf)].sort((one, other) =>
      one.first < other.first ? -1 : 1,
    );
    let reach = 0n;
    this.#reach = this.#blocks.map(({ last }) => {
      if (last > reach) reach = last;
      return reach;
    });
  }

  /** With leases as they are kept. */
  static ofKept(v6: Config6, leases: Iterable<OddLease>): Overlaps {
    const plain = new Overlaps(v6, []);
    const hasPrefixes = !plain.isNone || v6.pools.some(({ length }) => length < ADDRESS_BITS);
    const odd: OddLease[] = [];
    // One at a time: there may be a million of them.
    for (const lease of leases) {
      // Among addresses alone, nothing lies across anything.
      if (!hasPrefixes && lease.length === ADDRESS_BITS) continue;
      // An identity may lie in the table's own memory, where another will be.
      if (plain.#isOdd(lease)) odd.push({ ...lease, identity: lease.identity.slice() });
    }
    return new Overlaps(v6, odd);
  }

  /** With leases that were given by the configuration before, as the table holds them. */
  after(v6: Config6, leases: () => Iterable<Binding<bigint>>): Overlaps {
    if (layoutOf(v6) === layoutOf(this.#v6)) return new Overlaps(v6, [...this.#odd.values()]);
    return Overlaps.ofKept(v6, this.#withLengths(leases()));
  }

  *#withLengths(leases: Iterable<Binding<bigint>>): Generator<OddLease> {
    for (const { address, identity, state, until } of leases) {
      if (!isTaken(state)) continue;
      const isAddress = identity[0] === CODE6.iaNa;
      const length = this.#odd.get(address)?.length ?? lengthAt(this.#v6, address);
      yield { address, identity, until, length: isAddress ? ADDRESS_BITS : length };
    }
  }

  get isNone(): boolean {
    return this.#blocks.length === 0;
  }

  /** Whether what is given at an address lies across something that is not the asking one's. */
  has(address: bigint, asking: Asking): boolean {
    const last = lastOf(address, lengthAt(this.#v6, address));
    return this.#across(address, last).some(({ by }) =>
      "lease" in by
        ? isLive(by.lease, asking)
        : by.reservation !== asking.reservation || by.reservation.prefix?.address !== address,
    );
  }

  /** Where prefixes begin that an address may lie in: one of its pool, reserved ones, and leases of another length. */
  prefixesAround(address: bigint, now: number): bigint[] {
    const pool = poolOf6(this.#v6.sortedPools, address);
    const blocks = this.#across(address, address).filter(
      ({ by }) => "reservation" in by || by.lease.until > now,
    );
    const found = blocks.map(({ first }) => first);
    return pool && pool.length < ADDRESS_BITS ? [prefixBase(address, pool.length), ...found] : found;
  }

  #isOdd({ address, length }: OddLease): boolean {
    const isAsGiven = length === lengthAt(this.#v6, address);
    return (
      !isAsGiven || this.#across(address, lastOf(address, length)).some(({ first }) => first !== address)
    );
  }

  #across(first: bigint, last: bigint): Block[] {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle] as Block).first <= last) low = middle + 1;
      else high = middle;
    }
    const found: Block[] = [];
    for (let i = low - 1; i >= 0 && (this.#reach[i] as bigint) >= first; i--) {
      const block = this.#blocks[i] as Block;
      if (block.last >= first) found.push(block);
    }
    return found;
  }
}

const isTaken = (state: Binding<bigint>["state"]) => state !== STATE.none && !isFree(state);

/** Whether an odd lease is still another's: what its client was given since has the right length. */
function isLive({ address, identity, until }: OddLease, asking: Asking): boolean {
  const binding = asking.leases.find(address);
  return (
    until > asking.now &&
    binding !== undefined &&
    isTaken(binding.state) &&
    sameBytes(binding.identity, identity) &&
    !sameBytes(identity, asking.identity)
  );
}

const blockOf = (lease: OddLease): Block => ({
  first: lease.address,
  last: lastOf(lease.address, lease.length),
  by: { lease },
});

function reservedBlocks({ reserved }: Config6): Block[] {
  const blocks: Block[] = [];
  for (const address of reserved.keys()) {
    const reservation = reserved.get(address);
    const { prefix } = reservation ?? {};
    if (reservation && prefix?.address === address)
      blocks.push({ first: address, last: lastOf(address, prefix.length), by: { reservation } });
  }
  return blocks;
}

/** Of two configurations in which this is the same, what is given at each address has the same length. */
const layoutOf = (v6: Config6): string =>
  [
    ...v6.pools.map(({ first, last, length }) => `${first}-${last}/${length}`),
    ...reservedBlocks(v6).map(({ first, last }) => `${first}-${last}`),
  ].join(" ");
