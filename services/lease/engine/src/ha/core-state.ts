import type { Address } from "../leases/binding.ts";
import type { Hello, Message, Mode } from "./messages.ts";
import { type Ownership, ownedBy, type Role, takeOver } from "./ownership.ts";
import { NOTHING_AGREED, type Plan, type PlanAgreement } from "./plan.ts";
import type { State } from "./states.ts";

/** What the configuration and the pairing say. Times are seconds. */
export interface Settings {
  readonly node: string;
  readonly role: Role;
  readonly mode: Mode;
  /** What names a client; both nodes must tell clients apart in the same way. */
  readonly identity: string;
  readonly lead: number;
  readonly skew: number;
  readonly contactTimeout: number;
  /** 0: only by hand. */
  readonly partnerDownAfter: number;
  /** The secondary's part of the free addresses, from 0 to 1. */
  readonly share: number;
}

/** This node gives what was the peer's, and the peer has not come back. */
export interface Takeover {
  /** The peer had stopped by then. */
  readonly at: number;
  /** The peer had stopped answering and everything it did is known here: there is nothing to wait for. */
  readonly clean: boolean;
}

/** What is on disk of the pair, apart from the rows. */
export interface Durable {
  readonly store: string;
  readonly epoch: number;
  /** The epoch that both nodes last agreed upon: if it is not `epoch`, this node has taken over since. */
  readonly agreed: number;
  readonly ownership: Ownership;
  readonly state: State;
  readonly since: number;
  readonly lastSeq: number;
  readonly takeover: Takeover | null;
  /** The peer lost its memory `at` a time: what it may have told clients before is waited for `until` another. */
  readonly lost: { readonly at: number; readonly until: number } | null;
  /** The peer was handed everything: until there is contact, this node gives nothing. */
  readonly handedOver: boolean;
  readonly peerStore: string | null;
  /** A time of this node's clock at which the peer is known to have been there, and not to have taken over. */
  readonly contactAt: number;
  /** Changes up to it were handed to the link; null while a link is up, and so after a crash: all of them. */
  readonly sentSeq: number | null;
  readonly ackedSeq: number;
  readonly appliedSeq: number;
  /** The peer has lost its memory: of changes up to this number it knows nothing until it has all pages. */
  readonly eraSeq: number | null;
  /** How far beyond what the peer knows a client is told, and how long is waited for what the peer may have told. */
  readonly lead: { readonly told: number; readonly awaited: number };
  readonly plan: PlanAgreement;
}

/** A connection to the peer. */
export interface Link {
  readonly id: number;
  readonly upAt: number;
  readonly heardAt: number;
  /** Frames received so far. */
  readonly received: number;
  readonly mine: Hello;
  readonly theirs: Hello | null;
  /** Both nodes are of one epoch and exchange their changes. */
  readonly isOpen: boolean;
  /** Own changes up to this number are on their way. */
  readonly sent: number;
  /** When the peer has acknowledged this number, it has all that there was when the link was made. */
  readonly target: number;
  /** The address after which the next page begins; undefined before the first, null when no pages are to be sent. */
  readonly page: Address | undefined | null;
  readonly pageUpTo: number;
  /** Acknowledgements that do not count yet: the peer's changes up to `m` are still to come. */
  readonly acks: ReadonlyArray<{ readonly n: number; readonly m: number }>;
  readonly peerClock: number | null;
  readonly peerBeat: Extract<Message, { type: "beat" }> | null;
}

export interface Core {
  readonly settings: Settings;
  readonly durable: Durable;
  readonly state: State;
  readonly plan: Plan;
  /** When this node began, or went on after a pause. Contact from before it says nothing of what the peer is now. */
  readonly resumedAt: number;
  /** When something last happened here: a gap is a pause. */
  readonly aliveAt: number;
  /** When this node last went on after a gap in which messages of clients may have waited. */
  readonly delayedAt: number;
  readonly contactAt: number;
  readonly ackedSeq: number;
  /** The last time that contactAt and ackedSeq were written. */
  readonly keptAt: number;
  readonly link: Link | null;
  readonly lostAt: number;
  /** When a client was last seen to speak to the peer. */
  readonly signAt: number;
  /** The peer's clock minus this one, seconds, as last measured. */
  readonly clockDifference: number;
  /** The operator said that the peer has not taken over: `resume --alone`. */
  readonly trustsItself: boolean;
  /** Whether this node can write and reach its clients. */
  readonly serving: boolean;
  /** A client was refused since addresses were last asked for. */
  readonly refused: boolean;
}

/** A store that never had a peer. It gives nothing before its first contact. */
export const newDurable = (store: string, lead: number): Durable => ({
  store,
  epoch: 0,
  agreed: 0,
  ownership: ownedBy("primary"),
  state: "startup",
  since: 0,
  lastSeq: 0,
  takeover: null,
  lost: null,
  handedOver: false,
  peerStore: null,
  contactAt: Number.NEGATIVE_INFINITY,
  sentSeq: 0,
  ackedSeq: 0,
  appliedSeq: 0,
  eraSeq: null,
  lead: { told: lead, awaited: lead },
  plan: NOTHING_AGREED,
});

/** States that a restart does not end, and what they become. */
const LASTING: ReadonlyMap<State, State> = new Map([
  ["partner_down", "partner_down"],
  ["conflict", "partner_down"],
  ["recover", "recover"],
  ["maintenance", "maintenance"],
]);

/** A node as it is when its process begins. */
export function startCore(settings: Settings, durable: Durable, plan: Plan, now: number): Core {
  // Both nodes must have a longer lead before a client is told so; one that waits begins at once.
  const lead = {
    told: Math.min(durable.lead.told, settings.lead),
    awaited: Math.max(durable.lead.awaited, settings.lead),
  };
  const state = LASTING.get(durable.state) ?? "startup";
  const isUnresolved = durable.state === "conflict";
  const sentSeq = durable.sentSeq ?? durable.lastSeq;
  const takeover = isUnresolved ? { at: now, clean: false } : durable.takeover;
  const ownership = isUnresolved
    ? takeOver(durable.ownership, settings.role, now + lead.awaited + settings.skew)
    : durable.ownership;
  return {
    settings,
    durable: { ...durable, lead, state, sentSeq, takeover, ownership },
    state,
    plan,
    resumedAt: now,
    aliveAt: now,
    delayedAt: Number.NEGATIVE_INFINITY,
    contactAt: durable.contactAt,
    ackedSeq: durable.ackedSeq,
    keptAt: now,
    link: null,
    lostAt: now,
    signAt: Number.NEGATIVE_INFINITY,
    clockDifference: 0,
    trustsItself: false,
    serving: true,
    refused: false,
  };
}

/** Own changes up to this number may have reached the peer. */
export const handedTo = ({ durable, link }: Core): number =>
  durable.sentSeq ?? (link?.isOpen ? link.sent : durable.lastSeq);
