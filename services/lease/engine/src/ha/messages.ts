import type { AddressRange, Role } from "./ownership.ts";
import type { Row } from "./row.ts";
import type { State } from "./states.ts";

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
  readonly state: State;
  readonly lead: number;
  readonly skew: number;
  readonly plan: string;
  readonly clock: number;
}

export type Mode = "hot-standby" | "load-balancing";

/** Rows in one update or page. */
export const MAX_ROWS = 512;

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
      readonly state: State;
      readonly serving: boolean;
      /** Whether the receiver has everything that there was when the link was made. */
      readonly drained: boolean;
      readonly lastSeq: number;
      readonly plan: string;
      /** The sender has kept that it goes along with its plan, so that the receiver may agree upon it. */
      readonly prepared: boolean;
    }
  | { readonly type: "handover"; readonly lastSeq: number }
  | { readonly type: "bye" };

export type RefusedBecause = "version" | "role" | "mode" | "identity" | "lead" | "skew";
