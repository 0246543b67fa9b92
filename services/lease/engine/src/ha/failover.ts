import { type Address, FOREVER } from "../leases/binding.ts";
import type { Asked, Binding } from "./rights.ts";

/** What deciding asks of the pair. Times are seconds of the engine's clock. */
export interface Failover {
  /** Whether an address may be bound to a client that does not hold it; "probe": if nobody answers for it. */
  mayBind(address: Address, client: string): Binding;
  /** The latest end that a client may be told for an address. */
  latestEnd(address: Address, client: string): number;
  /** Whether an address whose lease has ended may become another client's. */
  mayReuse(address: Address): boolean;
  /** Whether a client that gives an address back is heard. */
  mayGiveBack(address: Address, client: string): boolean;
  /** Whether this node is the one that answers. */
  answers(asked: Asked): boolean;
  /** Whether a client may be told that an address of its network is not its. */
  mayNak(address: Address): boolean;
}

/** A server without a peer. */
export const single: Failover = {
  mayBind: () => "yes",
  latestEnd: () => FOREVER,
  mayReuse: () => true,
  mayGiveBack: () => true,
  answers: () => true,
  mayNak: () => true,
};
