import type { Core, Settings } from "../ha/core-state.ts";
import type { PairMoment } from "../ha/pair-time.ts";
import { type Address, STATE, timeIn } from "../leases/binding.ts";
import type { Families } from "./pair-ledger.ts";
import type { PairedFamily } from "./paired-family.ts";

/** States of a node that has not met its peer since its start, or has taken over. */
const BEFORE_CONTACT: ReadonlySet<string> = new Set(["startup", "recover", "maintenance", "partner_down"]);

/**
 * What a node knows of its pair. "in force": leases, or what the peer may have told clients, also until now where the two
 * have met since the start of this one. "over": nothing of it counts any more. "unclear": the peer has not been met since
 * this node was started, and may have served clients that this node knows nothing of.
 */
export type Standing = "in force" | "over" | "unclear";

interface Known {
  readonly settings: Settings;
  readonly families: Families;
  readonly hasCleared: () => boolean;
}

/** What a node is where another machine is to be its peer. */
export function standingOf(known: Known, core: Core, moment: PairMoment): Standing {
  const { state, durable } = core;
  if (!BEFORE_CONTACT.has(state) || (state === "recover" && known.hasCleared())) return "in force";
  if (isAwaited(known, core, moment) || hasLeases(known, moment)) return "in force";
  return state === "partner_down" || durable.peerStore === null ? "over" : "unclear";
}

/** Whether the peer may have told clients something that they still believe, by what the node knows. */
function isAwaited({ settings, families }: Known, core: Core, { now }: PairMoment): boolean {
  const { contactAt, signAt, durable } = core;
  const { lead, lost, behind, takeover, ownership } = durable;
  const promises = Object.values(families).map((family) => family?.leases.latestPromise ?? 0);
  const promised = Math.max(...promises) + Math.max(0, behind);
  const stopped = takeover && !takeover.clean ? takeover.at : 0;
  const told = Math.max(contactAt, signAt, promised, stopped) + lead.awaited + settings.skew;
  return Math.max(told, lost?.until ?? 0, ownership.usableFrom) > now;
}

function hasLeases({ settings, families }: Known, { now, shift }: PairMoment): boolean {
  for (const family of Object.values(families) as Array<PairedFamily<Address> | undefined>) {
    // Of these the peer may have told that they have no end.
    for (const _ of family?.leases.promisedForEver() ?? []) return true;
    for (const { state, until } of family?.leases.all() ?? [])
      if (state === STATE.bound && timeIn(until, -shift) + settings.skew > now) return true;
  }
  return false;
}
