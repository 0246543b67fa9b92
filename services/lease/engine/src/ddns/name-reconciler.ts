import type { Config } from "@frontdesk/lease-config/config";
import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import { formatIpv4, parseIpv4 } from "@frontdesk/lease-options/address";
import { isExcluded } from "../leases/binding.ts";
import type { NameResult, NameRow, NameSide, NameState } from "../leases/dns-name.ts";
import { canonicalName } from "./domain-name.ts";
import { findDifferences, type NameDifferences, type StaleName } from "./name-differences.ts";
import { octetsOf } from "./name-plan.ts";
import type { NameUpdates, Outcome } from "./name-updates.ts";
import type { UpdateExchange } from "./update-exchange.ts";
import { type Zone, zonesOf } from "./zones.ts";

/** Names and addresses that one answer tells of. */
const PAGE = 1000;
/**
 * How long questions are begun for one answer. What is begun by then may need three, one after the other, of eight seconds
 * (six, and two over TCP), and whoever asked waits half a minute.
 */
const MAX_COMPARING_MS = 5000;
/** How long names are removed for one answer. */
const MAX_REMOVING_MS = 10_000;

type KnownRow = NameRow & { readonly state: NameState };

export interface NameReconcilerParts {
  readonly config: () => Config;
  readonly exchange: Pick<UpdateExchange, "query">;
  readonly updates: Pick<NameUpdates, "removeForward" | "removeReverse">;
  readonly names: {
    settled(after: Pick<NameRow, "address" | "side">, limit: number): KnownRow[];
    find(address: string, side: NameSide): KnownRow | undefined;
    isInUse(ip: number, address: string): boolean;
    /** Rows of the client that has waited longest until a name is free. */
    firstInConflict(name: string): KnownRow[];
  };
  /** Whether all leases are known here: a peer that is away may have given some that are not. */
  readonly knowsAll: () => Promise<boolean>;
  /** Resolves when it is on disk; false when it could not be written. */
  readonly settle: (results: readonly NameResult[]) => Promise<boolean>;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** What nobody has cannot be told now. */
export class PeerAway extends Error {}

/** Where the next page begins: behind a name that is known, or at an address. */
export type DifferenceCursor = { readonly name: Pick<NameRow, "address" | "side"> } | { readonly ip: number };

export const FIRST_DIFFERENCE: DifferenceCursor = { name: { address: "", side: "forward" } };

export interface Removed {
  readonly removed: number;
  /** Left as they are: the address has a client by now, or the server did not take it. */
  readonly left: ReadonlyArray<{ readonly address: string; readonly reason: string }>;
  /** How many were looked at: time may have been too short for all. */
  readonly done: number;
}

/** Compares DNS with what it shall have, and puts right what somebody has looked at. */
export function createNameReconciler(parts: NameReconcilerParts) {
  const { config, exchange, updates, names, knowsAll, settle, monotonic, wait } = parts;

  const pageOf = (ddns: DdnsConfig, cursor: DifferenceCursor) => {
    if ("name" in cursor) {
      const rows = names.settled(cursor.name, PAGE);
      const nextAfter = (compared: number): DifferenceCursor => {
        const last = compared < rows.length || rows.length === PAGE ? rows[compared - 1] : undefined;
        return last ? { name: last } : { ip: 0 };
      };
      return { rows, unheld: [], nextAfter };
    }
    const ips = givenAddresses(config(), ddns, cursor.ip);
    const beyond = ips[PAGE];
    const unheld = ips.slice(0, PAGE).filter((ip) => !names.isInUse(ip, formatIpv4(ip)));
    const nextAfter = (compared: number): DifferenceCursor | undefined => {
      const ip = unheld[compared] ?? beyond;
      return ip === undefined ? undefined : { ip };
    };
    return { rows: [], unheld: unheld.map(formatIpv4), nextAfter };
  };

  const reasonToLeave = async ({ address, name }: StaleName): Promise<string | undefined> => {
    const ip = parseIpv4(address);
    if (canonicalName(name) !== name) return "its name has characters that are not sent from here";
    if (ip === undefined || !isGiven(config(), ip)) return "no pool has the address: its names are another's";
    if (names.isInUse(ip, address)) return "the address has a client, or a name, by now";
    if (!(await knowsAll())) return "the peer is away: it may have given the address to somebody";
    return undefined;
  };

  /** Of those who wait for one name, who has waited longest tries it, and nobody else. */
  const isItsTurn = ({ state, wanted, address, side }: KnownRow): boolean =>
    state !== "conflict" ||
    names.firstInConflict(wanted ?? "").some((each) => each.address === address && each.side === side);

  /** The name, then the way back to it, which stays where the name is another's by now. */
  const removeBoth = async (zones: Zone[], { address, name, dhcid }: StaleName): Promise<Outcome> => {
    const octets = octetsOf(address);
    const forward = await updates.removeForward(zones, { name, dhcid }, octets);
    return forward.kind === "done" && !forward.isGone ? updates.removeReverse(zones, name, octets) : forward;
  };

  return {
    /** Asks only: first for the names that are known, then for the addresses that nobody has. */
    differences: async (
      ddns: DdnsConfig,
      cursor: DifferenceCursor,
    ): Promise<NameDifferences & { readonly next: DifferenceCursor | undefined }> => {
      if (!(await knowsAll())) throw new PeerAway();
      const { rows, unheld, nextAfter } = pageOf(ddns, cursor);
      const begun = monotonic();
      const hasTime = () => monotonic() - begun < MAX_COMPARING_MS;
      const { query } = exchange;
      const found = await findDifferences({ config: ddns, rows, unheld, query, hasTime });
      return { ...found, next: nextAfter(found.compared) };
    },

    /** Brings what is missing to DNS again, by the outbox as everything that goes there. */
    restore: async (missing: ReadonlyArray<{ address: string; side: NameSide }>): Promise<number> => {
      const rows = missing.flatMap(({ address, side }) => names.find(address, side) ?? []);
      const waiting = rows.filter((row) => SETTLED.includes(row.state) && isItsTurn(row));
      const isKept = await settle(waiting.map(asMissing));
      return isKept ? waiting.length : 0;
    },

    /** Takes names away that nobody has: those very records, and only while their DHCID is the one that was seen. */
    remove: async (ddns: DdnsConfig, stale: readonly StaleName[]): Promise<Removed> => {
      const zones = zonesOf(ddns);
      const left: Array<{ address: string; reason: string }> = [];
      const begun = monotonic();
      let [removed, done] = [0, 0];
      for (const each of stale) {
        if (monotonic() - begun > MAX_REMOVING_MS) break;
        done++;
        const { address } = each;
        const reason = await reasonToLeave(each);
        const outcome = reason === undefined ? await removeBoth(zones, each) : undefined;
        if (outcome?.kind === "done" && !outcome.isGone) removed++;
        else left.push({ address, reason: reason ?? leftText(outcome) });
        if (outcome?.kind === "later" && outcome.isSilent) {
          // Nor will it answer the others: each would take as long.
          for (const { address } of stale.slice(done)) left.push({ address, reason: outcome.error });
          return { removed, left, done: stale.length };
        }
        if (!outcome) continue;
        // The device may have come back meanwhile: what it has brought there is brought again. Others may wait for the name.
        const back = (["forward", "reverse"] as const).flatMap((side) => names.find(address, side) ?? []);
        const waiting = outcome.kind === "done" ? names.firstInConflict(each.name) : [];
        const due = [...back, ...waiting];
        if (due.length > 0) await settle(due.map(asMissing));
        // A name and its way back are two changes.
        await wait(2000 / ddns.maxUpdatesPerSecond);
      }
      return { removed, left, done };
    },
  };
}

export type NameReconciler = ReturnType<typeof createNameReconciler>;

/** Nothing of them is on its way. */
const SETTLED: readonly NameState[] = ["kept", "conflict", "refused"];

function leftText(outcome: Outcome | undefined): string {
  if (outcome?.kind === "done") return "the name is gone, or another's, by now";
  return outcome && "error" in outcome ? outcome.error : "no zone has the name";
}

/** A row as if its server had not said yet that it has it. */
export function asMissing({ address, side, seq, wanted, ...row }: NameRow): NameResult {
  const { kept, keptFor, keptDhcid, peerOwner } = row;
  const known = { kept, keptFor, keptDhcid, keptAt: null, peerOwner };
  return {
    address,
    side,
    seq,
    sentFor: keptFor ?? wanted,
    ...known,
    state: "pending",
    error: null,
    tries: 0,
  };
}

const isGiven = ({ pools, reservedAddresses }: Config, ip: number): boolean =>
  reservedAddresses.has(ip) ||
  pools.some((pool) => pool.first <= ip && ip <= pool.last && !isExcluded(pool, ip));

/** Addresses of the pools, and of reservations whose names do not stay, from one on: a page, and one more. */
function givenAddresses({ pools, reservedAddresses }: Config, ddns: DdnsConfig, from: number): number[] {
  const reserved = ddns.keepForReservations ? [] : [...reservedAddresses.keys()];
  const found = reserved.filter((ip) => ip >= from);
  for (const pool of pools) {
    let room = PAGE + 1;
    for (let ip = Math.max(pool.first, from); ip <= pool.last && room > 0; ip++) {
      if (reservedAddresses.has(ip) || isExcluded(pool, ip)) continue;
      found.push(ip);
      room--;
    }
  }
  return found.sort((one, other) => one - other).slice(0, PAGE + 1);
}
