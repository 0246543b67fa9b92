import { DomainError } from "@frontdesk/kit/domain-error";
import type { Log } from "@frontdesk/kit/log";
import type { HaNodes } from "@frontdesk/lease-config/ha-config";
import type { RefusalCode } from "@frontdesk/lease-control-api/schemas";
import { parseIpv4, parseIpv6, parseMac } from "@frontdesk/lease-options/address";
import type { CallName, Calls } from "../calls.ts";
import type { RunningConfig } from "../config/running-config.ts";
import type { NameReconciler } from "../ddns/name-reconciler.ts";
import type { Counters } from "../loop/counters.ts";
import type { History } from "../store/history.ts";
import type { LogKeeper } from "./log-keeper.ts";

/** What the control API needs of the packet thread. */
export interface EngineCalls {
  readonly counters: Counters;
  ask<K extends CallName>(call: K, ask: Calls[K]["ask"]): Promise<Calls[K]["answer"]>;
}

export interface Refused {
  /** Why, as a sentence. */
  readonly refused: string;
}

/** The other node of the pair, as far as the control API has to do with it. */
export interface PeerControl {
  /** This node is to be one of a pair, and is not paired yet. */
  readonly isUnpaired: boolean;
  /** Why there is no connection to it. */
  readonly linkProblem: string | undefined;
  invite(nodes: HaNodes): Promise<{ address: string; code: string; expiresAt: number } | Refused>;
  join(
    nodes: HaNodes,
    address: string,
    code: string,
  ): Promise<{ fingerprint: string; isOn: boolean } | Refused>;
}

export interface ControlParts {
  readonly log: Log;
  readonly logs: LogKeeper;
  readonly thread: EngineCalls;
  readonly history: History;
  readonly config: RunningConfig;
  readonly counterNames: readonly string[];
  readonly url: string;
  readonly startedAt: number;
  readonly now: () => number;
  readonly peer: PeerControl;
  readonly reconciler: NameReconciler;
}

export const refuse = (code: RefusalCode): never => {
  throw new DomainError(code);
};

export const addressFrom = (text: string): number => parseIpv4(text) ?? refuse("bad_address");
/** Of either family; a prefix is known by its first address, whatever length is written after it. */
export const anyAddressFrom = (text: string): number | bigint =>
  parseIpv4(text) ?? parseIpv6(text.replace(/\/\d{1,3}$/, "")) ?? refuse("bad_address");
export const macFrom = (text: string): Uint8Array => parseMac(text) ?? refuse("bad_mac");

const MAX_TIME_TEXT = 40;

/** Milliseconds since the epoch, or a date. */
export function timeFrom(text: string): number {
  const at = text.length > MAX_TIME_TEXT ? Number.NaN : /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isSafeInteger(at) ? at : refuse("bad_time");
}
