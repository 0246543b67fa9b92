import { FOREVER, STATE } from "../leases/binding.ts";
import { goOn, put } from "./changes.ts";
import { closeLink } from "./meeting.ts";
import { merge } from "./merge.ts";
import type { Message, SentRow } from "./messages.ts";
import { type AddressRange, acknowledge, give } from "./ownership.ts";
import { knownOf } from "./rights.ts";
import type { Row } from "./row.ts";
import type { Turn } from "./turn.ts";

/** Changes of the peer. */
export function receiveUpdate(turn: Turn, update: Extract<Message, { type: "update" }>): void {
  turn.keep({ appliedSeq: Math.max(turn.durable.appliedSeq, update.upTo) });
  for (const row of update.rows) receiveRow(turn, row);
  if (update.given.length > 0) take(turn, update.given);
  turn.owesAck = true;
}

/** Everything the peer has, for a node that lost its memory. */
export function receivePage(turn: Turn, { rows, isFirst }: Extract<Message, { type: "page" }>): void {
  if (isFirst) turn.clear();
  for (const row of rows) turn.put(asReceived(turn, row));
}

export function receivePageEnd(turn: Turn, { upTo }: Extract<Message, { type: "page_end" }>): void {
  turn.keep({ appliedSeq: upTo });
  turn.owesAck = true;
}

function take(turn: Turn, ranges: readonly AddressRange[]): void {
  const owner = turn.core.settings.role;
  turn.keep({ ownership: give(turn.durable.ownership, ranges, { owner, usableFrom: 0, seq: 0 }) });
}

function asReceived(turn: Turn, row: SentRow): Row {
  const { address, client, state, server, promise, details } = row;
  const end = endHere(turn, row);
  return { address, client, state, server, end, promise, known: 0, seq: 0, base: 0, details };
}

/**
 * Where one of the clocks is wrong, a lease runs here as long as it does for the peer: the clock that is wrong will be
 * set, and the lease must not end earlier for it.
 */
function endHere({ core }: Turn, { end }: SentRow): number {
  const { clockDifference, settings } = core;
  return end === FOREVER || Math.abs(clockDifference) <= settings.skew ? end : end - clockDifference;
}

function receiveRow(turn: Turn, row: SentRow): void {
  const before = turn.ledger.find(row.address);
  if (before && row.base < before.seq) receiveConcurrent(turn, before, row);
  else if (before && stillRuns(turn, before, row)) goOn(turn, before);
  else turn.put(asReceived(turn, row));
}

/** R5: the peer has ended a lease that by this node's clock has not ended. */
const stillRuns = ({ now }: Turn, before: Row, row: SentRow) =>
  row.state === STATE.expired &&
  before.state === STATE.bound &&
  before.client === row.client &&
  now < before.end;

/**
 * Both changed the row without knowing of each other. Each keeps what comes of it; what the holder of the epoch makes of
 * it is sent anew and is final, since the other may have seen the changes in another order.
 */
function receiveConcurrent(turn: Turn, before: Row, theirs: SentRow): void {
  const { role } = turn.core.settings;
  const { holder } = turn.durable.ownership;
  const received = asReceived(turn, theirs);
  const rows = role === "primary" ? pair(before, received) : pair(received, before);
  const reserved = turn.core.plan.reserved.get(before.address);
  const merged = merge(rows, { now: turn.now, holder, reserved });
  const known = knownAfter(turn, merged.row, before, theirs);
  const { seq, base } = before;
  if (role === holder) put(turn, { ...merged.row, known });
  // The row keeps its number: what the peer does next, it may still do without knowing of it. Where two clients have the
  // address, the holder must hear of the one that it does not know.
  else if (!merged.isConflict) turn.put({ ...merged.row, known, seq, base });
  if (merged.isConflict && role === holder) {
    const lost = merged.winner === role ? received : before;
    turn.conflicts.push({ address: before.address, kept: merged.row.client, lost: lost.client });
  }
}

/** The latest end for the row's client that the peer has on disk. */
function knownAfter({ core }: Turn, { client }: Row, before: Row, theirs: SentRow): number {
  const mine = before.client === client ? (knownOf(core, before) ?? 0) : 0;
  return Math.max(mine, theirs.client === client ? theirs.promise : 0);
}

const pair = (primary: Row, secondary: Row) => ({ primary, secondary });

/** Acknowledgements that wait for changes of the peer; beyond that a later one stands for the one before it. */
const MAX_ACKS = 1024;

export function receiveAck(turn: Turn, { n, m }: Extract<Message, { type: "ack" }>): void {
  const { link } = turn;
  if (!link) return;
  // What was never sent cannot be on the peer's disk: nothing else that it says counts either.
  if (n > link.sent) closeLink(turn);
  else turn.changeLink({ acks: [...link.acks.slice(0, MAX_ACKS - 1), { n, m }] });
}

/** R4: an acknowledgement counts once the peer's changes from before it are here. */
export function countAcknowledgements(turn: Turn): void {
  const { link, core } = turn;
  if (!link || link.acks.length === 0) return;
  const { appliedSeq, eraSeq } = turn.durable;
  const counting = link.acks.filter(({ m }) => m <= appliedSeq);
  if (counting.length === 0) return;
  turn.changeLink({ acks: link.acks.filter(({ m }) => m > appliedSeq) });
  const acked = Math.max(core.ackedSeq, ...counting.map(({ n }) => n));
  if (acked === core.ackedSeq && eraSeq === null) return;
  turn.change({ ackedSeq: acked });
  const ownership = acknowledge(turn.durable.ownership, acked);
  if (ownership !== turn.durable.ownership) turn.keep({ ownership });
  const hasAllPages = link.page === null && counting.some(({ n }) => n >= link.pageUpTo);
  if (eraSeq !== null && hasAllPages) turn.keep({ eraSeq: null });
}
