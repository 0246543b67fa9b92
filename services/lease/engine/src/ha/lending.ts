import type { Address } from "../leases/binding.ts";
import type { AddressRange } from "./ownership.ts";

/** How many addresses of a pool each node could give to a new client. */
export interface FreeCounts {
  readonly own: number;
  readonly peer: number;
}

const MIN_EXCESS = 2;
const MIN_FREE = 8;
const DEMAND_SECONDS = 2;

/** How many addresses a node gives away unasked: half of what it has beyond its share, if that is worth it. */
export function excessOf({ own, peer }: FreeCounts, share: number): number {
  const all = own + peer;
  const excess = own - all * share;
  return excess >= Math.max(MIN_EXCESS, all / 10) ? Math.floor(excess / 2) : 0;
}

/** Whether a node asks the peer for addresses; `demand`: how many new clients got in a second. */
export function isShort({ own, peer }: FreeCounts, demand: number, hasRefused: boolean): boolean {
  if (peer === 0) return false;
  return (hasRefused && own === 0) || (own < Math.max(MIN_FREE, DEMAND_SECONDS * demand) && own + 1 < peer);
}

/** How many a node gives that is asked for `count`: half of the rest, at least one. */
export const answerTo = ({ own }: FreeCounts, count: number): number =>
  Math.min(count, own, Math.max(1, Math.floor(own / 2)));

/** Addresses in order, as ranges; two neighbours are `step` apart. */
export function rangesOf(addresses: readonly Address[], step: Address = 1): AddressRange[] {
  const ranges: Array<{ first: Address; last: Address }> = [];
  for (const address of addresses) {
    const last = ranges.at(-1);
    if (last && address === plus(last.last, step)) last.last = address;
    else ranges.push({ first: address, last: address });
  }
  return ranges;
}

/** The neighbour of an address. */
export const plus = (address: Address, step: Address): Address =>
  typeof address === "bigint" ? address + BigInt(step) : address + Number(step);
