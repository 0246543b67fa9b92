import type { ReadonlyAddressMap } from "@frontdesk/lease-options/address-map";
import type { Address } from "../leases/binding.ts";
import { type AddressRange, after } from "./ownership.ts";

/** Which addresses there are to give, and to whom, as one node's configuration says. */
export interface Plan {
  /** Equal hashes mean equal plans. */
  readonly hash: string;
  readonly pools: readonly AddressRange[];
  /** Reserved addresses, each with the client that may have it. */
  readonly reserved: ReadonlyAddressMap<Address, string>;
  /** Where prefixes are given, or reserved, and how long they are. */
  readonly prefixes?: ReadonlyArray<AddressRange & { readonly length: number }>;
  /** A hash of what clients are told beside it. It is compared for people, and changes no right. */
  readonly service?: string;
}

/** What both nodes have agreed upon. */
export interface PlanAgreement {
  /** The last plan that both had; null before the first. */
  readonly agreed: Plan | null;
  /** Plans that the peer may have agreed upon since, because this node told it that it was ready to. */
  readonly prepared: readonly Plan[];
}

export const NOTHING_AGREED: PlanAgreement = { agreed: null, prepared: [] };

/** Plans by which the peer may have given addresses, as far as this node knows. */
export const plansOfPeer = ({ agreed, prepared }: PlanAgreement): readonly Plan[] =>
  agreed ? [agreed, ...prepared] : prepared;

/** A peer that lost its memory has agreed upon none of them; it may have given addresses by each. */
export const nothingAgreedSince = (before: PlanAgreement): PlanAgreement => ({
  agreed: null,
  prepared: plansOfPeer(before),
});

/** Whether this node has told the peer that it goes along with a plan. */
export const isPrepared = ({ agreed, prepared }: PlanAgreement, { hash }: Plan) =>
  agreed?.hash === hash || prepared.some((plan) => plan.hash === hash);

export const isAgreed = ({ agreed, prepared }: PlanAgreement, { hash }: Plan) =>
  agreed?.hash === hash && prepared.length === 0;

/**
 * Whether the peer may see another use for this address: then its holder renews it, and nobody else gets it. Before the
 * first agreement the holder of the epoch goes by its own plan, and the other gives nothing.
 */
export function isFrozen(agreement: PlanAgreement, plan: Plan, address: Address, isHolder: boolean): boolean {
  if (!agreement.agreed && !isHolder) return true;
  const others = plansOfPeer(agreement);
  return others.some((other) => other.hash !== plan.hash && useOf(other, address) !== useOf(plan, address));
}

const POOL = "\0pool";
const NONE = "\0none";

function useOf(plan: Plan, address: Address): string {
  const part = partAt(partsOf(plan), address);
  return `${plan.reserved.get(address) ?? (part?.isPooled ? POOL : NONE)} ${part?.lengths ?? ""}`;
}

/** From an address up to that of the next part, the same ranges lie over each. */
interface Part {
  readonly first: Address;
  readonly isPooled: boolean;
  /** Of prefixes. */
  readonly lengths: string;
}

/** A pool is looked through address by address while plans differ, and there may be thousands of reserved prefixes. */
const madeParts = new WeakMap<Plan, readonly Part[]>();

function partsOf(plan: Plan): readonly Part[] {
  const known = madeParts.get(plan);
  if (known) return known;
  const { pools, prefixes = [] } = plan;
  const ranges: ReadonlyArray<AddressRange & { readonly length?: number }> = [...pools, ...prefixes];
  const ends = ranges.flatMap(({ first, last, length }) => [
    { at: first, by: 1, length },
    { at: after(last), by: -1, length },
  ]);
  ends.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const parts: Part[] = [];
  /** How many pools, and how many prefixes of each length, lie over where the walk is. */
  const over = new Map<number | undefined, number>();
  for (const [i, { at, by, length }] of ends.entries()) {
    const count = (over.get(length) ?? 0) + by;
    if (count === 0) over.delete(length);
    else over.set(length, count);
    if (ends[i + 1]?.at === at) continue;
    const lengths = [...over]
      .filter(([each]) => each !== undefined)
      .map(([each, times]) => `${each}x${times}`);
    parts.push({ first: at, isPooled: over.has(undefined), lengths: lengths.sort().join(" ") });
  }
  madeParts.set(plan, parts);
  return parts;
}

function partAt(parts: readonly Part[], address: Address): Part | undefined {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle] as Part).first <= address) low = middle + 1;
    else high = middle;
  }
  return parts[low - 1];
}
