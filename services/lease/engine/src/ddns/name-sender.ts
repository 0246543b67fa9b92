import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import {
  type DeviceIdentity,
  type NameHolder,
  type NameResult,
  type NameRow,
  NOTHING_KEPT,
} from "../leases/dns-name.ts";
import { dhcidOf, otherOwners, ownersOfDevice } from "./dhcid.ts";
import {
  candidatesFor,
  isAsWanted,
  keptDhcidOf,
  keptNames,
  octetsOf,
  planOf,
  serverText,
} from "./name-plan.ts";
import type { NameUpdates, Outcome } from "./name-updates.ts";
import { Pauses } from "./pauses.ts";
import { zonesOf } from "./zones.ts";

/** Rows of one server that are taken together, in at most a quarter of a second. */
const MAX_ROWS = 64;
const PARTS_OF_SECOND = 4;

/** Rows that wait for a server, without those of zones and of intents that rest. */
export interface DueQuery {
  readonly server: string;
  readonly restingZones: readonly string[];
  readonly restingIntents: readonly number[];
  readonly limit: number;
}

export interface NameSenderParts {
  readonly config: () => DdnsConfig | undefined;
  readonly updates: NameUpdates;
  /** The other server of a pair may have brought a name as well. */
  readonly isPaired: boolean;
  /** Those that failed least first, then the oldest intent. */
  readonly due: (query: DueQuery) => NameRow[];
  /** Addresses that have this name in DNS and are to lose it. */
  readonly leaving: (name: string) => readonly string[];
  /** Names of the device that has one at an address. */
  readonly namesBeside: (address: string) => readonly NameHolder[];
  /** What the device with both families is known by that has, or had, the name of an address. */
  readonly identitiesAt: (address: string) => readonly DeviceIdentity[];
  /** Resolves when it is on disk; false when it could not be written. */
  readonly settle: (results: readonly NameResult[]) => Promise<boolean>;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly count: (what: "updates" | "failures" | "conflicts") => void;
}

/**
 * Brings names to DNS and takes them away: one step of one row at a time, each server on its own and at no more than
 * so many steps a second. A server that does not answer rests, and so do a zone and a row that fail.
 */
export function createNameSender(parts: NameSenderParts) {
  const servers = new Pauses<string>(parts.monotonic);
  const zones = new Pauses<string>(parts.monotonic);
  const intents = new Pauses<number>(parts.monotonic);
  const running = new Map<string, Promise<number>>();
  /** What steps under way change: where a zone gets another server meanwhile, nobody else changes it there. */
  const underWay = new Set<string>();

  /** All that is due for one server; answers how many steps were made. */
  async function serve(server: string): Promise<number> {
    for (let steps = 0; ; ) {
      const config = parts.config();
      if (!config || servers.isResting(server)) return steps;
      // Only what is really sent is told to be on its way: one row, while it is not known whether the server is there.
      const perPart = Math.ceil(config.maxUpdatesPerSecond / PARTS_OF_SECOND);
      const limit = servers.isFailing(server) ? 1 : Math.min(MAX_ROWS, perPart);
      const rows = parts
        .due({ server, restingZones: zones.resting(), restingIntents: intents.resting(), limit })
        .filter((row) => isFor(server, row, config) && !underWay.has(changedBy(row)));
      if (rows.length === 0) return steps;
      for (const row of rows) underWay.add(changedBy(row));
      const results = await stepAll(server, rows, config).finally(() => {
        for (const row of rows) underWay.delete(changedBy(row));
      });
      steps += results.length;
      if (results.length === 0) return steps;
    }
  }

  /** One step of each row; answers what became of them, once that is on disk. */
  async function stepAll(
    server: string,
    rows: readonly NameRow[],
    config: DdnsConfig,
  ): Promise<readonly NameResult[]> {
    const sending = rows.filter(({ kept, keptAt }) => kept === null || keptAt !== null).map(asUnderWay);
    if (sending.length > 0 && !(await parts.settle(sending))) return [];
    const results: NameResult[] = [];
    for (const row of rows) {
      if (servers.isResting(server)) break;
      const begun = parts.monotonic();
      const result = await step(row, config);
      if (result) results.push(result);
      const left = 1000 / config.maxUpdatesPerSecond - (parts.monotonic() - begun);
      if (left > 0) await parts.wait(left);
    }
    if (results.length === 0 || !(await parts.settle(results))) return [];
    // The answer to what an older configuration asked for: the run that tries such rows again may have passed them.
    const again = parts.config() === config ? [] : results.filter(isParked).map(asUntried);
    return again.length === 0 || (await parts.settle(again)) ? results : [];
  }

  /** By the configuration of this moment; rows are placed anew a little after it has changed. */
  function isFor(server: string, row: NameRow, config: DdnsConfig): boolean {
    const plan = planOf(config, row);
    return (plan.kind === "add" || plan.kind === "remove") && plan.server === server;
  }

  /** One row to its next state; undefined when its zone rests by now. */
  async function step(row: NameRow, config: DdnsConfig): Promise<NameResult | undefined> {
    const plan = planOf(config, row);
    if ((plan.kind !== "add" && plan.kind !== "remove") || zones.isResting(plan.zone)) return undefined;
    const { address, side, seq, tries } = row;
    const end = (result: Partial<NameResult> & Pick<NameResult, "state">): NameResult => {
      const { kept, keptFor, keptDhcid, keptAt, peerOwner } = row;
      const before = { kept, keptFor, keptDhcid, keptAt, peerOwner };
      return { address, side, seq, sentFor: sentForOf(row), error: null, tries: 0, ...before, ...result };
    };
    const made: Made = await (plan.kind === "add" ? add : remove)(row, config).catch((error) => ({
      outcome: failed(error),
      name: row.kept ?? row.wanted ?? "",
    }));
    const { outcome, name, owner = row.owner } = made;
    if (outcome.kind === "no-zone") return undefined;
    if (outcome.kind === "later") {
      parts.count("failures");
      if (outcome.isSilent) servers.add(plan.server);
      else {
        zones.add(plan.zone);
        intents.add(seq);
      }
      // It may have come there all the same.
      const isTried = plan.kind === "add" && name !== row.kept;
      const sent = isTried ? asSending({ ...row, owner }, name) : row;
      const { kept, keptFor, keptDhcid, peerOwner } = sent;
      const met = { error: outcome.error, tries: tries + (outcome.isSilent ? 0 : 1) };
      return end({ state: "pending", owner, kept, keptFor, keptDhcid, keptAt: null, peerOwner, ...met });
    }
    for (const [pauses, key] of [[servers, plan.server] as const, [zones, plan.zone] as const])
      pauses.end(key);
    intents.end(seq);
    if (outcome.kind === "conflict") {
      parts.count("conflicts");
      return end({ ...NOTHING_KEPT, state: "conflict", error: "the name is another's" });
    }
    if (outcome.kind === "parked") {
      parts.count("failures");
      return end({ state: "refused", error: outcome.error });
    }
    parts.count("updates");
    const found = outcome.isGone ? null : name;
    if (plan.kind === "remove") return end({ ...NOTHING_KEPT, state: "removed", found });
    return end({
      state: "kept",
      owner,
      kept: name,
      keptFor: row.wanted,
      keptDhcid: owner && dhcidOf(owner, name),
      keptAt: plan.at,
      peerOwner: null,
    });
  }

  async function remove(row: NameRow, config: DdnsConfig): Promise<Made> {
    const [zones, address] = [zonesOf(config), octetsOf(row.address)];
    const [name = "", ...others] = keptNames(config, row);
    const { removeReverse, removeForward } = parts.updates;
    if (row.side === "reverse") return { outcome: await removeReverse(zones, name, address, others), name };
    let made: Made = { outcome: { kind: "done", isGone: true }, name };
    const removed = async (each: string, dhcid: Uint8Array | null): Promise<boolean> => {
      const owned = { name: each, dhcid: dhcid ?? new Uint8Array(0) };
      made = { outcome: await removeForward(zones, owned, address), name: each };
      return made.outcome.kind !== "done" || !made.outcome.isGone;
    };
    const names = [name, ...others];
    for (const each of names) if (await removed(each, keptDhcidOf(row, each))) return made;
    // The other server may have brought it as of the device's other family.
    const owners = row.peerOwner ? ownersOfDevice(parts.identitiesAt(row.address)) : [];
    for (const owner of owners.filter((each) => !Buffer.from(each).equals(row.peerOwner ?? each)))
      for (const each of names) if (await removed(each, dhcidOf(owner, each))) return made;
    return made;
  }

  async function add(row: NameRow, config: DdnsConfig): Promise<Made> {
    const [zones, wanted, address] = [zonesOf(config), row.wanted ?? "", octetsOf(row.address)];
    const { addReverse, addForward, owns } = parts.updates;
    if (row.side === "reverse")
      return { outcome: await addReverse(zones, wanted, address, config.ttl), name: wanted };
    const all = candidatesFor(config, wanted);
    // What is there already stays, also by its suffix.
    let names = isAsWanted(row) && row.kept !== null ? [...new Set([row.kept, ...all])] : all;
    let outcome: Outcome = { kind: "conflict" };
    let told = row.kept ?? wanted;
    const owned = (name: string, owner = row.owner) => ({
      name,
      dhcid: dhcidOf(owner ?? new Uint8Array(0), name),
    });
    const bring = async (name: string, owner = row.owner): Promise<Outcome> =>
      addForward(zones, owned(name, owner), address, config.ttl, parts.leaving(name).map(octetsOf));
    /** The other server may have met the families of a device in another order, and have brought the name as the other one's. */
    const bringAsOther = async (name: string): Promise<Made> => {
      for (const owner of otherOwners(parts.namesBeside(row.address), row.address)) {
        const found = await owns(zones, owned(name, owner));
        if (found.kind === "conflict") continue;
        if (found.kind !== "done") return { outcome: found, name };
        if (!(await parts.settle([asSending({ ...row, owner }, name)])))
          return { outcome: NOT_WRITTEN, name };
        return { outcome: await bring(name, owner).catch(failed), name, owner };
      }
      return { outcome: { kind: "conflict" }, name };
    };
    if ((parts.isPaired || row.peerOwner !== null) && names.length > 1) {
      // The other server may have brought it by a later suffix, when those before it were not free yet; also before this one left the pair.
      let there: string | undefined;
      for (const name of names) {
        const found = await owns(zones, owned(name));
        if (found.kind !== "done" && found.kind !== "conflict") return { outcome: found, name: told };
        if (found.kind === "conflict") continue;
        there = name;
        break;
      }
      // Where it is not there, both servers try the same names in the same order.
      names = there === undefined ? all : [there, ...all];
    }
    for (const name of new Set(names)) {
      // The one before is another's: this is what a kill leaves in DNS from now on.
      if (name !== told && !(await parts.settle([asSending(row, name)])))
        return { outcome: NOT_WRITTEN, name: told };
      told = name;
      outcome = await bring(name).catch(failed);
      const made = outcome.kind === "conflict" ? await bringAsOther(name) : { outcome, name };
      if (made.outcome.kind !== "conflict") return made;
    }
    return { outcome, name: wanted };
  }

  return {
    /** Serves every server that is not being served; answers how many steps were made when all are done. */
    round: async (): Promise<number> => {
      const all = new Set((parts.config()?.zones ?? []).map(({ server }) => serverText(server)));
      const begun = [...all].filter((server) => !running.has(server));
      for (const server of begun)
        running.set(
          server,
          serve(server).finally(() => running.delete(server)),
        );
      const steps = await Promise.all(begun.map((server) => running.get(server) ?? 0));
      return steps.reduce((sum, count) => sum + count, 0);
    },
  };
}

/** What a step did, by which name, and as whose where that is not the owner of the row. */
interface Made {
  readonly outcome: Outcome;
  readonly name: string;
  readonly owner?: Uint8Array;
}

/** The name that a step is for, without a suffix. */
const sentForOf = (row: NameRow) => (row.kept === null || isAsWanted(row) ? row.wanted : row.keptFor);

/** What a step changes in DNS: the records of one name for an address, or all that leads from that address to names. */
const changedBy = (row: NameRow) => `${row.address} ${row.side === "reverse" ? "" : (sentForOf(row) ?? "")}`;

const isParked = ({ state }: NameResult) => state === "conflict" || state === "refused";
const asUntried = (result: NameResult): NameResult => ({
  ...result,
  state: "pending",
  error: null,
  tries: 0,
});

const NOT_WRITTEN: Outcome = { kind: "later", error: "the engine's disk takes nothing", isSilent: false };

/** What throws is a failure of its row, and of no other. */
const failed = ({ message }: Error): Outcome => ({ kind: "later", error: message, isSilent: false });

/** What is not known of a row from the moment that a step is sent: what is added may be there, what is removed gone. */
const asUnderWay = (row: NameRow): NameResult => {
  if (row.kept === null) return asSending(row);
  const { address, side, seq, tries, kept, keptFor, keptDhcid, peerOwner } = row;
  const uncertain = { kept, keptFor, keptDhcid, keptAt: null, peerOwner };
  return { address, side, seq, sentFor: keptFor, tries, error: null, state: "sending", ...uncertain };
};

/** What may be in DNS from now on: the name that is wanted, or the one with a suffix that was tried. */
function asSending(row: NameRow, tried?: string): NameResult {
  const { address, side, seq, wanted, owner, tries } = row;
  const name = tried ?? wanted;
  const keptDhcid = owner && name !== null ? dhcidOf(owner, name) : null;
  const kept = { kept: name, keptFor: wanted, keptDhcid, keptAt: null, peerOwner: null };
  return { address, side, seq, sentFor: wanted, tries, error: null, state: "sending", ...kept };
}
