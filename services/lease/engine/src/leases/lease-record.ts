import type { EventType } from "@frontdesk/lease-control-api/event-types";
import type { State } from "./binding.ts";
import type { EventOf6 } from "./lease6-record.ts";

/** Everything that is kept of a DHCPv4 lease. Times are seconds of the engine's clock. */
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
  readonly interface: string | null;
  readonly giaddr: number;
  readonly circuitId: Uint8Array | null;
  readonly remoteId: Uint8Array | null;
  /** All that the relay said, as it came. */
  readonly relayAgent: Uint8Array | null;
  readonly nonce: Uint8Array | null;
  /**
   * When an event last told of it, and how many renewals no event has told of. Once it has ended, 0 says that an event
   * told so: the history knows that nobody has it.
   */
  readonly told: number;
  readonly renewals: number;
  readonly digest: number;
}

/** A lease as it is on disk. */
export interface StoredLease extends LeaseRecord {
  /**
   * The number of its last change. Every change of a lease has the next number, a removal too, and a number is never
   * used again: whoever has seen all up to one of them needs only what is above it.
   */
  readonly seq: number;
}

/** What people say of a device, known by its hardware address. It outlives the device's leases. */
export interface DeviceNote {
  readonly mac: Uint8Array;
  readonly note: string | null;
  /** The name it shall have in DNS, whatever it calls itself. */
  readonly dnsName: string | null;
  /** When somebody said so last, in milliseconds of the wall clock: of two servers, the later counts. */
  readonly changed: number;
}

/** A lease that another server gave. */
export interface ForeignLease extends Pick<LeaseRecord, "ip" | "mac" | "clientId" | "hostname"> {
  /** Seconds of the wall clock; FOREVER has no end. */
  readonly until: number;
}

/** A lease as it is kept when its client's message did not pass a relay: what a relay said before still holds. */
export function keepingRelay(lease: LeaseRecord, before: LeaseRecord): LeaseRecord {
  const { interface: name, giaddr, circuitId, remoteId, relayAgent } = before;
  return { ...lease, interface: name, giaddr, circuitId, remoteId, relayAgent };
}

/** What of a lease is in memory. */
export type LeaseBrief = Pick<
  LeaseRecord,
  | "ip"
  | "state"
  | "htype"
  | "mac"
  | "clientId"
  | "starts"
  | "until"
  | "interface"
  | "giaddr"
  | "circuitId"
  | "relayAgent"
  | "told"
  | "digest"
>;

export type LeaseWrite =
  /** `keepRelay`: what a relay once said of the client stays, because this message did not pass one. */
  | { readonly kind: "put"; readonly lease: LeaseRecord; readonly keepRelay: boolean }
  /** A renewal that says nothing new. */
  | {
      readonly kind: "renew";
      readonly ip: number;
      readonly until: number;
      readonly seen: number;
      readonly nonce: Uint8Array | null;
    }
  | {
      readonly kind: "mark";
      readonly ip: number;
      readonly state: State;
      readonly until: number;
      readonly told: number;
    }
  | { readonly kind: "remove"; readonly ip: number };

/** Something that happened to an address or a client. Times are by the wall clock of that moment. */
export interface LeaseEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: EventType;
  /** 0 of DHCPv6, and where there is none. */
  readonly ip: number;
  /** Of DHCPv6. */
  readonly v6?: EventOf6;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
  readonly hostname: string | null;
  readonly giaddr: number;
  readonly circuitId: Uint8Array | null;
  readonly remoteId: Uint8Array | null;
  /** Seconds since the epoch. */
  readonly until: number;
  /** Why, as a code; null when the type says it all. */
  readonly reason: string | null;
  /** Renewals since the last event of this lease. */
  readonly renewals: number;
  /** The configuration it was decided by. */
  readonly config: string;
}
