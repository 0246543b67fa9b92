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

/** The place of the first range that does not end before an address. */
function placeOf(ranges: readonly OwnedRange[], address: Address): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as OwnedRange).last < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What is said of a range, in order; the rest of it is the holder's. */
export function* rangesIn({ ranges }: Ownership, { first, last }: AddressRange): Generator<OwnedRange> {
  for (let i = placeOf(ranges, first); i < ranges.length; i++) {
    const each = ranges[i] as OwnedRange;
    if (each.first > last) return;
    // There may be tens of thousands: one that lies within is taken as it is.
    const isWithin = each.first >= first && each.last <= last;
    yield isWithin
      ? each
      : {
          ...each,
          first: each.first < first ? first : each.first,
          last: each.last > last ? last : each.last,
        };
  }
}

/** A range in parts of one owner each, in order. */
export function partsOf(ownership: Ownership, range: AddressRange): OwnedRange[] {
  const { holder: owner, usableFrom } = ownership;
  const parts: OwnedRange[] = [];
  let at: Address = range.first;
  for (const each of rangesIn(ownership, range)) {
    if (at < each.first) parts.push({ first: at, last: before(each.first), owner, usableFrom, seq: 0 });
    parts.push(each);
    at = after(each.last);
  }
  if (at <= range.last) parts.push({ first: at, last: range.last, owner, usableFrom, seq: 0 });
  return parts;
}

/** The first addresses from one on, up to `last`, that a node owns; whether it may use them is another question. */
export function nextOwned<A extends Address>(
  ownership: Ownership,
  role: Role,
  address: A,
  last: A,
): { readonly first: A; readonly last: A } | undefined {
  const { ranges, holder } = ownership;
  const part = (first: Address, end: Address) => ({
    first: first as A,
    last: (end < last ? end : last) as A,
  });
  let at: Address = address;
  for (let i = placeOf(ranges, at); at <= last; i++) {
    const range = ranges[i];
    if (!range || at < range.first) {
      if (holder === role) return part(at, range ? before(range.first) : last);
      if (!range || range.first > last) return undefined;
      at = range.first;
    }
    if (range.owner === role) return part(at, range.last);
    at = after(range.last);
  }
  return undefined;
}

/** Writes ranges over whatever was there: one walk through both, however many there are. */
export function give(
  ownership: Ownership,
  given: readonly AddressRange[],
  to: Pick<OwnedRange, "owner" | "usableFrom" | "seq">,
): Ownership {
  const tidy = new TidyRanges(ownership);
  const { ranges } = ownership;
  let i = 0;
  // What is left of the range at `i`.
  let rest = ranges[0];
  const next = () => {
    rest = ranges[++i];
  };
  for (const { first, last } of given.toSorted(byFirst)) {
    for (; rest && rest.last < first; next()) tidy.add(rest);
    if (rest && rest.first < first) tidy.add({ ...rest, last: before(first) });
    while (rest && rest.last <= last) next();
    if (rest && rest.first <= last) rest = { ...rest, first: after(last) };
    tidy.add({ first, last, owner: to.owner, usableFrom: to.usableFrom, seq: to.seq });
  }
  for (; rest; next()) tidy.add(rest);
  return tidy.ownership;
}

const byFirst = (one: AddressRange, other: AddressRange) => (one.first < other.first ? -1 : 1);

/** The highest number of a range that the peer has not acknowledged, by the list of ranges; 0 when there is none. */
const newest = new WeakMap<readonly OwnedRange[], number>();

function newestOf(ranges: readonly OwnedRange[]): number {
  let seq = newest.get(ranges);
  if (seq === undefined) {
    seq = ranges.reduce((highest, range) => Math.max(highest, range.seq), 0);
    newest.set(ranges, seq);
  }
  return seq;
}

/** The peer has acknowledged what this node gave up to a number. */
export function acknowledge(ownership: Ownership, acked: number): Ownership {
  if (newestOf(ownership.ranges) === 0) return ownership;
  const isAcked = ({ seq }: OwnedRange) => seq !== 0 && seq <= acked;
  if (!ownership.ranges.some(isAcked)) return ownership;
  const ranges = ownership.ranges.map((range) => (isAcked(range) ? { ...range, seq: 0 } : range));
  return tidied({ ...ownership, ranges });
}

/** What this node gave and the peer may not have received. */
export const givenAfter = ({ ranges }: Ownership, seq: number): OwnedRange[] =>
  newestOf(ranges) <= seq ? [] : ranges.filter((range) => range.seq > seq);

/**
 * A node becomes the owner of everything; what was the peer's, it may use from a time on. What it waits for longer, since
 * the peer lost its memory, it goes on waiting for: the peer that hands everything over does not know of that.
 */
export function takeOver(ownership: Ownership, by: Role, usableFrom: number): Ownership {
  const gained = (owner: Role, from: number) => (owner === by && from === 0 ? 0 : Math.max(usableFrom, from));
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

/** What is waited for is so until a time at the latest. */
export const waitingAtMost = (ownership: Ownership, latest: number): Ownership =>
  withUsableFrom(ownership, (from) => Math.min(from, latest));

/** What is waited for is so for some seconds longer, or less long. */
export const waitingLonger = (ownership: Ownership, by: number): Ownership =>
  withUsableFrom(ownership, (from) => Math.max(1, from + by));

/** Of what was gained by a takeover. */
function withUsableFrom(ownership: Ownership, change: (usableFrom: number) => number): Ownership {
  const changed = (usableFrom: number) => (usableFrom === 0 ? 0 : change(usableFrom));
  const isSame = (usableFrom: number) => changed(usableFrom) === usableFrom;
  const { usableFrom, ranges } = ownership;
  if (isSame(usableFrom) && ranges.every((range) => isSame(range.usableFrom))) return ownership;
  return tidied({
    ...ownership,
    usableFrom: changed(usableFrom),
    ranges: ranges.map((range) => ({ ...range, usableFrom: changed(range.usableFrom) })),
  });
}

/** All of it may be used by its owner. */
export const withoutWaiting = (ownership: Ownership): Ownership => withUsableFrom(ownership, () => 0);

function tidied(ownership: Ownership): Ownership {
  const tidy = new TidyRanges(ownership);
  for (const range of ownership.ranges) tidy.add(range);
  return tidy.ownership;
}

/** Ranges in their order: neighbours that are alike are joined, and what is so without being said is left out. */
class TidyRanges {
  readonly #ranges: OwnedRange[] = [];
  readonly ownership: Ownership;

  constructor({ holder, usableFrom }: Ownership) {
    this.ownership = { holder, usableFrom, ranges: this.#ranges };
  }

  add(range: OwnedRange): void {
    const { holder, usableFrom } = this.ownership;
    if (range.owner === holder && range.usableFrom === usableFrom && range.seq === 0) return;
    const last = this.#ranges.at(-1);
    // Two that were given at once may lie over each other.
    const joins =
      last &&
      range.first <= after(last.last) &&
      last.owner === range.owner &&
      last.usableFrom === range.usableFrom &&
      last.seq === range.seq;
    if (!joins) this.#ranges.push(range);
    else if (range.last > last.last) this.#ranges[this.#ranges.length - 1] = { ...last, last: range.last };
  }
}

export const after = (address: Address): Address =>
  typeof address === "bigint" ? address + 1n : address + 1;
const before = (address: Address): Address => (typeof address === "bigint" ? address - 1n : address - 1);
