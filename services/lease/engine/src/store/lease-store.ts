import type { State } from "../leases/lease-table.ts";

/** Everything that is kept of a lease. Times are seconds, `until` may be "for ever". */
export interface LeaseRecord {
  readonly ip: number;
  readonly state: State;
  readonly htype: number;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
  readonly hostname: string | null;
  readonly fqdn: string | null;
  readonly vendor: string | null;
  readonly classes: string | null;
  readonly starts: number;
  readonly until: number;
  readonly seen: number;
  readonly giaddr: number;
  readonly circuitId: Uint8Array | null;
  readonly remoteId: Uint8Array | null;
  readonly nonce: Uint8Array | null;
}

export type LeaseWrite =
  | { readonly kind: "put"; readonly lease: LeaseRecord }
  | { readonly kind: "mark"; readonly ip: number; readonly state: State; readonly until: number }
  | { readonly kind: "remove"; readonly ip: number };

export const EVENT_TYPES = ["grant", "renew", "release", "expire", "decline", "conflict", "nak"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface LeaseEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: EventType;
  readonly ip: number;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
  readonly hostname: string | null;
  readonly giaddr: number;
  readonly circuitId: Uint8Array | null;
  readonly remoteId: Uint8Array | null;
  readonly until: number;
  readonly detail: string | null;
}

/** What of a lease the engine keeps in memory. */
export type LeaseBrief = Pick<
  LeaseRecord,
  "ip" | "state" | "htype" | "mac" | "clientId" | "starts" | "until"
>;

/** What the engine needs of its memory on disk. */
export interface LeaseStore {
  /** Leases and events together, on disk when it returns; or it throws and nothing is kept. */
  commit(writes: readonly LeaseWrite[], events: readonly LeaseEvent[]): void;
  find(ip: number): LeaseRecord | undefined;
  all(): Iterable<LeaseBrief>;
}
