import type { HaState } from "@frontdesk/lease-control-api/ha-states";
import { type Core, isPeerThere } from "./core-state.ts";
import type { Mode } from "./messages.ts";
import type { Role } from "./ownership.ts";
import { isAgreed } from "./plan.ts";
import { type Refusal, refusalAdvice, refusalNow } from "./refusal.ts";

/** What an operator sees of the pair. Times are seconds of the wall clock; null: there is none. */
export interface HaStatus {
  readonly state: HaState;
  readonly since: number;
  /** Why it is in this state, as a sentence. */
  readonly reason: string;
  readonly role: Role;
  readonly mode: Mode;
  readonly epoch: number;
  readonly link: "up" | "down";
  /** The setting for which the two refuse each other; null: they do not. */
  readonly refusal: Refusal | null;
  readonly peer: {
    /** As the peer last said; null while there is no link. */
    readonly state: HaState | null;
    readonly since: number | null;
    readonly serving: boolean | null;
    readonly lastContact: number | null;
  };
  readonly unackedUpdates: number;
  readonly oldestUnackedSeconds: number | null;
  readonly pools: readonly HaPool[];
  readonly clockDifferenceMs: number;
  readonly plan: {
    readonly agreed: boolean;
    /** The plans differ: addresses whose use is not the same in both are given to nobody new. */
    readonly frozen: boolean;
  };
  /** Whether clients are told the same by both; null: the peer has not said. */
  readonly serviceHashEqual: boolean | null;
  readonly takeover: { readonly at: number; readonly usableFrom: number } | null;
  readonly lastResync: { readonly at: number; readonly rows: number; readonly seconds: number } | null;
  /** The peer was handed everything: it serves alone, and this node can be stopped. */
  readonly handedOver: boolean;
  readonly conflicts: number;
  /** Leases that were given for a shorter time than without a peer. */
  readonly shortened: number;
  readonly updates: { readonly sent: number; readonly received: number };
  /** Seconds without the peer; 0 with it. */
  readonly aloneSeconds: number;
  /** What to do, as a sentence; null when there is nothing to do. */
  readonly advice: string | null;
}

/** What is counted of the pair since the process began. */
export interface PairFacts {
  readonly conflicts: number;
  readonly shortened: number;
  readonly sent: number;
  readonly received: number;
  readonly unacked: number;
  readonly oldestUnackedAt: number | undefined;
  /** When the two last exchanged their changes; undefined while they do. */
  readonly aloneSince: number | undefined;
  readonly lastResync: HaStatus["lastResync"];
}

/** The state of a node for people; without the pools, and with the times of its own clock. */
export function statusOf(core: Core, facts: PairFacts, now: number): Omit<HaStatus, "pools"> {
  const { durable, settings, link, state, plan, clockDifference } = core;
  const { takeover, lead } = durable;
  const beat = link?.peerBeat;
  const wait = takeover?.clean ? 0 : lead.awaited + settings.skew;
  const differs = beat !== undefined && beat !== null && beat.plan !== plan.hash;
  const serviceHashEqual = beat ? beat.service === (plan.service ?? "") : null;
  const agreed = isAgreed(durable.plan, plan);
  const refusal = refusalNow(core, now);
  return {
    state,
    since: durable.since,
    reason: reasonOf(core),
    role: settings.role,
    mode: settings.mode,
    epoch: durable.epoch,
    link: link?.isOpen ? "up" : "down",
    refusal,
    peer: {
      state: beat?.state ?? null,
      since: beat?.since ?? null,
      serving: beat?.serving ?? null,
      lastContact: Number.isFinite(core.contactAt) ? core.contactAt : null,
    },
    unackedUpdates: facts.unacked,
    oldestUnackedSeconds:
      facts.oldestUnackedAt === undefined ? null : Math.max(0, now - facts.oldestUnackedAt),
    clockDifferenceMs: Math.round(clockDifference * 1000),
    plan: {
      agreed: agreed && !differs,
      frozen: durable.plan.agreed ? !agreed : state === "normal" && differs,
    },
    serviceHashEqual,
    takeover: takeover && { at: takeover.at, usableFrom: takeover.at + wait },
    lastResync: facts.lastResync,
    handedOver: durable.handedOver,
    conflicts: facts.conflicts,
    shortened: facts.shortened,
    updates: { sent: facts.sent, received: facts.received },
    aloneSeconds: facts.aloneSince === undefined ? 0 : Math.max(0, now - facts.aloneSince),
    advice: refusal ? refusalAdvice(refusal) : adviceOf(core, differs, serviceHashEqual),
  };
}

function reasonOf({ state, durable }: Core): string {
  if (state === "startup" && durable.handedOver) {
    return "The engine had handed everything to its peer, and serves nobody until they have met.";
  }
  if (state === "maintenance" && durable.handedOver) {
    return "The engine was taken out of service by command, and has handed everything to its peer.";
  }
  const { lost } = durable;
  return lost ? `${REASONS[state]} ${forgottenText(lost.until)}` : REASONS[state];
}

const forgottenText = (until: number) =>
  `The peer has lost its memory: what it may have told clients before is waited for until ${new Date(until * 1000).toISOString()}; until then leases end late, and some addresses are given to no new client.`;

const REASONS: Readonly<Record<HaState, string>> = {
  startup: "The engine was started and waits for its peer.",
  resync: "The peer is there; both send what the other does not have yet.",
  normal: "Both engines serve, and each knows what the other does.",
  interrupted: "There is no contact with the peer; this engine serves alone.",
  partner_down: "The peer counts as stopped; this engine serves alone and takes over the peer's addresses.",
  recover: "The peer has taken over; this engine receives its leases and serves nobody until it has them.",
  conflict: "Both engines had taken over; they compare their leases.",
  maintenance: "The engine was taken out of service by command; its peer does not have everything yet.",
};

function adviceOf(core: Core, differs: boolean, isServiceEqual: boolean | null): string | null {
  const { state, settings, clockDifference, durable, link } = core;
  if (state === "recover" && !isPeerThere(core)) {
    return "Mend the link between the two. If the peer is lost for good, run leasectl ha partner-down --force: leases that it gave since it has taken over are not known here.";
  }
  if (state === "startup" && durable.handedOver) {
    return "Start the peer, which was handed everything, and make sure that it can be reached. If it is lost for good, run leasectl ha partner-down --force: leases that it gave since are not known here.";
  }
  if (state === "interrupted" || (state === "startup" && durable.peerStore !== null)) {
    return "If the peer has stopped for good, run leasectl ha partner-down; if not, mend the link between the two.";
  }
  if (state === "startup") return "Start the peer, and make sure that it can be reached.";
  if (state === "maintenance") {
    if (link?.peerBeat?.state === "maintenance")
      return "Both engines are in maintenance, and nobody serves: run leasectl ha resume on one of them.";
    return durable.handedOver
      ? "The engine can be stopped. Run leasectl ha resume when the work is done."
      : "Wait until everything is handed over, and do not stop the engine before; leasectl ha resume ends the maintenance.";
  }
  if (Math.abs(clockDifference) > settings.skew)
    return "Set the clocks of both machines: no lease is ended until then.";
  if (state === "normal" && differs) {
    const givesNobody = !durable.plan.agreed && durable.ownership.holder !== settings.role;
    return `Give both engines the same subnets, pools and reservations.${givesNobody ? GIVES_NOBODY : ""}`;
  }
  if (state === "normal" && isServiceEqual === false) {
    return "Give both engines the same options, times and classes: clients are told different things by the two.";
  }
  return null;
}

const GIVES_NOBODY =
  " They have differed since the two were paired: this engine gives new clients nothing until then, even if its peer is gone.";

export interface HaPool {
  readonly subnet: string;
  /** As people write it: first and last address. */
  readonly pool: string;
  readonly ownFree: number;
  readonly peerFree: number;
  /** Ended here, and not yet acknowledged by the peer. */
  readonly awaiting: number;
}
