import { agreeUponPlan } from "./agreement.ts";
import { applyChange, type Change, expire } from "./changes.ts";
import type { Core } from "./core-state.ts";
import { giveExcess, giveWanted, wantAddresses } from "./giving.ts";
import type { Ledger } from "./ledger.ts";
import { arm, beginLink, closeLink, holdAlone, loseLink, receiveHello, takeOverNow } from "./meeting.ts";
import type { Message } from "./messages.ts";
import { ownedBy, withoutWaiting } from "./ownership.ts";
import { isPrepared, type Plan } from "./plan.ts";
import { countAcknowledgements, receivePage, receivePageEnd, receiveUpdate } from "./receiving.ts";
import { mayEnd } from "./rights.ts";
import { acknowledgeReceived, isDrained, sendChanges } from "./sending.ts";
import { type Outcome, Turn } from "./turn.ts";

/** Leases that one turn ends. */
const MAX_ENDED = 1000;
/** Something happens at least once a second: after a longer gap, messages may have waited in the socket. */
const MAX_GAP_SECONDS = 1.5;
/** Contact and acknowledgements are written at least so often. */
const KEEP_SECONDS = 10;
/** A beat that took longer says too little of the difference between the clocks. */
const MAX_ROUND_TRIP = 1;

export type Command =
  | { readonly name: "partner-down"; readonly stoppedAt?: number; readonly force?: boolean }
  | { readonly name: "maintenance" }
  | { readonly name: "resume"; readonly alone?: boolean };

/** What happens to a node. `now` is seconds of its clock, which never goes backward while it runs. */
export type Input = { readonly now: number } & (
  | { readonly kind: "link"; readonly id: number; readonly isUp: boolean }
  | { readonly kind: "message"; readonly link: number; readonly counter: number; readonly message: Message }
  | { readonly kind: "tick" }
  | { readonly kind: "change"; readonly changes: readonly Change[] }
  | { readonly kind: "commit failed" }
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "refused a client" }
  | { readonly kind: "serving"; readonly serving: boolean }
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
  noticePause(turn);
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
      tick(turn);
      return;
    case "change":
      for (const change of input.changes) applyChange(turn, change);
      return;
    case "commit failed":
      forgetLink(turn);
      return;
    case "plan":
      turn.change({ plan: input.plan });
      return;
    case "refused a client":
      turn.change({ refused: true });
      return;
    case "serving":
      turn.change({ serving: input.serving });
      return;
    case "sign of life":
      turn.change({ signAt: input.now });
      return;
    case "command":
      turn.refusal = obey(turn, input.command);
  }
}

/** R8: the process stood still, and the peer may have taken over meanwhile. */
function noticePause(turn: Turn): void {
  const { core, now } = turn;
  if (now - core.aliveAt > MAX_GAP_SECONDS) turn.change({ delayedAt: now });
  if (now - core.aliveAt <= core.settings.contactTimeout) return;
  turn.change({ resumedAt: now, trustsItself: false });
  closeLink(turn);
}

/** A message may have been lost with the commit: the link begins anew from what is on disk. Nothing can be written. */
function forgetLink(turn: Turn): void {
  const { core } = turn;
  turn.closes = core.link !== null;
  turn.change({ link: null, lostAt: turn.now });
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
  else if (message.type === "refuse" || message.type === "bye") closeLink(turn);
  else if (message.type === "beat") receiveBeat(turn, message);
  else if (link.isOpen && !turn.durable.handedOver) receiveOpen(turn, message);
}

/** Messages that only nodes of one epoch exchange. */
function receiveOpen(turn: Turn, message: Message): void {
  const { link, durable } = turn;
  if (message.type === "update") receiveUpdate(turn, message);
  else if (message.type === "page") receivePage(turn, message);
  else if (message.type === "page_end") receivePageEnd(turn, message);
  else if (message.type === "ack") turn.changeLink({ acks: [...(link?.acks ?? []), message] });
  else if (message.type === "want") giveWanted(turn, message);
  else if (message.type === "handover" && durable.appliedSeq >= message.lastSeq) {
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
  const roundTrip = now - beat.echo;
  if (roundTrip <= MAX_ROUND_TRIP) turn.change({ clockDifference: beat.clock - (now - roundTrip / 2) });
}

function tick(turn: Turn): void {
  const { core, now, link } = turn;
  const { contactTimeout, partnerDownAfter } = core.settings;
  if (link && now - link.heardAt > contactTimeout) closeLink(turn);
  endWaiting(turn);
  // Where the disk was full when the link was lost.
  if (!turn.link && turn.core.state === "conflict") holdAlone(turn);
  for (const row of turn.ledger.dueAt(now, MAX_ENDED)) if (mayEnd(turn.core, row, now)) expire(turn, row);
  if (turn.core.state === "normal") {
    agreeUponPlan(turn);
    giveExcess(turn);
    wantAddresses(turn);
  }
  beat(turn);
  const isAlone = !turn.link && (core.state === "interrupted" || core.state === "startup");
  const sinceSign = now - Math.max(turn.core.lostAt, turn.core.signAt);
  const isTime = partnerDownAfter > 0 && sinceSign >= partnerDownAfter;
  if (isAlone && isTime && refusalToTakeOver(turn.core) === undefined) {
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

const isBehind = ({ durable, contactAt, ackedSeq }: Core) =>
  durable.contactAt !== contactAt || durable.ackedSeq !== ackedSeq;

function beat(turn: Turn): void {
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
    prepared: isPrepared(durable.plan, core.plan),
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

/** Maintenance: once the peer has everything, it may take over without waiting. */
function handOver(turn: Turn): void {
  const { core, durable, link } = turn;
  if (core.state !== "maintenance" || durable.handedOver || !link?.isOpen) return;
  if (core.ackedSeq !== durable.lastSeq || link.acks.length > 0) return;
  turn.keep({ handedOver: true });
  turn.sendAfterCommit.push({ type: "handover", lastSeq: durable.lastSeq });
}

function obey(turn: Turn, command: Command): string | undefined {
  const { core, durable, link, now } = turn;
  if (command.name === "maintenance") {
    if (core.state !== "normal") return "the pair is not in normal operation";
    turn.enter("maintenance");
    return undefined;
  }
  if (command.name === "resume") {
    if (core.state !== "maintenance" && !command.alone) return "the node is not in maintenance";
    if (core.state === "maintenance") turn.enter("startup");
    turn.change({ resumedAt: now, trustsItself: command.alone ?? false });
    if (command.alone) turn.keep({ handedOver: false });
    closeLink(turn);
    return undefined;
  }
  const at = command.stoppedAt ?? now;
  if (link) return "the peer is there";
  if (core.state !== "interrupted" && core.state !== "startup") return `the node is in ${core.state}`;
  if (at > now || at < core.contactAt) return "the peer was there after that time";
  const refusal = core.signAt > at ? "a client spoke to the peer after that time" : refusalToTakeOver(core);
  if (refusal !== undefined && !command.force) return refusal;
  takeOverNow(turn, durable.epoch + 1, { at, clean: false });
  return undefined;
}

/** Why a node that is alone may not be what the pair goes on with. */
function refusalToTakeOver({ durable }: Core): string | undefined {
  if (durable.peerStore === null) return "the node has never met its peer";
  return durable.handedOver ? "the peer was handed everything" : undefined;
}
