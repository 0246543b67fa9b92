import type { AnyDatagram, ProbeAnswer, Wire } from "./wire.ts";

/** What happens on the network, and who is told. */
export interface NetworkEvents {
  packets(round: readonly AnyDatagram[]): void;
  /** Someone speaks for an address. */
  answered(answer: ProbeAnswer): void;
  tick(): void;
  /** Someone has a message for the worker. */
  called(): void;
  /** How long it may be quiet until the next tick, in milliseconds. */
  patience(): number;
  /** Whether addresses are probed before they are offered. */
  probing(): boolean;
  /** Whether DHCPv6 is to be served on an interface: on a link of IPv4 alone nothing is missing. */
  needsIpv6(interfaceName: string): boolean;
  /** The interfaces and their addresses are not as they were. */
  interfacesChanged(interfaces: readonly InterfaceState[]): void;
}

export interface InterfaceState {
  readonly name: string;
  /** It is there and packets can come in. */
  readonly isServed: boolean;
  /** It is up, and so is the link: otherwise nobody is heard. */
  readonly hasCarrier: boolean;
  /** Why it is there and not served, or only for IPv4. */
  readonly problem?: string | undefined;
  readonly addresses: readonly number[];
  readonly addresses6?: readonly bigint[];
}

/** The engine's way to its clients: real interfaces or the lab. */
export interface Network extends Wire {
  /** Runs until it is stopped. */
  run(events: NetworkEvents): Promise<void>;
  stop(): void;
}

export const TICK_MS = 250;
