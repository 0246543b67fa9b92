import type { ClassRule, Config, Network, Pool, Reservation, Subnet } from "@frontdesk/lease-config/config";
import type { Failover } from "../ha/failover.ts";
import type { Reason } from "../leases/allocate.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";
import type { Ingress } from "../loop/wire.ts";
import type { Message } from "./message.ts";
import type { Outcome } from "./outcomes.ts";
import type { RelayAgent } from "./relay-agent.ts";

/** What deciding may look at, beside the message. Nothing of it is changed. */
export interface View {
  /** Seconds of the engine's clock. */
  readonly now: number;
  /** What replay detection tells clients, milliseconds. */
  readonly replay: number;
  readonly config: Config;
  readonly leases: PendingLeases<number, Pool>;
  /** A lease as it is on disk, with what this batch has already decided. */
  readonly record: (ip: number) => LeaseRecord | undefined;
  /** Whether an address is one of the engine's, on any interface. */
  readonly isOurs: (address: number) => boolean;
  /** Whether an address is one of the other server of the pair. */
  readonly isPeers: (address: number) => boolean;
  /** The hardware address of the client that an address is being probed for: it is held, and has not been offered yet. */
  readonly probedFor: (address: number) => Uint8Array | undefined;
  /** Whether who has an address has just answered a probe: it is there, though it may be late with its renewal. */
  readonly hasAnswered: (address: number) => boolean;
  /** How many addresses a device has declined within the hour. */
  readonly declinesOf: (mac: Uint8Array) => number;
  /** Whether clients of a network come and go so fast that their leases must last. */
  readonly isChurning: (network: Network) => boolean;
  /** Whether a reserved address goes from one client to another so often that they may be invented. */
  readonly isContested: (address: number) => boolean;
  readonly failover: Failover;
  readonly random: (size: number) => Uint8Array;
  /** Collects what was found out, when someone asked for an explanation. */
  readonly trail: Finding[] | undefined;
}

/** How the client's network was found. */
export type NetworkReason =
  | "link-selection"
  | "subnet-selection"
  | "relay"
  | "client-address"
  | "lab"
  | "interface";

/** What a step found out; sentences are made of it where people read them. */
export type Finding =
  | { readonly kind: "client"; readonly by: "identifier" | "hardware"; readonly octets: Uint8Array }
  | {
      readonly kind: "network";
      readonly name: string;
      readonly by: NetworkReason;
      readonly address: number;
      readonly interfaceName: string;
    }
  | { readonly kind: "classes"; readonly names: readonly string[] }
  | { readonly kind: "reservation"; readonly address: number | undefined }
  | {
      readonly kind: "wants";
      readonly state: "selecting" | "rebooting" | "renewing" | "inform";
      readonly address: number;
    }
  | { readonly kind: "choice"; readonly address: number; readonly reason: Reason }
  | {
      readonly kind: "time";
      readonly seconds: number;
      /** Without a peer it would be this. */
      readonly wanted: number;
    }
  /** Of the pair, which says it itself. */
  | { readonly kind: "pair"; readonly sentence: string }
  | { readonly kind: "outcome"; readonly outcome: Outcome };

/** One packet and everything that was found out before it is decided. */
export interface Exchange extends View {
  readonly request: Message;
  readonly ingress: Ingress;
  /** What a trusted relay says of the client; for a renewal past the relay, what it said before. */
  readonly relay: RelayAgent;
  readonly identity: Uint8Array;
  readonly network: Network;
  readonly subnet: Subnet;
  readonly classes: readonly ClassRule[];
  readonly reservation: Reservation | undefined;
  /** Where the client is attached: a relay's circuit, or an interface. */
  readonly port: string;
}

/** The subnet of the client's network that an address lies in. */
export const subnetWith = (x: Exchange, address: number): Subnet | undefined =>
  x.network.subnets.find((subnet) => (address & subnet.mask) >>> 0 === subnet.address);

/** What an exchange does to the leases, once it is committed. */
export type Effect =
  | { readonly kind: "offer"; readonly address: number; readonly until: number }
  | {
      readonly kind: "bind";
      readonly address: number;
      readonly until: number;
      /** The client has it already, and keeps it. */
      readonly renewed: boolean;
      /** Seconds that it would have been given without a peer. */
      readonly wanted: number;
      readonly nonce: Uint8Array | undefined;
    }
  | { readonly kind: "release"; readonly address: number }
  | { readonly kind: "decline"; readonly address: number; readonly until: number }
  | { readonly kind: "withdraw"; readonly address: number };

/** What a reply gives. */
export interface Given {
  readonly address: number;
  readonly seconds: number;
  /** Without a peer it would be this. */
  readonly wanted: number;
  /** Where the address lies; options and times come from here. */
  readonly subnet: Subnet;
  readonly pool: Pool | undefined;
}

export interface Decision {
  readonly outcome: Outcome;
  readonly effect?: Effect;
  readonly given?: Given;
  /** The address that a refusal or a refused DISCOVER is about. */
  readonly address?: number;
}

export const silence = (reason: Extract<Outcome, { kind: "silence" }>["reason"]): Decision => ({
  outcome: { kind: "silence", reason },
});
