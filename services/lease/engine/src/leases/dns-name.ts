import type { LeaseRecord } from "./lease-record.ts";
import type { Lease6Record } from "./lease6-record.ts";

/** The name that a lease shall have in DNS, as its client said it, and whose it is. */
export interface NameIntent {
  readonly name: string;
  readonly said: string;
  /** What the DHCID is made of: the kind of the client's identifier, then its octets (RFC 4701 section 3.3). */
  readonly owner: Uint8Array;
  /** The client as its leases know it: one that gets another address has moved, and leaves the one before. */
  readonly holder: Uint8Array;
  /** The hardware address by which it is known in both families; null when it is not known. */
  readonly device: Uint8Array | null;
}

/**
 * An address has two records in DNS, each with its own state: from the name to it, and from it to the name. `old` is
 * a forward record in a zone that the address has left: the new name does not wait until it is removed.
 */
export type NameSide = "forward" | "reverse" | "old";

/** `refused`, `conflict` and `no_zone` wait for somebody to put it right. */
export type NameState = "pending" | "kept" | "conflict" | "no_zone" | "refused";

/** What is in DNS as far as is known, or may be there because it was sent. */
export interface KeptName {
  readonly kept: string | null;
  /** The name that was wanted when it came there: by a suffix, what is kept is another. */
  readonly keptFor: string | null;
  /** Of a forward record. */
  readonly keptDhcid: Uint8Array | null;
  /** Zone, server and time to live; null until the server has said that it is there. */
  readonly keptAt: string | null;
  /**
   * The owner for whom the other server of a pair brings it; null when this one has brought it. Whether it has come there
   * is not known then, nor by which suffix.
   */
  readonly peerOwner: Uint8Array | null;
}

export const NOTHING_KEPT: KeptName = {
  kept: null,
  keptFor: null,
  keptDhcid: null,
  keptAt: null,
  peerOwner: null,
};

/** A record that is to be in DNS, or is, or is to go. */
export interface NameRow extends KeptName {
  readonly address: string;
  readonly side: NameSide;
  /** The name; null when there shall be none. */
  readonly wanted: string | null;
  /** Of a forward record, see `NameIntent`. */
  readonly owner: Uint8Array | null;
  /** Tries that the server answered, in vain. */
  readonly tries: number;
  /** The number of the intent. */
  readonly seq: number;
}

/** What a row needs next: `add` and `remove` are for the server of a zone, the others are states. */
export type NamePlan =
  | { readonly kind: "add" | "remove"; readonly server: string; readonly zone: string; readonly at: string }
  | { readonly kind: "kept" }
  | { readonly kind: "no_zone" }
  /** Nothing is wanted and nothing is kept. */
  | { readonly kind: "nothing" }
  /** No zone of the configuration has what is kept: it can no longer be removed. */
  | { readonly kind: "lost" };

/** As whose the name of an address is, see `NameIntent`. */
export type NameHolder = Pick<NameRow, "address" | "owner"> & {
  readonly holder: Uint8Array;
  readonly device: Uint8Array;
};

/** What a device with both families may be known by: its hardware address, and its DUID. */
export interface DeviceIdentity {
  readonly device: Uint8Array;
  readonly duid: Uint8Array;
}

/** What the configuration says of names. */
export interface NamePolicy {
  /** Whether the name of an address stays when its lease ends. */
  keeps(address: number | bigint): boolean;
  /** The name of such an address then, whose client said this. */
  keptName(
    address: number | bigint,
    said: string,
    override: string | null,
  ): Pick<NameIntent, "name" | "said"> | undefined;
  nameOf(lease: LeaseRecord, override: string | null): NameIntent | undefined;
  nameOf6(lease: Lease6Record, override: string | null): NameIntent | undefined;
  /** The hardware address by which the device of a lease of DHCPv6 is known; null when it is not known. */
  deviceOf6(lease: Lease6Record): Uint8Array | null;
  plan(row: NameRow): NamePlan;
  /** The data of the DHCID record that says whose a name is. */
  dhcidOf(owner: Uint8Array, name: string): Uint8Array;
}

/**
 * What became of a row. `sending` is told before the first octet leaves, so that what may be in DNS is known even if
 * nothing more is heard; `pending` is tried again.
 */
export interface NameResult extends KeptName {
  readonly address: string;
  readonly side: NameSide;
  readonly seq: number;
  /** The name that the step was for, without a suffix: only what is known of that one changes. */
  readonly sentFor: string | null;
  /** As whom a device has the name, where that is not the owner of the intent. */
  readonly owner?: Uint8Array | null;
  /** Of a name that was removed, as what it was there; null where it was not. */
  readonly found?: string | null;
  readonly state: "sending" | "kept" | "removed" | "conflict" | "refused" | "pending";
  readonly error: string | null;
  readonly tries: number;
}

/** A name as people see it; `leaving` is on its way out of DNS. */
export interface NameShown {
  readonly name: string;
  /** As the client said it. */
  readonly said: string | null;
  readonly state: NameState | "leaving";
  readonly error: string | null;
}
