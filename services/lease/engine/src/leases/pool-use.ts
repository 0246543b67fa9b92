import type { AddressFamily } from "./address-family.ts";
import {
  type Address,
  type AddressPlan,
  isActive,
  isExcluded,
  type PoolRange,
  STATE,
  type State,
} from "./binding.ts";
import { poolSize } from "./pool-space.ts";

export interface PoolUse {
  readonly size: number;
  /** Addresses that the pool gives to anyone. */
  readonly usable: number;
  readonly bound: number;
  readonly offered: number;
  readonly declined: number;
  /** Reserved addresses inside the pool that nobody holds. */
  readonly reserved: number;
  readonly free: number;
}

/** `covered`: of prefixes, places that cannot be given because a lease of another length lies across them. */
interface Count {
  bound: number;
  offered: number;
  declined: number;
  covered: number;
}

const none = (): Count => ({ bound: 0, offered: 0, declined: 0, covered: 0 });

/** How many addresses of each pool someone has. */
export class PoolCounts {
  readonly #counts: readonly Count[];
  readonly #outside = none();
  #offered = 0;

  constructor(pools: number) {
    this.#counts = Array.from({ length: pools }, none);
  }

  /** One more or one less of a pool, or of none. */
  add(pool: number, state: State, by: 1 | -1): void {
    const count = this.#counts[pool] ?? this.#outside;
    if (state === STATE.bound) count.bound += by;
    else if (state === STATE.offered) {
      count.offered += by;
      this.#offered += by;
    } else if (state === STATE.declined) count.declined += by;
  }

  cover(pool: number, by: number): void {
    const count = this.#counts[pool];
    if (count) count.covered += by;
  }

  /** Leases in force, in pools or not. */
  get active(): number {
    return this.#counts.reduce((sum, { bound }) => sum + bound, this.#outside.bound);
  }

  /** Offers that are open, in pools or not. */
  get offered(): number {
    return this.#offered;
  }

  /** How the pools are used, in their order. */
  uses<A extends Address, P extends PoolRange<A>>(
    family: AddressFamily<A>,
    { pools, reserved }: AddressPlan<A, P>,
    poolOf: (address: A) => P | undefined,
    stateOf: (address: A) => State,
  ): PoolUse[] {
    const withheld = pools.map(() => 0);
    const unheld = pools.map(() => 0);
    for (const address of reserved.keys()) {
      const pool = poolOf(address);
      if (!pool || isExcluded(pool, address)) continue;
      withheld[pool.index] = (withheld[pool.index] as number) + 1;
      const state = stateOf(address);
      if (isActive(state) || state === STATE.declined) continue;
      unheld[pool.index] = (unheld[pool.index] as number) + 1;
    }
    return pools.map((pool, i) => {
      const { bound, offered, declined, covered } = this.#counts[i] as Count;
      const size = poolSize(family, pool);
      const kept = unheld[i] as number;
      const free = Math.max(0, size - bound - offered - declined - kept - covered);
      return { bound, offered, declined, size, usable: size - (withheld[i] as number), reserved: kept, free };
    });
  }
}
