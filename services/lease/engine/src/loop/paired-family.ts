import type { Row } from "../ha/row.ts";
import type { Address, Binding, PairPart, PoolRange } from "../leases/binding.ts";
import type { LeaseTable } from "../leases/lease-table.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";
import type { Batch } from "./batch.ts";

/** The leases of one family of addresses, as the pair needs them. Only the protocol knows what is kept of one. */
export interface PairedFamily<A extends Address> {
  readonly leases: LeaseTable<A, PoolRange<A>>;
  pending(batch: Batch): PendingLeases<A, PoolRange<A>>;
  /** A lease as it is on disk; offers are in memory alone. */
  onDisk(address: A): Binding<A> | undefined;
  /** A row of the peer as a lease; throws Malformed when it is none. */
  received(row: ReceivedRow<A>): ReceivedLease<A>;
  /** Writes and tells that a lease or a quarantine has ended. */
  end(batch: Batch, binding: Binding<A>): void;
  /** Tells what the peer has changed. */
  tell(batch: Batch, before: Binding<A> | undefined, lease: ReceivedLease<A>): void;
  /** What is kept of a lease on disk. */
  record(address: A): object | undefined;
  /** Two clients were given one address: tells of the one that must leave it, and has it ask again once that is on disk. */
  conflict(batch: Batch, loser: object): void;
  /**
   * All that is kept of a lease, for the peer: as the batch has written it, or as it is on disk. `isAsRead`: what the
   * batch has received says nothing new of it.
   */
  details(address: A, batch: Batch, isAsRead: boolean): Uint8Array;
  /** Addresses that are sent as a page of the batch. */
  addressesAfter(address: A | undefined, limit: number, batch: Batch): A[];
  pairs(): Iterable<readonly [A, PairPart]>;
  /** A lease from before this node began anew with those of its peer, as long as it has not got all of these. */
  cleared(address: A): Binding<A> | undefined;
  /** All of them, which are not kept any longer once the batch is on disk. */
  takeBack(batch: Batch): Array<{
    readonly address: A;
    readonly identity: Uint8Array;
    readonly state: Binding<A>["state"];
    readonly until: number;
    readonly details: Uint8Array;
    /** What the pair knows its client by; null: by its identity. */
    readonly client: string | null;
  }>;
  /** Tells of some of them that they have ended. */
  endCleared(batch: Batch, limit: number): void;
  /** What the peer is known by: its addresses, which no client may have, and its DUID. */
  meet(peer: { readonly addresses: readonly A[]; readonly duid: Uint8Array | undefined }): void;
}

/** As a limit: there is none. */
export const ALL = -1;

/** What the store and the link offer to one family. */
export interface PairedStore<A extends Address, R> {
  encode(lease: R): Uint8Array;
  decode(details: Uint8Array): Omit<R, "ip" | "address" | "state" | "until">;
  /** Leases above an address, in the order of addresses; from the first one on without an address. */
  leasesAfter(address: A | undefined, limit: number): R[];
  pairs(): Iterable<readonly [A, PairPart]>;
  readonly cleared: {
    find(address: A): R | undefined;
    first(limit: number): R[];
    clientOf(address: A): string | null;
    forget(told: readonly A[], gone: readonly A[]): void;
  };
}

/** What of a row of the peer makes a lease. */
export type ReceivedRow<A extends Address> = Pick<Row, "state" | "end" | "details"> & { readonly address: A };

export interface ReceivedLease<A extends Address> {
  readonly binding: Binding<A>;
  /** What the store writes of it. */
  readonly record: { readonly seen: number };
}
