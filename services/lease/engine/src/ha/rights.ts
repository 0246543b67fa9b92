import { type Address, FOREVER, STATE } from "../leases/binding.ts";
import { type Core, handedTo } from "./core-state.ts";
import type { Ledger } from "./ledger.ts";
import { ownerOf } from "./ownership.ts";
import { isFrozen, plansOfPeer } from "./plan.ts";
import { isEnded, type Row } from "./row.ts";

/** For so long a node that was started answers nobody: the peer is likely to be there soon. */
export const STARTUP_SECONDS = 10;

/** The latest end for the row's client that the peer has on disk; null: it was never told of the binding. */
export function knownOf(core: Core, row: Row): number | null {
  const { eraSeq } = core.durable;
  if (eraSeq !== null && row.seq <= eraSeq) return 0;
  if (row.seq <= core.ackedSeq) return row.promise;
  if (row.known === null) return row.seq <= handedTo(core) ? 0 : null;
  return row.known;
}

/** R8: whether it is certain that the peer has not taken over while this node was down or stood still. */
export function isFresh(core: Core, now: number): boolean {
  const gap = now - core.aliveAt;
  if (gap < 0 || gap > core.settings.contactTimeout) return false;
  return core.contactAt >= core.resumedAt || core.trustsItself;
}

/** R2: the latest end that this client may be told for this address. */
export function latestEnd(core: Core, row: Row | undefined, client: string, now: number): number {
  const { takeover, handedOver, lead } = core.durable;
  if (core.state === "partner_down" && takeover) return FOREVER;
  if (handedOver) return 0;
  const isItsOwn = row?.state === STATE.bound && row.client === client;
  const known = isItsOwn ? (knownOf(core, row) ?? 0) : 0;
  if (known === FOREVER) return FOREVER;
  const { certainContactAt } = core;
  const contactAt = certainContactAt <= now ? certainContactAt : Number.NEGATIVE_INFINITY;
  const base = isFresh(core, now) ? now : contactAt;
  return Math.max(known, base) + lead.told;
}

/** R7: until then a client may have been told by the peer, unknown to this node, that it has the address; or 0. */
export function awaitedUntil({ settings, durable }: Core, row: Row): number {
  const { takeover, lost, lead, behind } = durable;
  // It may come back by itself with a clock that is right: as far as it was ahead, nothing is waited for less long.
  const stopped = takeover && !takeover.clean ? { at: takeover.at, behind: Math.max(0, behind) } : null;
  if (!lost && !stopped) return 0;
  const wait = lead.awaited + settings.skew;
  const awaited = (peer: typeof stopped) => (peer ? Math.max(row.promise + peer.behind, peer.at) + wait : 0);
  // What was promised since the peer lost its memory was promised to the one that it is now.
  return Math.max(awaited(stopped), Math.min(awaited(lost), lost?.until ?? 0));
}

export const owns = ({ settings, durable }: Core, address: Address): boolean =>
  ownerOf(durable.ownership, address).owner === settings.role;

/** Whether a lease that has ended leaves its address to others. */
export function mayReuse(core: Core, row: Row, now: number): boolean {
  if (!isEnded(row)) return false;
  // R5: the peer agrees.
  if (row.seq <= core.ackedSeq) return true;
  // R6: the peer has never heard of the binding.
  if (row.known === null && row.seq > handedTo(core) && owns(core, row.address)) return true;
  return core.state === "partner_down" && core.durable.takeover !== null && now >= awaitedUntil(core, row);
}

/** R5: whether the owner may end a lease or a quarantine whose time is over. */
export function mayEnd(core: Core, row: Row, now: number): boolean {
  const { skew } = core.settings;
  if (!ENDING.has(core.state) || !owns(core, row.address)) return false;
  if (Math.abs(core.clockDifference) > skew) return false;
  return now >= Math.max(row.end + skew, awaitedUntil(core, row));
}

/**
 * Whether this node would know of a renewal by the row's client. In contact it is told of each, and after a takeover it
 * gives them all itself; what the peer renewed before that, or if it resumes, ends with what it was promised.
 */
export function hearsRenewals(core: Core, row: Row, now: number): boolean {
  const { state, settings, durable, clockDifference, link } = core;
  if (state === "normal") {
    // Beats go on where changes wait: one says how many there are.
    const hasAll = link?.peerBeat != null && durable.appliedSeq >= link.peerBeat.lastSeq;
    return hasAll && Math.abs(clockDifference) <= settings.skew;
  }
  return state === "partner_down" && durable.takeover !== null && now >= awaitedUntil(core, row);
}

const ENDING: ReadonlySet<string> = new Set(["normal", "resync", "interrupted", "partner_down"]);
const BINDING: ReadonlySet<string> = new Set(["startup", "normal", "resync", "interrupted", "partner_down"]);

export type Binding = "no" | "yes" | "probe";

/** R1, R9: whether this node may bind an address to a client that does not hold it. */
export function mayBind(core: Core, ledger: Ledger, address: Address, client: string, now: number): Binding {
  const { durable, plan, settings } = core;
  if (!BINDING.has(core.state)) return "no";
  const { holder } = durable.ownership;
  const { owner, usableFrom } = ownerOf(durable.ownership, address);
  const isOwner = owner === settings.role;
  const row = ledger.find(address);
  // Until the peer acknowledges its end, a lease is its client's alone.
  const isItsOwn = row !== undefined && isEnded(row) && row.client === client && isOwner;
  if (row && !isItsOwn && !mayReuse(core, row, now)) return "no";
  if (isFrozen(durable.plan, plan, address, holder === settings.role)) return "no";
  const reserved = plan.reserved.get(address);
  if (reserved !== undefined && reserved !== client) return "no";
  // Both nodes keep it for this client: it does not matter which of them owns it.
  if (reserved !== undefined && durable.plan.agreed) return "yes";
  if (!isOwner || now < usableFrom) return "no";
  return usableFrom > 0 ? "probe" : "yes";
}

/** R9: until both have the same plan, the holder of an address that they use differently renews it. */
export const mayKeep = ({ durable, plan, settings }: Core, address: Address): boolean =>
  isFrozen(durable.plan, plan, address, durable.ownership.holder === settings.role);

/**
 * R9: the longest length that the peer may have renewed a prefix with, by what both agreed upon or were ready to; 0 where
 * it gives none. Of a larger one it may have given the rest to others since.
 */
export function longestLength({ durable }: Core, address: Address): number {
  let longest = 0;
  for (const { prefixes = [] } of plansOfPeer(durable.plan))
    for (const { first, last, length } of prefixes)
      if (address >= first && address <= last && length > longest) longest = length;
  return longest;
}

/** A message of a client, as far as it decides which node answers. */
export interface Asked {
  /** Goes on with what it holds, by the rows of this node. */
  readonly isRenewal: boolean;
  /** The message names a server: this one, or another. */
  readonly names: "own" | "other" | undefined;
  /** A hash of the client, evenly spread. */
  readonly hash: number;
  /** The owner of the client's last address. */
  readonly owner: "own" | "peer" | undefined;
  /** It asks for the third time in 30 seconds. */
  readonly isInsistent: boolean;
}

/** Whether this node answers a client. */
export function answers(core: Core, asked: Asked, now: number): boolean {
  const { settings, link, state } = core;
  if (state === "recover" || state === "maintenance") return false;
  if (state === "startup") {
    if (core.durable.handedOver) return false;
    return core.trustsItself || now - core.resumedAt >= STARTUP_SECONDS;
  }
  if (state === "conflict") return settings.role === "primary" && asked.isRenewal;
  if (asked.names) return asked.names === "own";
  if (state !== "normal" || asked.isInsistent || link?.peerBeat?.serving === false) return true;
  if (settings.mode === "hot-standby") return settings.role === "primary";
  if (asked.owner) return asked.owner === "own";
  return (asked.hash % 2 === 0) === (settings.role === "primary");
}

/** For so long after a gap, what comes from clients may be what waited. */
const DELAYED_SECONDS = 1;

/**
 * Whether a client that gives its address back, by RELEASE or DECLINE, is heard. It speaks to the node that it had its
 * last ACK from: a message for another was late, or waited while this node stood still, and the client may have been
 * given the address again since.
 */
export const mayGiveBack = (core: Core, row: Row, client: string, now: number): boolean =>
  row.state === STATE.bound &&
  row.client === client &&
  row.server === core.settings.role &&
  now - core.delayedAt > DELAYED_SECONDS;

/** R10: whether this node may tell a client that an address of the client's network is not its. */
export const mayNak = (core: Core, address: Address): boolean =>
  core.state === "normal" || owns(core, address);
