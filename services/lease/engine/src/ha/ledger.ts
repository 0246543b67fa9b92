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
  /** Own changes with numbers above `seq`, up to `last`, in the order of their numbers, at most `limit`. */
  changedAfter(seq: number, limit: number, last?: number): Row[];
  /** Rows above an address, in the order of addresses, at most `limit`; from the first one on without an address. */
  pageAfter(address: Address | undefined, limit: number): Row[];
  /** Leases and quarantines whose end has passed and which may be ended, at most `limit`. */
  dueAt(now: number, limit: number, mayEnd: (row: Row) => boolean): Row[];
  /** How many addresses of a range nobody has: those without a row, and those whose lease has ended; none is reserved. */
  countFree(range: AddressRange): number;
  /** How far two neighbours of a pool are apart: prefixes stand for all their addresses. */
  stepOf(pool: AddressRange): Address;
  /** Whether a pool has more addresses than could be gone through. */
  isVast(pool: AddressRange): boolean;
  /** The longest parts of a range without any row, at most `limit` of them. */
  gapsIn(range: AddressRange, limit: number): AddressRange[];
  /** The same addresses, the last one first. */
  freeFromEnd(range: AddressRange): Iterable<Address>;
  /** The latest promise of all rows, those without an end left out; 0 when there is none. */
  latestPromise(): number;
  /** Leases and quarantines with an end, of which the peer was promised that they have none. */
  promisedForEver(): Row[];
  /** Removes every row: this node has lost its memory, and gets the peer's. */
  clear(): void;
  /** Leases and quarantines that were removed so, and of whose addresses the peer has sent nothing since; they are not kept any longer. */
  takeBack(): Row[];
}
