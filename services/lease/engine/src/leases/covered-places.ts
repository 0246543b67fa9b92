import { AddressMap, AddressSet } from "@frontdesk/lease-options/address-map";
import { type Address, NOWHERE, type PoolRange } from "./binding.ts";
import type { Across, PoolSpace } from "./pool-space.ts";
import type { PoolCounts } from "./pool-use.ts";

/** Places that are looked at in one go, for a lease of another length that lies in them. */
const MAX_COVERED_AGAIN = 4096;

interface Surroundings<A extends Address, P extends PoolRange<A>> {
  /** As it is now: another one with each plan. */
  readonly space: () => PoolSpace<A, P>;
  readonly counts: PoolCounts;
  /** Whether somebody has or had an address. */
  readonly isKnown: (address: A) => boolean;
}

/**
 * Places of pools that nobody had and nobody can get for now, since a lease of another length lies in them: out of the map of
 * their pool until that has ended.
 */
export class CoveredPlaces<A extends Address, P extends PoolRange<A>> {
  readonly #around: Surroundings<A, P>;
  /** Until when, and the pool where it is counted. */
  readonly #covered = new AddressMap<A, { readonly until: number; readonly pool: number }>();
  /** Places that were covered: another lease may lie in them. */
  readonly #uncovered = new AddressSet<A>();

  constructor(around: Surroundings<A, P>) {
    this.#around = around;
  }

  /** A place that cannot be given before then. What ends beyond it is passed over with the larger lease that it lies in. */
  cover(address: A, { until, last }: Across<A>): void {
    const { space, counts, isKnown } = this.#around;
    if (until === 0 || isKnown(address)) return;
    if (space().beginningOf(last) !== address) return;
    this.uncover(address);
    space().take(address);
    const pool = space().openPoolOf(address)?.index ?? NOWHERE;
    this.#covered.set(address, { until, pool });
    counts.cover(pool, 1);
  }

  uncover(address: A): void {
    const covered = this.#covered.size > 0 ? this.#covered.get(address) : undefined;
    if (!covered) return;
    const { space, counts, isKnown } = this.#around;
    this.#covered.delete(address);
    this.#uncovered.add(address);
    counts.cover(covered.pool, -1);
    if (!isKnown(address)) space().giveBack(address);
  }

  /** A lease has ended: the place that it begins in may be open again. */
  uncoverAround(address: A): void {
    if (this.#covered.size === 0) return;
    const beginning = this.#around.space().beginningOf(address);
    if (beginning !== undefined) this.uncover(beginning);
  }

  /** What was covered until before now is looked at again. */
  uncoverOver(now: number): void {
    for (const [address, { until }] of this.#covered) if (until < now) this.uncover(address);
  }

  /** Of what was uncovered, covers again what cannot be given: of several leases within a place one has ended, some last. */
  coverAgain(acrossAt: (address: A) => Across<A> | undefined): void {
    let looked = 0;
    for (const address of this.#uncovered) {
      if (looked++ === MAX_COVERED_AGAIN) return;
      this.#uncovered.delete(address);
      const across = this.#covered.has(address) ? undefined : acrossAt(address);
      if (across) this.cover(address, across);
    }
  }
}
