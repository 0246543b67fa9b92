import type { State } from "./binding.ts";

/** The length of what is an address and no prefix. */
export const ADDRESS_BITS = 128;

/** Everything that is kept of a DHCPv6 lease, of an address or of a prefix. Times are seconds of the engine's clock. */
export interface Lease6Record {
  /** Of a prefix, its first address. */
  readonly address: bigint;
  readonly length: number;
  readonly state: State;
  readonly duid: Uint8Array;
  readonly iaid: number;
  /** What a relay says of the client's hardware (RFC 6939); empty when none does. */
  readonly mac: Uint8Array;
  readonly hostname: string | null;
  readonly vendor: string | null;
  readonly classes: string | null;
  readonly starts: number;
  /** When the valid lifetime ends; for one that was released, when it would have. */
  readonly until: number;
  /** The preferred lifetime that was given last. */
  readonly preferred: number;
  readonly seen: number;
  readonly interface: string | null;
  /** The link that a relay names; 0 without a relay. */
  readonly link: bigint;
  /** The client's own address on its link. */
  readonly peer: bigint;
  readonly interfaceId: Uint8Array | null;
  readonly remoteId: Uint8Array | null;
  /** The way through the relays, as a relay-reply takes it; null without a relay. */
  readonly relays: Uint8Array | null;
  /** What a RECONFIGURE is signed with (RFC 9915 section 20.4); null when the client takes none. */
  readonly reconfigureKey: Uint8Array | null;
  readonly told: number;
  readonly renewals: number;
  readonly digest: number;
  /**
   * The shorter length that its client may believe a prefix to have, until `earlierUntil`: the reply that told it of the
   * length that it has now may be lost. 0 when there is none.
   */
  readonly earlierLength: number;
  readonly earlierUntil: number;
}

export interface StoredLease6 extends Lease6Record {
  readonly seq: number;
}

/** What of a lease is in memory. */
export type Lease6Brief = Pick<
  Lease6Record,
  | "address"
  | "length"
  | "state"
  | "duid"
  | "iaid"
  | "starts"
  | "until"
  | "interface"
  | "link"
  | "interfaceId"
  | "told"
  | "digest"
  | "earlierLength"
  | "earlierUntil"
>;

export type Lease6Write =
  | { readonly kind: "put"; readonly lease: Lease6Record }
  /** A renewal that says nothing new. */
  | {
      readonly kind: "renew";
      readonly address: bigint;
      readonly until: number;
      readonly preferred: number;
      readonly seen: number;
    }
  | {
      readonly kind: "mark";
      readonly address: bigint;
      readonly state: State;
      readonly until: number;
      readonly told: number;
    }
  | { readonly kind: "remove"; readonly address: bigint };

/** What an event tells of a lease of DHCPv6. */
export interface EventOf6 {
  readonly address: bigint;
  readonly length: number;
  readonly duid: Uint8Array;
  readonly iaid: number;
  readonly link: bigint;
}

/** A lease that another server gave. */
export interface ForeignLease6
  extends Pick<Lease6Record, "address" | "length" | "duid" | "iaid" | "mac" | "hostname"> {
  /** Seconds of the wall clock; FOREVER has no end. */
  readonly until: number;
}

export const isPrefix = ({ length }: Pick<Lease6Record, "length">) => length < ADDRESS_BITS;
