import type { HaState } from "@frontdesk/lease-control-api/ha-states";
import type { Address } from "../leases/binding.ts";
import type { AddressRange, Role } from "./ownership.ts";
import type { Row } from "./row.ts";

/** Says who a node is and what it has. Sent when the link is made, and again whenever the epoch has changed since. */
export interface Hello {
  readonly type: "hello";
  readonly version: number;
  readonly node: string;
  /** Made with the store: another one means that the store is another. */
  readonly store: string;
  /** The peer's store as it is known here. */
  readonly peerStore: string | null;
  readonly role: Role;
  readonly mode: Mode;
  readonly identity: string;
  readonly epoch: number;
  readonly holder: Role;
  /** The epoch that both last agreed upon: a node whose epoch is another has taken over since. */
  readonly agreed: number;
  readonly lastSeq: number;
  readonly appliedSeq: number;
  readonly ackedSeq: number;
  /** The peer has lost its memory, and has not got all of it again. */
  readonly restores: boolean;
  readonly state: HaState;
  readonly lead: number;
  readonly skew: number;
  readonly plan: string;
  readonly clock: number;
  /** What clients and the peer know this server by: its addresses, and its DUID in hex. */
  readonly servers: readonly string[];
}

export type Mode = "hot-standby" | "load-balancing";

/** Names of one server in its hello. */
export const MAX_SERVERS = 4096;

/** Rows in one update or page. */
export const MAX_ROWS = 512;
/** Rows that one batch hands to the link: in between, clients are served. */
export const MAX_SENT_ROWS = 2000;
/** Ranges in one update. A range of DHCPv6 takes 34 octets, and a message holds 1 MiB. */
export const MAX_RANGES = 4096;

/** What of a row is sent. */
export type SentRow = Omit<Row, "known">;

export type Message =
  | Hello
  | { readonly type: "refuse"; readonly reason: RefusedBecause }
  | {
      readonly type: "update";
      readonly rows: readonly SentRow[];
      /** Ranges that become the receiver's. */
      readonly given: readonly AddressRange[];
      /** All changes of the sender up to this number are sent with it. */
      readonly upTo: number;
    }
  | { readonly type: "ack"; readonly n: number; readonly m: number }
  | { readonly type: "want"; readonly pool: AddressRange; readonly count: number }
  | { readonly type: "page"; readonly rows: readonly SentRow[]; readonly isFirst: boolean }
  /** The pages have told all changes up to this number. */
  | { readonly type: "page_end"; readonly upTo: number }
  | {
      readonly type: "beat";
      readonly clock: number;
      /** The newest clock that came from the receiver; null before the first. */
      readonly echo: number | null;
      readonly state: HaState;
      readonly serving: boolean;
      /** Whether the receiver has everything that there was when the link was made. */
      readonly drained: boolean;
      readonly lastSeq: number;
      readonly plan: string;
      /** The sender has kept that it goes along with its plan, so that the receiver may agree upon it. */
      readonly prepared: boolean;
      /** Since when it is in its state. */
      readonly since: number;
      /** A hash of what its clients are told beside the plan. */
      readonly service: string;
      /** The newest that the sender's replay detection has told clients; 0 from a version that does not say it. */
      readonly replay: number;
    }
  | { readonly type: "handover"; readonly lastSeq: number }
  | { readonly type: "bye" }
  /** What people say of devices: all of it when the link is made, and then what changes. */
  | { readonly type: "devices"; readonly devices: readonly SentDevice[] };

/** Devices in one message. */
export const MAX_DEVICES = 64;

export interface SentDevice {
  readonly mac: Uint8Array;
  readonly note: string | null;
  readonly dnsName: string | null;
  /** Of two nodes, the later counts. */
  readonly changed: number;
  /** The address by which it was spoken of just now. */
  readonly address: Address | null;
}

export type RefusedBecause = "version" | "role" | "mode" | "identity" | "lead" | "skew";
