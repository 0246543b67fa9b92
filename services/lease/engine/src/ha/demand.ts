import type { Address } from "../leases/binding.ts";
import type { Change } from "./changes.ts";
import { NO_DEMAND } from "./core-state.ts";
import type { AddressRange } from "./ownership.ts";
import { isEnded } from "./row.ts";
import type { Turn } from "./turn.ts";

/** Before the changes are made. */
export function countDemand(turn: Turn, changes: readonly Change[]): void {
  const { pools } = turn.core.plan;
  const taken = new Map(turn.core.taken);
  for (const { kind, address } of changes) {
    if (kind !== "bind") continue;
    const row = turn.ledger.find(address);
    const pool = row && !isEnded(row) ? undefined : poolOf(pools, address);
    if (pool) taken.set(pool, (taken.get(pool) ?? 0) + 1);
  }
  turn.change({ taken });
}

/** What was counted is the demand of the second that is over. */
export function endSecond(turn: Turn): void {
  const { taken, demand } = turn.core;
  if (taken.size === 0 && demand.size === 0) return;
  turn.change({ demand: taken, taken: NO_DEMAND });
}

/** Pools are in order and apart. */
function poolOf(pools: readonly AddressRange[], address: Address): AddressRange | undefined {
  let low = 0;
  let high = pools.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const pool = pools[middle] as AddressRange;
    if (address < pool.first) high = middle - 1;
    else if (address > pool.last) low = middle + 1;
    else return pool;
  }
  return undefined;
}
