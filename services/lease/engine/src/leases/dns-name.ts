import type { LeaseRecord } from "./lease-record.ts";
import type { Lease6Record } from "./lease6-record.ts";

/** The name that a lease shall have in DNS, as its client said it, and whose it is. */
export interface NameIntent {
  readonly name: string;
  readonly said: string;
  readonly dhcid: Uint8Array;
}

/** What the configuration says of names. */
export interface NamePolicy {
  /** Whether the name of an address stays when its lease ends. */
  keeps(address: number | bigint): boolean;
  nameOf(lease: LeaseRecord, override: string | null): NameIntent | undefined;
  nameOf6(lease: Lease6Record, override: string | null): NameIntent | undefined;
}

/** `refused`, `conflict` and `no_zone` wait for somebody to put it right. */
export type NameState = "pending" | "kept" | "conflict" | "no_zone" | "refused";

/** A name and an address that are to be in DNS, or are, or are to go. */
export interface NameRow {
  readonly address: string;
  readonly wanted: string | null;
  readonly wantedDhcid: Uint8Array | null;
  /** What is in DNS as far as is known. */
  readonly kept: string | null;
  readonly keptDhcid: Uint8Array | null;
  readonly tries: number;
  /** The number of the intent. */
  readonly seq: number;
}

/** What became of an intent. */
export interface NameResult {
  readonly address: string;
  readonly seq: number;
  readonly kept: string | null;
  readonly keptDhcid: Uint8Array | null;
  readonly state: NameState;
  readonly error: string | null;
  readonly tries: number;
  /** When it is tried again, milliseconds of the wall clock. */
  readonly due: number;
}

/** A name as people see it; `leaving` is on its way out of DNS. */
export interface NameShown {
  readonly name: string;
  /** As the client said it. */
  readonly said: string | null;
  readonly state: NameState | "leaving";
  readonly error: string | null;
}
