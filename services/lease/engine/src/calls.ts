import type { RawConfig } from "@frontdesk/lease-config/raw-config";
import type { ImportRefusal } from "@frontdesk/lease-control-api/lease-import";
import type { ExplainQuery, Explanation } from "./dhcp4/explain.ts";
import type { ExplainQuery6 } from "./dhcp6/explain.ts";
import type { Command } from "./ha/commands.ts";
import type { LinkMemory } from "./ha/link-memory.ts";
import type { Role } from "./ha/ownership.ts";
import type { HaStatus } from "./ha/status.ts";
import type { NameResult } from "./leases/dns-name.ts";
import type { AnyForeignLease } from "./leases/foreign-lease.ts";
import type { PoolUse } from "./leases/pool-use.ts";
import type { Sockets } from "./loop/device-socket.ts";
import type { InterfaceState } from "./loop/network.ts";
import type { Standing } from "./loop/pair-standing.ts";

/** What the packet worker is given at its start. */
export interface WorkerStart {
  readonly configText: string;
  readonly version: string;
  readonly storePath: string;
  readonly counters: SharedArrayBuffer;
  /** Opened by the main thread while it still may; undefined in the lab. */
  readonly sockets: Sockets | undefined;
  /** The descriptor that calls the worker out of its wait; -1 in the lab, where nothing waits. */
  readonly wake: number;
  /** A hash of what clients are told, for the peer to compare; empty where there is none. */
  readonly service: string;
  /** Undefined: this server has no peer, or is not paired yet. */
  readonly pair: { readonly node: string; readonly role: Role; readonly memory: LinkMemory } | undefined;
}

export interface PoolStatus extends PoolUse {
  readonly subnet: string;
  readonly network: string;
  /** As people write them: addresses, or prefixes with their length. */
  readonly first: string;
  readonly last: string;
  /** If it goes on as in the last day; null when it does not fill up, or not enough is known. */
  readonly fullInHours: number | null;
}

/** What came of a command to the pair; a refusal is a sentence. */
export type HaAnswer = { readonly done: true } | { readonly refused: string } | "off" | "not_saved";

/** `seen` is the version of the lease that the caller has seen, where it tells. */
export interface SeenLease {
  readonly ip: number | bigint;
  readonly seen: string | undefined;
}

/** Every call to the worker, and its answer. */
export interface Calls {
  /** Read and checked by the caller: parsing a large file would keep packets waiting. */
  reload: { ask: { raw: RawConfig; version: string; service: string }; answer: true };
  release: {
    ask: SeenLease;
    answer: "released" | "no_lease" | "lease_changed" | "not_saved";
  };
  /** In one transaction; answers how many there were to release. */
  releaseMany: { ask: { leases: readonly SeenLease[] }; answer: number | "not_saved" };
  /**
   * In one transaction; answers of each lease why it was not taken over, undefined when it was. "pending": it was, and
   * the peer does not have it yet: to be asked again.
   */
  importMany: {
    ask: { leases: readonly AnyForeignLease[] };
    answer: Array<ImportRefusal | "pending" | undefined> | "not_saved";
  };
  /** What is undefined stays as it is; `seen` is the version that the caller has seen, where it tells. */
  note: {
    ask: {
      ip: number | bigint;
      note: string | null | undefined;
      dnsName: string | null | undefined;
      seen: string | undefined;
    };
    answer: "saved" | "no_lease" | "no_hardware_address" | "lease_changed" | "not_saved";
  };
  /** What became of names in DNS; answers whether it is on disk. */
  named: { ask: { results: readonly NameResult[] }; answer: boolean };
  forceRenew: { ask: { ip: number | bigint }; answer: "sent" | "no_lease" | "no_nonce" | "no_way" };
  explain: {
    ask: Omit<ExplainQuery, "options"> & { options: Array<[number, Uint8Array]> };
    answer: Explanation;
  };
  explain6: { ask: ExplainQuery6; answer: Explanation | "off" };
  pools: { ask: object; answer: PoolStatus[] };
  crowdedPorts: { ask: { limit: number }; answer: Array<{ port: string; held: number }> };
  interfaces: { ask: object; answer: readonly InterfaceState[] };
  /** The node was started before it was paired, and is paired now. */
  beginPair: { ask: NonNullable<WorkerStart["pair"]>; answer: true };
  /**
   * The node is to be paired: what it knows of an earlier pair is forgotten where that is over. Where it is one of a pair,
   * it begins anew with what is asked; answers whether it does, or why not.
   */
  leavePair: { ask: { pair: WorkerStart["pair"] }; answer: Standing };
  /** What is known of the pair so far, before anything is forgotten. */
  pairStanding: { ask: object; answer: Standing };
  /** "off": this server has no peer. */
  haStatus: { ask: object; answer: HaStatus | "off" };
  /** Times of a command are seconds of the wall clock. */
  haCommand: { ask: Command; answer: HaAnswer };
  /** After a checkpoint by another connection. */
  restartWal: { ask: object; answer: true };
  stop: { ask: object; answer: true };
}

export type CallName = keyof Calls;

export interface ToWorker {
  readonly id: number;
  readonly call: CallName;
  readonly ask: unknown;
}

export type Level = "debug" | "info" | "warn" | "error";

export type FromWorker =
  | { readonly answered: number; readonly answer: unknown }
  | { readonly failed: number; readonly why: string }
  | { readonly log: Level; readonly details: object; readonly message: string }
  | { readonly ready: { leases: number; tookMs: number } }
  | { readonly problem: string };
