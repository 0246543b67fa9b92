import { type Address, FOREVER, isFree, type State } from "../leases/binding.ts";
import type { Role } from "./ownership.ts";

/** A lease as the pair keeps it. Times are seconds of UTC, by the clock of the node that wrote them. */
export interface Row {
  readonly address: Address;
  /** What the client is known by; empty for an address in quarantine. */
  readonly client: string;
  readonly state: State;
  /** The node that last told the client that it has the address: a release is for that node alone. */
  readonly server: Role;
  /** The latest end that the client was told, as far as this node knows; of a quarantine, when it ends. */
  readonly end: number;
  /** What the peer was sent for an end, so that the next renewal can be given its full time. */
  readonly promise: number;
  /**
   * The latest end for this client that the peer had on disk when the row was last changed here; 0: none. Null: the
   * binding began on a free address of this node's own, and had not been handed to the link then.
   */
  readonly known: number | null;
  /** This node's number for its last change of the row; 0 when the row is as the peer sent it. */
  readonly seq: number;
  /** Up to which number the peer's changes had been applied when this node changed the row. */
  readonly base: number;
  /** What else is kept of the lease. No rule of the pair looks at it. */
  readonly details: Uint8Array;
}

/** The peer may have told a client that its lease has no end, which it has by this node, as a quarantine has. */
export const isPromisedForEver = (row: Row): boolean =>
  !isEnded(row) && row.end !== FOREVER && row.promise === FOREVER;

/** The lease is over: whether another client may have the address is a question of rights. */
export const isEnded = (row: Row) => isFree(row.state);
