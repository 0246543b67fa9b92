import { agreeUponPlan, isPlanAwaited } from "./agreement.ts";
import { applyChange, type Change, expire } from "./changes.ts";
import { goBack, measureClock, setClock } from "./clock.ts";
import { type Command, obey, refusalToTakeOver } from "./commands.ts";
import { type Core, isPeerThere } from "./core-state.ts";
import { countDemand, endSecond } from "./demand.ts";
import { giveWanted, shareAddresses } from "./giving.ts";
import type { Ledger } from "./ledger.ts";
import { arm, beginLink, closeLink, holdAlone, loseLink, receiveHello, takeOverNow } from "./meeting.ts";
import type { Message, RefusedBecause } from "./messages.ts";
import { ownedBy, withoutWaiting } from "./ownership.ts";
import { isPrepared, type Plan } from "./plan.ts";
import {
  countAcknowledgements,
  receiveAck,
  receivePage,
  receivePageEnd,
  receiveUpdate,
} from "./receiving.ts";
import { refusalBy } from "./refusal.ts";
import { mayEnd } from "./rights.ts";
import { acknowledgeReceived, isDrained, sendChanges } from "./sending.ts";
import { type Outcome, Turn } from "./turn.ts";

/** Leases that one turn ends. */
const MAX_ENDED = 1000;
/** Something happens at least once a second: after a longer gap, messages may have waited in the socket. */
const MAX_GAP_SECONDS = 1.5;
/** Contact and acknowledgements are written at least so often. */
const KEEP_SECONDS = 10;
/** Of a beat that took longer it is not clear when the peer read its clock. */
const MAX_ROUND_TRIP = 1;

/** What happens to a node. `now` is seconds of UTC by its clock; a gap, also a backward one, is a pause. */
export type Input = { readonly now: number } & (
  | { readonly kind: "link"; readonly id: number; readonly isUp: boolean }
  | { readonly kind: "message"; readonly link: number; readonly counter: number; readonly message: Message }
  /** `replay`: what replay detection has told clients so far. */
  | { readonly kind: "tick"; readonly replay?: number }
  /** Time has passed, or there is room on the link: what can be sent is sent. */
  | { readonly kind: "go on" }
  | { readonly kind: "change"; readonly changes: readonly Change[] }
  | { readonly kind: "commit failed" }
  /** The wall clock was set by that many seconds: how far the peer's is from it is not known until the two meet anew. */
  | { readonly kind: "clock set"; readonly by: number }
  /** So much time has passed since something last happened, by a clock that nobody sets. */
  | { readonly kind: "time passed"; readonly seconds: number }
  | { readonly kind: "plan"; readonly plan: Plan }
  /** What this node is known by is another: its interfaces have other addresses. */
  | { readonly kind: "servers"; readonly servers: readonly string[] }
  | { readonly kind: "refused a client" }
  | { readonly kind: "serving"; readonly serving: boolean }
  | { readonly kind: "congested"; readonly isCongested: boolean }
  /** A client spoke to the peer: it named the peer's server identifier. */
  | { readonly kind: "sign of life" }
  | { readonly kind: "command"; readonly command: Command }
);

/**
 * What a node does next. It changes nothing but the ledger's overlay: the caller commits `writes` with whatever else is
 * in the batch, and only then goes on with the new core and sends `sendAfterCommit`. When the commit fails, the caller
 * goes on with the core from before the batch, and tells it so.
 */
export function step(core: Core, ledger: Ledger, input: Input): Outcome {
  const turn = new Turn(core, ledger, input.now);
  if (input.kind === "clock set") setClock(turn, input.by);
  noticePause(turn, input.kind === "time passed" ? input.seconds : 0);
  take(turn, input);
  if (turn.link) {
    countAcknowledgements(turn);
    leaveConflict(turn);
    becomeNormal(turn);
    handOver(turn);
    sendChanges(turn);
    acknowledgeReceived(turn);
  }
  return turn.outcome();
}

function take(turn: Turn, input: Input): void {
  switch (input.kind) {
    case "link":
      if (input.isUp) {
        loseLink(turn);
        beginLink(turn, input.id);
      } else if (turn.link?.id === input.id) loseLink(turn);
      return;
    case "message":
      receive(turn, input);
      return;
    case "tick":
      tick(turn, input.replay ?? 0);
      return;
    case "go on":
    case "time passed":
      return;
    case "change":
      countDemand(turn, input.changes);
      for (const change of input.changes) applyChange(turn, change);
      return;
    case "commit failed":
      forgetLink(turn);
      return;
    case "clock set":
      // The step may hide a pause.
      turn.change({ resumedAt: turn.now, trustsItself: false });
      closeLink(turn);
      return;
    case "plan":
      turn.change({ plan: input.plan });
      return;
    case "servers":
      changeServers(turn, input.servers);
      return;
    case "refused a client":
      turn.change({ refused: true });
      return;
    case "serving":
      turn.change({ serving: input.serving });
      return;
    case "congested":
      turn.change({ isCongested: input.isCongested });
      return;
    case "sign of life":
      turn.change({ signAt: input.now });
      return;
    case "command":
      turn.refusal = obey(turn, input.command);
  }
}

/**
 * R8: the process stood still, and the peer may have taken over meanwhile. Where the wall clock was set back at the same
 * time, another one tells; where the machine stood still, the wall clock alone does.
 */
function noticePause(turn: Turn, passed: number): void {
  const { core, now } = turn;
  const gap = now - core.aliveAt;
  const longest = Math.max(gap, passed);
  if (longest > MAX_GAP_SECONDS || gap < 0) turn.change({ delayedAt: now });
  if (gap >= 0 && longest <= core.settings.contactTimeout) return;
  turn.change({ resumedAt: now, trustsItself: false });
  if (gap < 0) goBack(turn);
  closeLink(turn);
}

/**
 * The peer withholds the addresses of this node from clients: new ones it hears of with the next hello. Those that went
 * and come back, as where a cable is loose, it still knows.
 */
function changeServers(turn: Turn, servers: readonly string[]): void {
  const { core, link } = turn;
  turn.change({ settings: { ...core.settings, servers } });
  const told = new Set(link?.mine.servers);
  if (link && turn.hello.servers.some((each) => !told.has(each))) closeLink(turn);
}

/** A message may have been lost with the commit: the link begins anew from what is on disk. Nothing can be written. */
function forgetLink(turn: Turn): void {
  const { core } = turn;
  turn.closes = core.link !== null;
  turn.change({ link: null, lostAt: isPeerThere(core) ? turn.now : core.lostAt, clockDifference: 0 });
  if (core.state === "normal" || core.state === "resync") turn.change({ state: "interrupted" });
}

function receive(turn: Turn, { link: id, counter, message }: Extract<Input, { kind: "message" }>): void {
  const { link, now } = turn;
  // A frame of a connection that was replaced.
  if (!link || link.id !== id) return;
  if (counter !== link.received) {
    closeLink(turn);
    return;
  }
  turn.changeLink({ received: counter + 1, heardAt: now });
  if (message.type === "hello") receiveHello(turn, message);
  else if (message.type === "refuse") receiveRefusal(turn, message.reason);
  else if (message.type === "bye") closeLink(turn);
  else if (message.type === "beat") receiveBeat(turn, message);
  else if (link.isOpen && !link.isHandedOver) receiveOpen(turn, message);
}

function receiveRefusal(turn: Turn, reason: RefusedBecause): void {
  const { core, hello, now } = turn;
  const known = core.refusal?.because === reason ? core.refusal.there : null;
  turn.change({ refusal: { ...refusalBy(reason, hello, null, now), there: known } });
  closeLink(turn);
}

/** Messages that only nodes of one epoch exchange. */
function receiveOpen(turn: Turn, message: Message): void {
  const { durable } = turn;
  if (message.type === "update") receiveUpdate(turn, message);
  else if (message.type === "page") receivePage(turn, message);
  else if (message.type === "page_end") receivePageEnd(turn, message);
  else if (message.type === "ack") receiveAck(turn, message);
  else if (message.type === "want") giveWanted(turn, message);
  else if (message.type === "handover" && durable.appliedSeq >= message.lastSeq) {
    // It was told to stop answering, too.
    if (turn.core.state === "maintenance") return;
    takeOverNow(turn, durable.epoch + 1, { at: turn.now, clean: true });
    closeLink(turn);
  }
}

function receiveBeat(turn: Turn, beat: Extract<Message, { type: "beat" }>): void {
  const { core, now, link } = turn;
  turn.changeLink({ peerClock: beat.clock, peerBeat: beat });
  if (beat.echo === null || !link?.isOpen) return;
  // When the echoed beat was sent, the peer was still to answer it.
  turn.change({ contactAt: Math.max(core.contactAt, beat.echo) });
  measureClock(turn, differenceBy(beat.clock, beat.echo, now, core.clockDifference), hasAllOf(turn, beat));
  if (Math.abs(turn.core.clockDifference) > core.settings.skew) return;
  turn.change({ certainContactAt: Math.max(core.certainContactAt, beat.echo) });
}

/** Whether all is here that the peer had told clients before it sent a beat, by whichever clock. */
const hasAllOf = ({ core, durable }: Turn, { lastSeq }: Extract<Message, { type: "beat" }>) =>
  core.state === "normal" && durable.appliedSeq >= lastSeq;

/** The peer read its clock between sending the beat that it echoes and now: the difference cannot be beyond that. */
function differenceBy(clock: number, sentAt: number, now: number, known: number): number {
  if (now - sentAt <= MAX_ROUND_TRIP) return clock - (sentAt + now) / 2;
  return Math.min(Math.max(known, clock - now), clock - sentAt);
}

function tick(turn: Turn, replay: number): void {
  const { core, now, link } = turn;
  const { contactTimeout, partnerDownAfter } = core.settings;
  if (link && now - link.heardAt > contactTimeout) closeLink(turn);
  endWaiting(turn);
  // Where the disk was full when the link was lost.
  if (!turn.link && turn.core.state === "conflict") holdAlone(turn);
  for (const row of turn.ledger.dueAt(now, MAX_ENDED, (each) => mayEnd(turn.core, each, now)))
    expire(turn, row);
  endSecond(turn);
  if (turn.core.state === "normal") {
    agreeUponPlan(turn);
    shareAddresses(turn);
  }
  beat(turn, replay);
  const isAlone = !isPeerThere(turn.core) && (core.state === "interrupted" || core.state === "startup");
  const sinceSign = now - Math.max(turn.core.lostAt, turn.core.signAt, turn.core.resumedAt);
  const isTime = partnerDownAfter > 0 && sinceSign >= partnerDownAfter;
  if (isAlone && isTime && refusalToTakeOver(turn.core) === undefined) {
    closeLink(turn);
    takeOverNow(turn, turn.durable.epoch + 1);
  }
  if (now - core.keptAt >= KEEP_SECONDS && isBehind(core)) turn.keep({});
}

/** What a peer without memory may have told has ended. */
function endWaiting(turn: Turn): void {
  const { lost, takeover, ownership } = turn.durable;
  if (!lost || turn.now < lost.until) return;
  turn.keep({ lost: null });
  if (!takeover) turn.keep({ ownership: withoutWaiting(ownership) });
}

const isBehind = ({ durable, certainContactAt, ackedSeq }: Core) =>
  durable.contactAt !== certainContactAt || durable.ackedSeq !== ackedSeq;

function beat(turn: Turn, replay: number): void {
  const { link, core, durable, now } = turn;
  if (!link) return;
  turn.sendAfterCommit.push({
    type: "beat",
    clock: now,
    echo: link.peerClock,
    state: core.state,
    serving: core.serving,
    drained: isDrained(turn),
    lastSeq: durable.lastSeq,
    plan: core.plan.hash,
    prepared: isPrepared(durable.plan, core.plan) && !isPlanAwaited(core, now),
    since: durable.since,
    service: core.plan.service ?? "",
    replay,
  });
}

/** Both have everything of each other that there was when they met. */
function becomeNormal(turn: Turn): void {
  const { link, core, durable } = turn;
  const { peerBeat } = link ?? {};
  if (!BEFORE_NORMAL.has(core.state) || !isDrained(turn) || !peerBeat?.drained) return;
  const isReady = core.state === "recover" ? false : BEFORE_NORMAL.has(peerBeat.state);
  // Who recovers goes last: until the peer has kept that it is back, the peer may give what is this node's.
  if (peerBeat.state !== "normal" && !isReady) return;
  const { role, lead } = core.settings;
  // Everything the peer did is known, unless the peer itself does not know it.
  if (durable.takeover && !durable.lost) turn.keep({ ownership: ownedBy(role) });
  if (durable.takeover) turn.change({ takenUpTo: durable.lastSeq });
  turn.keep({ takeover: null });
  turn.keep({ agreed: durable.epoch, lead: { ...durable.lead, told: lead } });
  turn.enter("normal");
}

const BEFORE_NORMAL: ReadonlySet<string> = new Set(["resync", "partner_down", "recover"]);

/** The primary has all that the secondary did while both had taken over. */
function leaveConflict(turn: Turn): void {
  const { core, link, durable } = turn;
  if (core.state !== "conflict" || !link?.isOpen || !link.theirs) return;
  if (durable.appliedSeq < link.theirs.lastSeq) return;
  arm(turn);
  turn.enter("partner_down");
}

/**
 * Maintenance: once the peer has everything, it may take over without waiting. It is told again on the next connection if
 * it has not: that message may have been lost.
 */
function handOver(turn: Turn): void {
  const { core, durable, link } = turn;
  if (core.state !== "maintenance" || !link?.isOpen || link.isHandedOver) return;
  if (core.ackedSeq !== durable.lastSeq || link.acks.length > 0) return;
  if (link.peerBeat?.state === "maintenance") return;
  if (!durable.handedOver) turn.keep({ handedOver: true });
  turn.changeLink({ isHandedOver: true });
  turn.sendAfterCommit.push({ type: "handover", lastSeq: durable.lastSeq });
}
