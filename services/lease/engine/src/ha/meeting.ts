import { FOREVER, STATE } from "../leases/binding.ts";
import { put } from "./changes.ts";
import { measureClock } from "./clock.ts";
import { judge, refusalOf, type Verdict } from "./contact.ts";
import { type Durable, handedTo, isPeerThere } from "./core-state.ts";
import { laterOf, type Takeover } from "./kept-times.ts";
import { type Hello, MAX_ROWS } from "./messages.ts";
import { ownedBy, ownerOf, peerOf, takeOver } from "./ownership.ts";
import { NOTHING_AGREED, nothingAgreedSince, plansOfPeer } from "./plan.ts";
import { refusalBy } from "./refusal.ts";
import { isEnded, type Row } from "./row.ts";
import type { Turn } from "./turn.ts";

/** The link has been made: each node says who it is. */
export function beginLink(turn: Turn, id: number): void {
  const { now } = turn;
  turn.change({
    link: {
      id,
      upAt: now,
      heardAt: now,
      received: 0,
      mine: turn.hello,
      theirs: null,
      isOpen: false,
      isHandedOver: false,
      sent: 0,
      target: 0,
      page: null,
      pageUpTo: 0,
      acks: [],
      peerClock: null,
      peerBeat: null,
    },
  });
  turn.sayHello();
}

/** The link is gone, or is given up. */
export function loseLink(turn: Turn): void {
  const { link, now, core } = turn;
  if (!link) return;
  if (link.isOpen) turn.keep({ sentSeq: link.sent });
  turn.change({ link: null, lostAt: isPeerThere(core) ? now : core.lostAt, clockDifference: 0 });
  if (core.state === "normal" || core.state === "resync") turn.enter("interrupted");
  if (core.state === "conflict") holdAlone(turn);
}

/** The conflict is not resolved, and there is nobody to resolve it with. */
export function holdAlone(turn: Turn): void {
  turn.enter("partner_down");
  arm(turn);
}

export function closeLink(turn: Turn): void {
  turn.closes ||= turn.link !== null;
  loseLink(turn);
}

/** R7: from now on, what was the peer's is waited for as if it had stopped only now. */
export function arm(turn: Turn, takeover: Takeover = { at: turn.now, clean: false }): void {
  const { settings, durable } = turn.core;
  const wait = takeover.clean ? 0 : durable.lead.awaited + settings.skew;
  turn.keep({ takeover, ownership: takeOver(durable.ownership, settings.role, takeover.at + wait) });
}

/** A node that was receiving everything: leases that it held itself run on, as far as the peer has not sent what became of them. */
export function takeBack(turn: Turn): void {
  const { state, settings } = turn.core;
  if (state !== "recover") return;
  for (const row of turn.ledger.takeBack()) put(turn, { ...row, server: settings.role });
}

/** This node owns everything. */
export function takeOverNow(turn: Turn, epoch: number, takeover?: Takeover): void {
  turn.keep({ epoch, handedOver: false });
  arm(turn, takeover);
  turn.enter("partner_down");
}

export function receiveHello(turn: Turn, theirs: Hello): void {
  const { core, hello: mine, now } = turn;
  const reason = refusalOf(mine, theirs);
  if (reason) {
    turn.send.push({ type: "refuse", reason });
    turn.change({ refusal: refusalBy(reason, mine, theirs, now) });
    closeLink(turn);
    return;
  }
  turn.change({ refusal: null });
  const verdict = judge(mine, theirs);
  // What the peer does not have yet is sent to it; all else waits until this node serves again.
  if (core.state === "maintenance" && verdict !== "resync") return;
  // Both made the link at about the same time; how long the hello took is not known.
  if (turn.link && !turn.link.theirs) measureClock(turn, theirs.clock - turn.link.upAt, false);
  turn.changeLink({ theirs, isOpen: false, peerBeat: null });
  MEETINGS[verdict](turn, theirs);
}

const MEETINGS: Record<Verdict, (turn: Turn, theirs: Hello) => void> = {
  resync: (turn, theirs) => {
    if (turn.core.state !== "maintenance") {
      turn.keep({ handedOver: false });
      turn.enter("resync");
    }
    open(turn, theirs);
  },
  follow: (turn, theirs) => {
    restoreNoMore(turn, theirs);
    turn.keep(followed(theirs));
    turn.enter("recover");
    turn.sayHello();
    open(turn, theirs);
  },
  hold: (turn, theirs) => {
    arm(turn);
    if (turn.core.state !== "conflict") turn.enter("partner_down");
    open(turn, theirs);
  },
  resolve: (turn, theirs) => {
    const { epoch } = turn.durable;
    restoreNoMore(turn, theirs);
    if (epoch <= theirs.epoch) turn.keep({ epoch: theirs.epoch + 1 });
    arm(turn);
    turn.enter("conflict");
    turn.sayHello();
  },
  restore: (turn, theirs) => {
    takeBack(turn);
    // A peer that had stopped before a takeover, and was not met since, has told nobody anything after it.
    takeOverNow(turn, Math.max(turn.durable.epoch, theirs.epoch) + 1, turn.durable.takeover ?? undefined);
    // A first peer has told nobody anything.
    if (turn.durable.peerStore !== null) awaitForgotten(turn);
    const { lost, lastSeq, plan } = turn.durable;
    turn.keep({
      peerStore: theirs.store,
      eraSeq: lastSeq,
      plan: lost ? nothingAgreedSince(plan) : NOTHING_AGREED,
    });
    turn.sayHello();
  },
  forget: (turn, theirs) => {
    // Numbers that the peer has seen are not used again.
    const lastSeq = Math.max(turn.durable.lastSeq, theirs.appliedSeq);
    turn.clear();
    turn.keep({ ...followed(theirs), lastSeq, appliedSeq: 0, eraSeq: null, plan: NOTHING_AGREED });
    turn.change({ ackedSeq: theirs.appliedSeq });
    turn.enter("recover");
    turn.sayHello();
    open(turn, theirs);
  },
  wait: (turn, { state }) => {
    const { takeover } = turn.durable;
    // It has handed everything over, and gives nothing until it is told to.
    if (takeover?.clean && state === "maintenance") return;
    // What was gained is left alone as soon as it is seen that the peer is there.
    if (takeover) arm(turn);
  },
};

/**
 * What the peer told clients and nobody knows any more is waited for, also when both are in `normal` again. Leases that
 * ended here, as far as the peer was not certain to know it, go on so long.
 */
function awaitForgotten(turn: Turn): void {
  const { now, core, ledger } = turn;
  const { lead, behind, takeover } = core.durable;
  const { skew } = core.settings;
  // What was handed over is known.
  if (!takeover || takeover.clean) return;
  const isUnknown = ({ known, seq }: Row) => known === null && seq > handedTo(core);
  const peer = peerOf(core.settings.role);
  // What may have been told without an end is waited for without one.
  for (const row of ledger.promisedForEver())
    if (!isUnknown(row)) put(turn, { ...row, server: peer, end: FOREVER });
  const { at } = takeover;
  const toldUntil = (promise: number) =>
    promise === FOREVER ? FOREVER : Math.max(promise + behind, at) + lead.awaited;
  const until = toldUntil(ledger.latestPromise()) + skew;
  if (until > now) turn.keep({ lost: laterOf({ at, until, behind }, core.durable.lost) });
  for (const row of ledger.changedAfter(core.ackedSeq, Number.POSITIVE_INFINITY)) {
    if (!isEnded(row) || isUnknown(row)) continue;
    if (toldUntil(row.promise) + skew <= now) continue;
    const end = Math.max(row.end, toldUntil(row.promise));
    const client = mayBeOthers(turn, row) ? "" : row.client;
    put(turn, { ...row, client, state: client === "" ? STATE.declined : STATE.bound, server: peer, end });
  }
}

/**
 * Whether the peer may have given an address to another client, having heard that the lease ended here: one that was the
 * peer's, or is reserved for another.
 */
function mayBeOthers({ core, durable }: Turn, { address, client, seq }: Row): boolean {
  if (seq > handedTo(core)) return false;
  const reserved = [core.plan, ...plansOfPeer(durable.plan)].map((plan) => plan.reserved.get(address));
  return (
    ownerOf(durable.ownership, address).usableFrom > 0 ||
    reserved.some((each) => each !== undefined && each !== client)
  );
}

/**
 * The peer was to get everything anew, and has taken over meanwhile (`partner-down --force`): what it gave since must not
 * be forgotten. Instead of pages it is sent each row as a change, and both make of that what they do after two takeovers.
 */
function restoreNoMore(turn: Turn, theirs: Hello): void {
  if (turn.durable.eraSeq === null) return;
  // All are read before the first is put: each page would otherwise look through what was put before it.
  const rows: Row[] = [];
  for (let page = turn.ledger.pageAfter(undefined, MAX_ROWS); page.length > 0; ) {
    for (const row of page) rows.push(row);
    page = turn.ledger.pageAfter(page.at(-1)?.address, MAX_ROWS);
  }
  for (const row of rows) put(turn, { ...row, known: 0 });
  turn.keep({ eraSeq: null });
  turn.change({ ackedSeq: theirs.appliedSeq });
}

const followed = ({ epoch, holder, store }: Hello): Partial<Durable> => ({
  epoch,
  agreed: epoch,
  ownership: ownedBy(holder),
  takeover: null,
  lost: null,
  handedOver: false,
  peerStore: store,
});

/**
 * Both are of one epoch: changes are exchanged, from where the peer's disk is. That is no contact yet: the hello may have
 * waited while this node stood still, and the peer may have taken over since. A beat that echoes one of this node is.
 */
function open(turn: Turn, theirs: Hello): void {
  const { durable, link } = turn;
  if (!link) return;
  turn.keep({
    sentSeq: null,
    peerServers: theirs.servers,
    lead: { ...durable.lead, awaited: Math.max(durable.lead.awaited, theirs.lead) },
  });
  turn.change({ trustsItself: false });
  turn.changeLink({
    isOpen: true,
    sent: theirs.appliedSeq,
    target: durable.lastSeq,
    page: durable.eraSeq === null ? null : undefined,
    pageUpTo: durable.lastSeq,
    acks: durable.eraSeq === null ? [{ n: theirs.appliedSeq, m: theirs.lastSeq }] : [],
  });
}
