import type { HaState } from "@frontdesk/lease-control-api/ha-states";
import type { Address } from "../leases/binding.ts";
import { type KeptTimes, movedTimes, timesFromNow } from "./kept-times.ts";
import { type Hello, MAX_SENT_ROWS, type Message, type Mode } from "./messages.ts";
import { type AddressRange, ownedBy, type Role, takeOver } from "./ownership.ts";
import { NOTHING_AGREED, type Plan, type PlanAgreement } from "./plan.ts";
import type { Refusal } from "./refusal.ts";

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
  /** What clients and the peer know this server by: its addresses, and its DUID in hex. */
  readonly servers: readonly string[];
}

/** What is on disk of the pair, apart from the rows. */
export interface Durable extends KeptTimes {
  readonly store: string;
  readonly epoch: number;
  /** The epoch that both nodes last agreed upon: if it is not `epoch`, this node has taken over since. */
  readonly agreed: number;
  readonly state: HaState;
  readonly since: number;
  readonly lastSeq: number;
  /** The peer was handed everything: until there is contact, this node gives nothing. */
  readonly handedOver: boolean;
  readonly peerStore: string | null;
  /** A time at which the peer is known to have been there, and not to have taken over, while the two clocks agreed. */
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
  /** What the peer is known by. */
  readonly peerServers: readonly string[];
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
  /** Maintenance: the peer was told on this connection that it may take over, and gets nothing after that. */
  readonly isHandedOver: boolean;
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

/** How many new clients were given an address, by the pool. */
export type Demand = ReadonlyMap<AddressRange, number>;

export const NO_DEMAND: Demand = new Map();

export interface Core {
  readonly settings: Settings;
  readonly durable: Durable;
  readonly state: HaState;
  readonly plan: Plan;
  /** When this node began, or went on after a pause. Contact from before it says nothing of what the peer is now. */
  readonly resumedAt: number;
  /** When something last happened here: a gap is a pause. */
  readonly aliveAt: number;
  /** When this node last went on after a gap in which messages of clients may have waited. */
  readonly delayedAt: number;
  /** When the peer is known to have been there, by this node's clock. */
  readonly contactAt: number;
  /** The same while the two clocks agreed: what counts after a start or a pause, in which this one may have been set. */
  readonly certainContactAt: number;
  readonly ackedSeq: number;
  /** Own changes up to this number were made before the last takeover ended. */
  readonly takenUpTo: number;
  /** The last time that contactAt and ackedSeq were written. */
  readonly keptAt: number;
  readonly link: Link | null;
  /** When a connection on which the peer had spoken was lost, or this node began. */
  readonly lostAt: number;
  /** When the two nodes last refused each other, and why; null since they took each other for a pair. */
  readonly refusal: Refusal | null;
  /** When a client was last seen to speak to the peer. */
  readonly signAt: number;
  /** The peer's clock minus this one, seconds, as measured on the link; 0 without one. */
  readonly clockDifference: number;
  /** The operator said that the peer has not taken over: `resume --alone`. */
  readonly trustsItself: boolean;
  /** Whether this node can write and reach its clients. */
  readonly serving: boolean;
  /** A client was refused since addresses were last asked for. */
  readonly refused: boolean;
  /** New clients since the last tick, and in the second before it. */
  readonly taken: Demand;
  readonly demand: Demand;
  /** The link takes less than it is handed: changes wait where they are. */
  readonly isCongested: boolean;
  /** Rows that may still be handed to the link in this batch. */
  readonly room: number;
}

/** A store that never had a peer, or had one in a pair up to an epoch. It gives nothing before its first contact. */
export const newDurable = (store: string, lead: number, epoch = 0): Durable => ({
  store,
  epoch,
  agreed: 0,
  ownership: ownedBy("primary"),
  state: "startup",
  since: 0,
  lastSeq: 0,
  takeover: null,
  lost: null,
  behind: 0,
  handedOver: false,
  peerStore: null,
  contactAt: Number.NEGATIVE_INFINITY,
  sentSeq: 0,
  ackedSeq: 0,
  appliedSeq: 0,
  eraSeq: null,
  lead: { told: lead, awaited: lead },
  plan: NOTHING_AGREED,
  peerServers: [],
});

/** States that a restart does not end, and what they become. */
const LASTING: ReadonlyMap<HaState, HaState> = new Map([
  ["partner_down", "partner_down"],
  ["conflict", "partner_down"],
  ["recover", "recover"],
  ["maintenance", "maintenance"],
]);

/** A node as it is when its process begins. `setBy`: by how many seconds its clock was set since the last one stopped. */
export function startCore(settings: Settings, durable: Durable, plan: Plan, now: number, setBy = 0): Core {
  // Both nodes must have a longer lead before a client is told so; one that waits begins at once.
  const lead = {
    told: Math.min(durable.lead.told, settings.lead),
    awaited: Math.max(durable.lead.awaited, settings.lead),
  };
  const state = LASTING.get(durable.state) ?? "startup";
  const contactAt = durable.contactAt <= now && setBy >= 0 ? durable.contactAt : Number.NEGATIVE_INFINITY;
  const since = state === durable.state && state !== "startup" ? durable.since : now;
  const sentSeq = durable.sentSeq ?? durable.lastSeq;
  const wait = lead.awaited + settings.skew;
  // In this order: what counts from now is told by the new clock.
  const times = timesFromNow(setBy === 0 ? durable : movedTimes(durable, setBy, now), now, wait);
  const unresolved = () => ({
    takeover: { at: now, clean: false },
    ownership: takeOver(times.ownership, settings.role, now + wait),
  });
  const kept = durable.state === "conflict" ? { ...times, ...unresolved() } : times;
  return {
    settings,
    durable: { ...durable, ...kept, lead, state, since, sentSeq, contactAt },
    state,
    plan,
    resumedAt: now,
    aliveAt: now,
    delayedAt: Number.NEGATIVE_INFINITY,
    contactAt,
    certainContactAt: contactAt,
    ackedSeq: durable.ackedSeq,
    takenUpTo: 0,
    keptAt: now,
    link: null,
    lostAt: now,
    refusal: null,
    signAt: Number.NEGATIVE_INFINITY,
    clockDifference: 0,
    trustsItself: false,
    serving: true,
    refused: false,
    taken: NO_DEMAND,
    demand: NO_DEMAND,
    isCongested: false,
    room: MAX_SENT_ROWS,
  };
}

/**
 * Whether the peer has spoken on the connection that there is. A process that hangs takes connections all the same: its
 * link has a thread of its own.
 */
export const isPeerThere = ({ link }: Pick<Core, "link">): boolean => link !== null && link.received > 0;

/** Own changes up to this number may have reached the peer. */
export const handedTo = ({ durable, link }: Core): number =>
  durable.sentSeq ?? (link?.isOpen ? link.sent : durable.lastSeq);
