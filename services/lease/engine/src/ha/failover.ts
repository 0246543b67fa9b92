import { type Address, FOREVER } from "../leases/binding.ts";
import type { Binding } from "./rights.ts";

/** A message of a client, as far as it decides which node answers. */
export interface Question {
  /** Goes on with what it holds, by the leases of this node. */
  readonly isRenewal: boolean;
  /** The message names a server: this one, or another. */
  readonly names: "own" | "other" | undefined;
  readonly identity: Uint8Array;
  /** The address that the client was given last. */
  readonly last: Address | undefined;
}

/** What deciding asks of the pair, and tells it. Times are seconds of the engine's clock. */
export interface Failover {
  /** Whether there is a peer at all. */
  readonly isPaired: boolean;
  /** Whether both nodes serve and know of each other. */
  readonly isNormal: boolean;
  /** Whether an address may be bound to a client; "probe": if nobody answers for it. */
  mayBind(address: Address, identity: Uint8Array, isReserved: boolean): Binding;
  /** R9: whether its holder keeps an address whatever this node's configuration says of it. */
  mayKeep(address: Address): boolean;
  /** The longest length that the peer may have renewed a prefix with; 0 where it gives none. */
  longestLength(address: Address): number;
  /** The latest end that a client may be told for an address. */
  latestEnd(address: Address, identity: Uint8Array, isReserved: boolean): number;
  /**
   * Whether this node would know if the client of an address had renewed its lease: what the peer renewed and could not
   * tell of is not missing.
   */
  hearsRenewals(address: Address): boolean;
  /** Whether a client that gives an address back is heard. */
  mayGiveBack(address: Address, identity: Uint8Array): boolean;
  /** Whether this node is the one that answers. */
  answers(question: Question): boolean;
  /** The same as a sentence: which node answers, and why. */
  explainAnswer(question: Question): string;
  /** Why there may be no address for a client although some are free, as a sentence. */
  explainNoAddress(): string;
  /** Whether a client may be told that an address of its network is not its. */
  mayNak(address: Address): boolean;
  /** The first addresses from one on, up to `last`, that this node owns; undefined when there are none. */
  nextOwn<A extends Address>(address: A, last: A): { readonly first: A; readonly last: A } | undefined;
  /** Whether what is kept of an ended lease may be removed: the peer knows that it has ended. */
  mayForget(address: Address): boolean;
  /**
   * A client has been given an address. `wanted` is the time that it would have got without a peer; `isUnchanged`: it is
   * a renewal, and all else that is kept of the lease stays as it is.
   */
  bound(
    address: Address,
    identity: Uint8Array,
    isReserved: boolean,
    told: number,
    how: { readonly wanted: number; readonly isUnchanged: boolean },
  ): void;
  released(address: Address): void;
  declined(address: Address, until: number): void;
  /** A client speaks to another server: an address, or a DUID in hex. */
  heardOf(server: string): void;
  /** How much has been told so far, for `rollBackTo`. */
  readonly savepoint: number;
  rollBackTo(savepoint: number): void;
  /** A client got nothing because no address is free. */
  refused(): void;
}

/** One of a pair that is not paired yet. Its peer may serve the same networks: nobody is given or told anything. */
export const unpaired: Failover = {
  isPaired: true,
  isNormal: false,
  mayBind: () => "no",
  mayKeep: () => false,
  longestLength: () => 0,
  latestEnd: () => 0,
  hearsRenewals: () => false,
  mayGiveBack: () => false,
  answers: () => false,
  explainAnswer: () => "This node is not paired yet, and answers nobody.",
  explainNoAddress: () => "This node is not paired yet, and gives no addresses.",
  mayNak: () => false,
  nextOwn: () => undefined,
  mayForget: () => false,
  bound: () => {},
  released: () => {},
  declined: () => {},
  heardOf: () => {},
  savepoint: 0,
  rollBackTo: () => {},
  refused: () => {},
};

/** A server without a peer. */
export const single: Failover = {
  isPaired: false,
  isNormal: true,
  mayBind: () => "yes",
  mayKeep: () => false,
  longestLength: () => 0,
  latestEnd: () => FOREVER,
  hearsRenewals: () => true,
  mayGiveBack: () => true,
  answers: () => true,
  explainAnswer: () => "This server answers every client.",
  explainNoAddress: () => "",
  mayNak: () => true,
  nextOwn: (first, last) => ({ first, last }),
  mayForget: () => true,
  bound: () => {},
  released: () => {},
  declined: () => {},
  heardOf: () => {},
  savepoint: 0,
  rollBackTo: () => {},
  refused: () => {},
};
