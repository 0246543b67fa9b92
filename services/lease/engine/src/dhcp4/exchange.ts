import type { ClassRule, Config, Network, Reservation, Subnet } from "@frontdesk/lease-config/config";
import type { Effective } from "../classes/effective.ts";
import type { LeaseTable } from "../leases/lease-table.ts";
import type { Message } from "./message.ts";
import type { Options } from "./option-area.ts";
import type { RelayAgent } from "./relay-agent.ts";

/** Where a packet came in and what the engine is there. */
export interface Ingress {
  readonly interfaceName: string;
  /** The engine's addresses on that interface, the first one is its identifier. */
  readonly addresses: readonly number[];
  readonly sourceAddress: number;
  readonly sourcePort: number;
  /** The lab listener answers to where the packet came from. */
  readonly lab: boolean;
}

/** What an exchange does to a lease. Nothing is done until the exchange is over. */
export type Change =
  | { readonly kind: "offer"; readonly address: number; readonly until: number }
  | {
      readonly kind: "bind";
      readonly address: number;
      readonly until: number;
      readonly renewed: boolean;
      readonly nonce: Uint8Array | undefined;
    }
  | { readonly kind: "release"; readonly address: number }
  | { readonly kind: "decline"; readonly address: number; readonly until: number }
  | { readonly kind: "withdraw"; readonly address: number }
  | { readonly kind: "nak"; readonly address: number; readonly why: string };

export interface Draft {
  readonly type: number;
  readonly yiaddr: number;
  readonly options: Options;
  readonly siaddr: number;
  readonly sname: Uint8Array;
  readonly file: Uint8Array;
}

/** One packet on its way through the steps. Each step adds what it found out. */
export interface Exchange {
  readonly now: number;
  readonly request: Message;
  readonly relay: RelayAgent;
  readonly ingress: Ingress;
  readonly config: Config;
  readonly leases: LeaseTable;
  /** All addresses of the engine, on any interface. */
  readonly isOurs: (address: number) => boolean;
  readonly random: (size: number) => Uint8Array;
  /** Told in words, when someone asked for an explanation. */
  readonly trail: string[] | undefined;
  identity: Uint8Array;
  classes: readonly ClassRule[];
  network: Network | undefined;
  subnet: Subnet | undefined;
  reservation: Reservation | undefined;
  address: number;
  leaseTime: number;
  renewed: boolean;
  replyType: number;
  effective: Effective | undefined;
  change: Change | undefined;
  draft: Draft | undefined;
  /** Why it ended, for counters and for people. */
  outcome: string;
}

/** What a step answers: go on, answer with the draft, or say nothing. */
export type Verdict = "continue" | "reply" | "drop";
export type Step = (x: Exchange) => Verdict;

export function drop(x: Exchange, outcome: string): Verdict {
  x.outcome = outcome;
  x.trail?.push(`No reply: ${outcome}.`);
  return "drop";
}
