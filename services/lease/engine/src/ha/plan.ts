import type { ReadonlyAddressMap } from "@frontdesk/lease-options/address-map";
import type { Address } from "../leases/binding.ts";
import type { AddressRange } from "./ownership.ts";

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

/** Whether this node has told the peer that it goes along with a plan. */
export const isPrepared = ({ agreed, prepared }: PlanAgreement, { hash }: Plan) =>
  agreed?.hash === hash || prepared.some((plan) => plan.hash === hash);

export const isAgreed = ({ agreed, prepared }: PlanAgreement, { hash }: Plan) =>
  agreed?.hash === hash && prepared.length === 0;

/**
 * Whether the peer may see another use for this address: then its holder renews it, and nobody else gets it. Before the
 * first agreement the holder of the epoch goes by its own plan, and the other gives nothing.
 */
export function isFrozen(
  { agreed, prepared }: PlanAgreement,
  plan: Plan,
  address: Address,
  isHolder: boolean,
): boolean {
  if (!agreed && !isHolder) return true;
  const others = agreed ? [agreed, ...prepared] : prepared;
  return others.some((other) => other.hash !== plan.hash && useOf(other, address) !== useOf(plan, address));
}

const POOL = "\0pool";
const NONE = "\0none";

function useOf({ pools, reserved, prefixes = [] }: Plan, address: Address): string {
  const isIn = ({ first, last }: AddressRange) => address >= first && address <= last;
  const use = reserved.get(address) ?? (pools.some(isIn) ? POOL : NONE);
  const lengths = prefixes.filter(isIn).map(({ length }) => length);
  return [use, ...lengths.sort((a, b) => a - b)].join("/");
}
