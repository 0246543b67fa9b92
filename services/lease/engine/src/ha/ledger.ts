import type { Address } from "../leases/binding.ts";
import type { AddressRange } from "./ownership.ts";
import type { Row } from "./row.ts";

/**
 * The rows of this node as they will be when the batch in hand is committed. What is put here is dropped with the
 * batch when the commit fails.
 */
export interface Ledger {
  find(address: Address): Row | undefined;
  put(row: Row): void;
  /** Own changes with numbers above `seq`, in the order of their numbers, at most `limit`. */
  changedAfter(seq: number, limit: number): Row[];
  /** Rows above an address, in the order of addresses, at most `limit`; from the first one on without an address. */
  pageAfter(address: Address | undefined, limit: number): Row[];
  /** Leases and quarantines whose end has passed, at most `limit`. */
  dueAt(now: number, limit: number): Row[];
  /** Addresses of a range that nobody has: those without a row, and those whose lease has ended. */
  freeIn(range: AddressRange): Iterable<Address>;
  /** The latest promise of all rows, those without an end left out; 0 when there is none. */
  latestPromise(): number;
  /** Removes every row: this node has lost its memory, and gets the peer's. */
  clear(): void;
}
