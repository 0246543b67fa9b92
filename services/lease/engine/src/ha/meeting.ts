import { STATE } from "../leases/binding.ts";
import { put } from "./changes.ts";
import { judge, refusalOf, type Verdict } from "./contact.ts";
import { type Durable, handedTo, type Takeover } from "./core-state.ts";
import type { Hello } from "./messages.ts";
import { ownedBy, takeOver } from "./ownership.ts";
import { NOTHING_AGREED } from "./plan.ts";
import { isEnded } from "./row.ts";
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
  turn.change({ link: null, lostAt: now });
  if (core.state === "normal" || core.state === "resync") turn.enter("interrupted");
  if (core.state === "conflict") holdAlone(turn);
}

/** The conflict is not resolved, and there is nobody to resolve it with. */
export function holdAlone(turn: Turn): void {
  turn.enter("partner_down");
  arm(turn);
}

export function closeLink(turn: Turn): void {
  turn.closes = turn.link !== null;
  loseLink(turn);
}

/** R7: from now on, what was the peer's is waited for as if it had stopped only now. */
export function arm(turn: Turn, takeover: Takeover = { at: turn.now, clean: false }): void {
  const { settings, durable } = turn.core;
  const wait = takeover.clean ? 0 : durable.lead.awaited + settings.skew;
  turn.keep({ takeover, ownership: takeOver(durable.ownership, settings.role, takeover.at + wait) });
}

/** This node owns everything. */
export function takeOverNow(turn: Turn, epoch: number, takeover?: Takeover): void {
  turn.keep({ epoch, handedOver: false });
  arm(turn, takeover);
  turn.enter("partner_down");
}

export function receiveHello(turn: Turn, theirs: Hello): void {
  const { core, hello: mine } = turn;
  if (core.state === "maintenance") return;
  const refusal = refusalOf(mine, theirs);
  if (refusal) {
    turn.send.push({ type: "refuse", reason: refusal });
    closeLink(turn);
    return;
  }
  turn.changeLink({ theirs, isOpen: false, peerBeat: null });
  turn.change({ clockDifference: theirs.clock - turn.now });
  MEETINGS[judge(mine, theirs)](turn, theirs);
}

const MEETINGS: Record<Verdict, (turn: Turn, theirs: Hello) => void> = {
  resync: (turn, theirs) => {
    turn.keep({ handedOver: false });
    turn.enter("resync");
    open(turn, theirs);
  },
  follow: (turn, theirs) => {
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
    if (epoch <= theirs.epoch) turn.keep({ epoch: theirs.epoch + 1 });
    arm(turn);
    turn.enter("conflict");
    turn.sayHello();
  },
  restore: (turn, theirs) => {
    takeOverNow(turn, Math.max(turn.durable.epoch, theirs.epoch) + 1);
    awaitForgotten(turn);
    turn.keep({ peerStore: theirs.store, eraSeq: turn.durable.lastSeq, plan: NOTHING_AGREED });
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
  wait: (turn) => {
    // What was gained is left alone as soon as it is seen that the peer is there.
    if (turn.durable.takeover) arm(turn);
  },
};

/**
 * What the peer told clients and nobody knows any more is waited for, also when both are in `normal` again. Leases that
 * ended here, as far as the peer was not certain to know it, go on so long.
 */
function awaitForgotten(turn: Turn): void {
  const { now, core, ledger } = turn;
  const { lead } = core.durable;
  const until = Math.max(ledger.latestPromise(), now) + lead.awaited + core.settings.skew;
  turn.keep({ lost: { at: now, until } });
  for (const row of ledger.changedAfter(core.ackedSeq, Number.POSITIVE_INFINITY)) {
    if (!isEnded(row) || (row.known === null && row.seq > handedTo(core))) continue;
    const end = Math.max(row.end, row.promise + lead.awaited, now + lead.awaited);
    put(turn, { ...row, state: row.client === "" ? STATE.declined : STATE.bound, end });
  }
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

/** Both are of one epoch: changes are exchanged, from where the peer's disk is. */
function open(turn: Turn, theirs: Hello): void {
  const { core, durable, link } = turn;
  if (!link) return;
  turn.keep({
    sentSeq: null,
    lead: { ...durable.lead, awaited: Math.max(durable.lead.awaited, theirs.lead) },
  });
  turn.change({ contactAt: Math.max(core.contactAt, link.upAt), trustsItself: false });
  turn.changeLink({
    isOpen: true,
    sent: theirs.appliedSeq,
    target: durable.lastSeq,
    page: durable.eraSeq === null ? null : undefined,
    pageUpTo: durable.lastSeq,
    acks: durable.eraSeq === null ? [{ n: theirs.appliedSeq, m: theirs.lastSeq }] : [],
  });
}
