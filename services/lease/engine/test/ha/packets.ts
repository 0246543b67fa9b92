import type { Role } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { AnyDatagram, AnyOutgoing } from "../../src/loop/wire.ts";
import type { Reply, Request } from "./sim-client.ts";

type WithoutSender<T> = T extends unknown ? Omit<T, "client" | "xid" | "from" | "decidedAt"> : never;
export type Said = WithoutSender<Reply>;

/** One protocol's packets for what the model clients and the nodes say to each other. */
export interface Packets {
  datagram(request: Request, to: Role): AnyDatagram;
  /** The transaction that a reply is of. */
  xidOf(outgoing: AnyOutgoing): number;
  /** Undefined: the client cannot do anything with it. */
  replyOf(outgoing: AnyOutgoing, request: Request): Said | undefined;
  /** The subnets that say what a plan says. */
  config(plan: Plan): string;
}

/** The number of a client's transaction, in the 24 bits that both protocols have. */
export const wireXid = ({ client, xid }: Request) => ((client & 0xff) << 16) | (xid & 0xffff);
