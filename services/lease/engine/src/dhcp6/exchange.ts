import type { ClassRule, Config } from "@frontdesk/lease-config/config";
import type { Config6, Network6, Pool6, Reservation6, Subnet6 } from "@frontdesk/lease-config/config6";
import type { Failover } from "../ha/failover.ts";
import type { AllocationRequest, Reason } from "../leases/allocate.ts";
import type { Newcomer, NewLeases } from "../leases/new-lease-budget.ts";
import type { Registrations } from "../leases/registration-budget.ts";
import type { Batch } from "../loop/batch.ts";
import type { Batch6 } from "../loop/batch6.ts";
import type { Ingress6 } from "../loop/wire.ts";
import type { Ia, IaLease, IaType, Status6 } from "./ia.ts";
import type { Message6, Packet6 } from "./message.ts";
import type { Option6 } from "./options.ts";
import type { Outcome6, Refusal6, Silence6 } from "./outcomes.ts";
import type { Overlaps } from "./overlaps.ts";
import type { RelayInfo } from "./relays.ts";

/** Where what is decided of an IA goes. */
export interface Effects6 {
  offer(x: Exchange6, ia: Ia, lease: Given6): void;
  bind(x: Exchange6, ia: Ia, lease: Given6): void;
  release(x: Exchange6, address: bigint): void;
  decline(x: Exchange6, address: bigint, until: number): void;
  /** It has an address that it made itself. */
  register(x: Exchange6, lease: IaLease): void;
  /** It gets nothing. */
  refuse(x: Exchange6, ia: Ia, reason: Refusal6): void;
}

/** What deciding may look at, beside the packet, and where what is decided goes. */
export interface View6 {
  /** Seconds of the engine's clock. */
  readonly now: number;
  readonly config: Config;
  readonly batch: Batch;
  readonly part: Batch6;
  readonly effects: Effects6;
  readonly serverId: Uint8Array;
  readonly isServer: (address: bigint) => boolean;
  readonly overlaps: Overlaps;
  /** How many addresses a client has declined within the hour. */
  readonly declinesOf: (duid: Uint8Array) => number;
  readonly declined: (duid: Uint8Array) => void;
  /** How many leases a client got within the hour that it had not before. */
  readonly grantsOf: (duid: Uint8Array) => number;
  readonly granted: (duid: Uint8Array) => void;
  readonly newLeases: NewLeases;
  readonly registrations: Registrations;
  /** What is counted within the hour is known by. */
  readonly hashOf: (octets: Uint8Array) => number;
  /** What a RECONFIGURE to a client is signed with. */
  readonly reconfigureKeyOf: (duid: Uint8Array) => Uint8Array;
  /** Where an identity belongs in the pools of a network, by a hash that nobody else can make. */
  readonly placeOf: (
    network: string,
    identity: Uint8Array,
  ) => NonNullable<AllocationRequest<bigint, Pool6>["place"]>;
  readonly failover: Failover;
  readonly random: (size: number) => Uint8Array;
  /** Collects what was found out, when someone asked for an explanation. */
  readonly trail: Finding6[] | undefined;
}

/** How the client's network was found. */
export type NetworkReason6 = "relay" | "interface-id" | "interface" | "lab";

/** What a step found out; sentences are made of it where people read them. */
export type Finding6 =
  | { readonly kind: "client"; readonly duid: Uint8Array }
  | {
      readonly kind: "network";
      readonly name: string;
      readonly by: NetworkReason6;
      readonly address: bigint;
      readonly interfaceName: string;
    }
  | { readonly kind: "classes"; readonly names: readonly string[] }
  | { readonly kind: "reservation"; readonly reservation: Reservation6 | undefined }
  | {
      readonly kind: "choice";
      readonly address: bigint;
      readonly length: number;
      readonly reason: Reason;
      readonly seconds: number;
      /** Without a peer it would be this. */
      readonly wanted: number;
    }
  /** Of the pair, which says it itself. */
  | { readonly kind: "pair"; readonly sentence: string }
  | { readonly kind: "none"; readonly type: IaType; readonly reason: Refusal6 }
  | { readonly kind: "outcome"; readonly outcome: Outcome6 };

/** One packet and everything that was found out before it is decided. */
export interface Exchange6 extends View6 {
  readonly v6: Config6;
  readonly packet: Packet6;
  readonly request: Message6;
  readonly ias: readonly Ia[];
  /** Octets that the answer has for them. */
  readonly room: number;
  readonly ingress: Ingress6;
  readonly relay: RelayInfo;
  /** Empty where a client need not say it. */
  readonly duid: Uint8Array;
  readonly network: Network6;
  readonly subnet: Subnet6;
  readonly classes: readonly ClassRule[];
  readonly reservation: Reservation6 | undefined;
  /** Where the client is attached: an interface of a relay, or one of the engine's. */
  readonly port: string;
}

/** What an IA gets. */
export interface Given6 extends IaLease {
  readonly pool: Pool6 | undefined;
  /** The valid lifetime that it would have without a peer. */
  readonly wanted: number;
}

export interface Decision6 {
  readonly outcome: Outcome6;
  /** The message's own type of reply. */
  readonly type?: number;
  /** T1 and T2 are set for all of them together. */
  readonly ias?: readonly Ia[];
  readonly status?: Status6;
  readonly rapid?: boolean;
  /** Whether the client has not been given its key yet. */
  readonly isNew?: boolean;
  /** What goes back as it came. */
  readonly echo?: readonly Option6[];
}

/** All clients of the lab send from one address. */
export const newcomerOf = ({ network, port, relay, ingress }: Exchange6): Newcomer => ({
  network: network.name,
  port: relay.interfaceId && port,
  sender: ingress.lab ? undefined : `${port} ${relay.peer ?? ingress.sourceAddress}`,
});

export const silence6 = (reason: Silence6): Decision6 => ({ outcome: { kind: "silence", reason } });
