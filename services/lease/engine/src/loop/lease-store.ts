import type { Durable } from "../ha/core-state.ts";
import type { Row } from "../ha/row.ts";
import type { NameResult } from "../leases/dns-name.ts";
import type { DeviceNote, LeaseBrief, LeaseEvent, LeaseWrite, StoredLease } from "../leases/lease-record.ts";
import type { Lease6Brief, Lease6Write, StoredLease6 } from "../leases/lease6-record.ts";
import type { KeptClock } from "./engine-clock.ts";

/** Everything that one transaction writes. */
export interface Commit {
  readonly writes: readonly LeaseWrite[];
  readonly writes6?: readonly Lease6Write[];
  readonly events: readonly LeaseEvent[];
  readonly notes: readonly DeviceNote[];
  /** What became of names in DNS. */
  readonly names?: readonly NameResult[];
  /** When it has changed. */
  readonly clock: KeptClock | undefined;
  /** What one of a pair of servers writes. */
  readonly pair?: PairCommit | undefined;
}

export interface PairCommit {
  /** When it has changed. */
  readonly durable: Durable | undefined;
  /** After the leases of the batch. */
  readonly writes: readonly PairWrite[];
  /** All leases from before are removed first. */
  readonly clears: boolean;
}

/** A row that is to be written, with the whole lease where the peer has sent it. */
export interface PairWrite {
  readonly row: Row;
  /** What the client is known by to the pair, where that is not its identity. */
  readonly client: string | null;
  readonly record: object | undefined;
  /** When its client was heard of, where that is all that the peer has told anew of the lease. */
  readonly seen?: number | undefined;
  /** The state of the lease is what it was, or is written by the batch itself. */
  readonly keepsState?: boolean;
}

/** What the engine needs of its memory on disk. */
export interface LeaseStore {
  /** All of it is on disk when this returns; or it throws and nothing is kept. */
  commit(commit: Commit): void;
  /** Writes as much as a batch takes, and removes it again; throws when there is no room for it. */
  tryWriting(): void;
  find(ip: number): StoredLease | undefined;
  note(mac: Uint8Array): DeviceNote | undefined;
  /** The number of the newest change of a lease. */
  readonly lastSeq: number;
  all(): Iterable<LeaseBrief>;
  /** The clock as last kept, and when a client was last heard of, in milliseconds of the engine's clock. */
  clock(): KeptClock & { newest: number };
}

/** How a server of DHCPv6 is known, and what its clients' addresses are hashed with. Both are made once. */
export interface ServerIdentity {
  readonly duid: Uint8Array;
  readonly secret: Uint8Array;
}

/** What DHCPv6 needs of it. */
export interface LeaseStore6 {
  find6(address: bigint): StoredLease6 | undefined;
  all6(): Iterable<Lease6Brief>;
  serverIdentity(): ServerIdentity;
}
