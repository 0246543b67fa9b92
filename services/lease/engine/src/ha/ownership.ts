import type { Address } from "../leases/binding.ts";

export type Role = "primary" | "secondary";

export const peerOf = (role: Role): Role => (role === "primary" ? "secondary" : "primary");

export interface AddressRange {
  readonly first: Address;
  readonly last: Address;
}

export interface OwnedRange extends AddressRange {
  readonly owner: Role;
  /** Before this time the owner binds none of it: the peer may have done so before the takeover. */
  readonly usableFrom: number;
  /** This node's number of the change, when this node gave the range and the peer has not acknowledged it; else 0. */
  readonly seq: number;
}

/** Who owns which addresses: the holder all of them, except those in the ranges, which are in order and apart. */
export interface Ownership {
  readonly holder: Role;
  readonly usableFrom: number;
  readonly ranges: readonly OwnedRange[];
}

/** The holder owns everything, from now on. */
export const ownedBy = (holder: Role): Ownership => ({ holder, usableFrom: 0, ranges: [] });

export function ownerOf(ownership: Ownership, address: Address): Pick<OwnedRange, "owner" | "usableFrom"> {
  const { ranges } = ownership;
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle] as OwnedRange;
    if (address < range.first) high = middle - 1;
    else if (address > range.last) low = middle + 1;
    else return range;
  }
  return { owner: ownership.holder, usableFrom: ownership.usableFrom };
}

/** Writes a range over whatever was there. */
export function give(ownership: Ownership, given: OwnedRange): Ownership {
  const ranges: OwnedRange[] = [];
  for (const range of ownership.ranges) {
    if (range.last < given.first || range.first > given.last) {
      ranges.push(range);
      continue;
    }
    if (range.first < given.first) ranges.push({ ...range, last: before(given.first) });
    if (range.last > given.last) ranges.push({ ...range, first: after(given.last) });
  }
  ranges.push(given);
  ranges.sort((one, other) => (one.first < other.first ? -1 : 1));
  return tidied({ ...ownership, ranges });
}

/** The peer has acknowledged what this node gave up to a number. */
export function acknowledge(ownership: Ownership, acked: number): Ownership {
  if (!ownership.ranges.some(({ seq }) => seq !== 0 && seq <= acked)) return ownership;
  const ranges = ownership.ranges.map((range) => (range.seq <= acked ? { ...range, seq: 0 } : range));
  return tidied({ ...ownership, ranges });
}

/** What this node gave and the peer may not have received. */
export const givenAfter = ({ ranges }: Ownership, seq: number): OwnedRange[] =>
  ranges.filter((range) => range.seq > seq);

/** A node becomes the owner of everything; what was the peer's, it may use from a time on. */
export function takeOver(ownership: Ownership, by: Role, usableFrom: number): Ownership {
  const gained = (owner: Role, from: number) => (owner === by && from === 0 ? 0 : usableFrom);
  return tidied({
    holder: by,
    usableFrom: gained(ownership.holder, ownership.usableFrom),
    ranges: ownership.ranges.map((range) => ({
      ...range,
      owner: by,
      usableFrom: gained(range.owner, range.usableFrom),
      seq: 0,
    })),
  });
}

/** All of it may be used by its owner. */
export const withoutWaiting = ({ holder, ranges }: Ownership): Ownership =>
  tidied({ holder, usableFrom: 0, ranges: ranges.map((range) => ({ ...range, usableFrom: 0 })) });

/** Joins neighbours that are alike, and leaves out what is so without being said. */
function tidied(ownership: Ownership): Ownership {
  const ranges: OwnedRange[] = [];
  for (const range of ownership.ranges) {
    const isImplied =
      range.owner === ownership.holder && range.usableFrom === ownership.usableFrom && range.seq === 0;
    if (isImplied) continue;
    const last = ranges.at(-1);
    const joins =
      last &&
      after(last.last) === range.first &&
      last.owner === range.owner &&
      last.usableFrom === range.usableFrom &&
      last.seq === range.seq;
    if (joins) ranges[ranges.length - 1] = { ...last, last: range.last };
    else ranges.push(range);
  }
  return { ...ownership, ranges };
}

export const after = (address: Address): Address =>
  typeof address === "bigint" ? address + 1n : address + 1;
const before = (address: Address): Address => (typeof address === "bigint" ? address - 1n : address - 1);
