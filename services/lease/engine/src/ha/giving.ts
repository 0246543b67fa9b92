import type { Address } from "../leases/binding.ts";
import { answerTo, excessOf, type FreeCounts, isShort, plus, rangesOf } from "./lending.ts";
import type { Message } from "./messages.ts";
import {
  type AddressRange,
  give,
  type OwnedRange,
  partsOf,
  peerOf,
  type Role,
  rangesIn,
} from "./ownership.ts";
import { isAgreed } from "./plan.ts";
import { isEnded } from "./row.ts";
import type { Turn } from "./turn.ts";

/** A node that has so many of a vast pool needs no more. */
const ENOUGH_OF_VAST = 65_536;
const MAX_WANTED = 0xffffffff;

/** What one turn gives of all pools together: free addresses that are looked at, and ranges that they make. */
export const MAX_GIVEN = { addresses: 8192, ranges: 2048 } as const;
type Allowance = { addresses: number; ranges: number };

/** Each second: gives half of what this node has beyond its share of a pool, and asks for what it is short of. */
export function shareAddresses(turn: Turn): void {
  const { role, share } = turn.core.settings;
  const own = role === "secondary" ? share : 1 - share;
  const allowance = { ...MAX_GIVEN };
  const ranges: AddressRange[] = [];
  for (const pool of lentPools(turn)) {
    const counts = countsOf(turn, pool);
    ranges.push(...rangesToLend(turn, pool, excessOf(counts, own), allowance));
    if (isShort(counts, turn.core.demand.get(pool) ?? 0, turn.core.refused)) want(turn, pool, counts);
  }
  lend(turn, ranges);
  turn.change({ refused: false });
}

function want(turn: Turn, pool: AddressRange, { own, peer }: FreeCounts): void {
  const count = Math.min(MAX_WANTED, Math.ceil((peer - own) / 2));
  turn.sendAfterCommit.push({ type: "want", pool, count });
}

export function giveWanted(turn: Turn, { pool, count }: Extract<Message, { type: "want" }>): void {
  const isKnown = lentPools(turn).some(({ first, last }) => first === pool.first && last === pool.last);
  if (turn.core.state !== "normal" || !isKnown) return;
  lend(turn, rangesToLend(turn, pool, answerTo(countsOf(turn, pool), count), { ...MAX_GIVEN }));
}

/** While the nodes have different plans, an address may be of another use to the peer: nothing is lent. */
const lentPools = ({ core, durable }: Turn): readonly AddressRange[] =>
  isAgreed(durable.plan, core.plan) ? core.plan.pools : [];

/** How many addresses of a pool nobody has, by their owners. */
export function countsOf(
  { core, durable, ledger, now }: Pick<Turn, "core" | "durable" | "ledger" | "now">,
  pool: AddressRange,
): FreeCounts {
  const { holder, usableFrom } = durable.ownership;
  const counts = { own: 0, peer: 0 };
  const add = (owner: Role, from: number, count: number) => {
    if (owner !== core.settings.role) counts.peer += count;
    else if (now >= from) counts.own += count;
  };
  let rest = ledger.countFree(pool);
  for (const range of rangesIn(durable.ownership, pool)) {
    const count = ledger.countFree(range);
    rest -= count;
    add(range.owner, range.usableFrom, count);
  }
  add(holder, usableFrom, rest);
  return counts;
}

/** The last addresses of a pool that both nodes know free. */
function rangesToLend(turn: Turn, pool: AddressRange, count: number, allowance: Allowance): AddressRange[] {
  if (count <= 0) return [];
  if (turn.ledger.isVast(pool)) return vastLendable(turn, pool);
  const step = turn.ledger.stepOf(pool);
  return rangesOf(lendable(turn, pool, count, step, allowance), step);
}

/** All that a turn gives has one number: the peer gets it in one message. */
function lend(turn: Turn, ranges: readonly AddressRange[]): void {
  if (ranges.length === 0) return;
  const owner = peerOf(turn.core.settings.role);
  const seq = turn.nextSeq();
  turn.keep({ ownership: give(turn.durable.ownership, ranges, { owner, usableFrom: 0, seq }) });
}

/** Of a pool that nobody could go through: the upper half of what is free in one piece, once. */
function vastLendable(turn: Turn, pool: AddressRange): AddressRange[] {
  if (countsOf(turn, pool).peer >= ENOUGH_OF_VAST) return [];
  const { settings, durable } = turn.core;
  const own = partsOf(durable.ownership, pool)
    .filter(({ owner, usableFrom }) => owner === settings.role && turn.now >= usableFrom)
    .sort((a, b) => (sizeOf(a) < sizeOf(b) ? 1 : -1));
  const [largest] = own;
  const [gap] = largest ? turn.ledger.gapsIn(largest, 1) : [];
  if (!gap) return [];
  const step = BigInt(turn.ledger.stepOf(pool));
  const [first, last] = [BigInt(gap.first), BigInt(gap.last)];
  const middle = first + ((last - first) / step / 2n) * step;
  return middle + step <= last ? [{ first: middle + step, last }] : [];
}

const sizeOf = ({ first, last }: AddressRange) => BigInt(last) - BigInt(first);

/** In the order of addresses. */
function lendable(
  turn: Turn,
  pool: AddressRange,
  count: number,
  step: Address,
  allowance: Allowance,
): Address[] {
  const { settings, durable, ackedSeq } = turn.core;
  const found: Address[] = [];
  const isUsable = ({ owner, usableFrom }: OwnedRange) => owner === settings.role && turn.now >= usableFrom;
  for (const part of partsOf(durable.ownership, pool).reverse()) {
    if (!isUsable(part)) continue;
    for (const address of turn.ledger.freeFromEnd(part)) {
      if (found.length === count || allowance.addresses-- <= 0) return found.reverse();
      const row = turn.ledger.find(address);
      if (row && !(isEnded(row) && row.seq <= ackedSeq)) continue;
      const above = found.at(-1);
      const isNext = above !== undefined && plus(address, step) === above;
      if (!isNext && allowance.ranges-- <= 0) return found.reverse();
      found.push(address);
    }
  }
  return found.reverse();
}
