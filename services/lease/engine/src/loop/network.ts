import type { Datagram, Wire } from "./engine.ts";

/** What happens on the network, and who is told. */
export interface NetworkEvents {
  packets(round: readonly Datagram[]): void;
  /** Someone speaks for this address. */
  answered(address: number): void;
  tick(): void;
  /** Someone has a message for the worker. */
  called(): void;
  /** How long it may be quiet until the next tick, in milliseconds. */
  patience(): number;
  /** Whether addresses are asked for before they are offered. */
  probing(): boolean;
}

/** The engine's way to its clients: real interfaces or the lab. */
export interface Network extends Wire {
  /** Runs until it is stopped. */
  run(events: NetworkEvents): Promise<void>;
  stop(): void;
}

export const TICK_MS = 250;
