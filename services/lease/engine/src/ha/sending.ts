import { FOREVER, STATE } from "../leases/binding.ts";
import type { Core } from "./core-state.ts";
import { MAX_RANGES, MAX_ROWS, type SentRow } from "./messages.ts";
import { givenAfter, type OwnedRange } from "./ownership.ts";
import type { Row } from "./row.ts";
import type { Turn } from "./turn.ts";

/** Beyond so many changes without an acknowledgement, more wait where they are. */
const MAX_UNACKNOWLEDGED = 32_768;

/** Hands to the link what the peer does not have yet; it leaves after the commit. */
export function sendChanges(turn: Turn): void {
  if (turn.core.isCongested) return;
  sendPage(turn);
  while (hasChanges(turn.core) && turn.core.room > 0) sendUpdate(turn);
}

/** Whether there is something that the peer does not have, and that could be sent. */
export const hasToSend = (core: Core): boolean =>
  !core.isCongested && core.link?.isOpen === true && (core.link.page !== null || hasChanges(core));

/** One page a turn. */
function sendPage(turn: Turn): void {
  const { link, core } = turn;
  if (!link?.isOpen || link.page === null || core.room <= 0) return;
  const rows = turn.ledger.pageAfter(link.page, MAX_ROWS).map((row) => promised(turn, row));
  const isFirst = link.page === undefined;
  if (isFirst || rows.length > 0) {
    turn.sendAfterCommit.push({ type: "page", rows: rows.map(sentRow), isFirst });
  }
  turn.change({ room: core.room - rows.length });
  if (rows.length === MAX_ROWS) {
    turn.changeLink({ page: rows.at(-1)?.address });
    return;
  }
  turn.sendAfterCommit.push({ type: "page_end", upTo: link.pageUpTo });
  turn.changeLink({ page: null, sent: link.pageUpTo });
}

function hasChanges({ link, durable, ackedSeq }: Core): boolean {
  if (!link?.isOpen || link.page !== null || link.sent === durable.lastSeq) return false;
  return link.sent - ackedSeq < MAX_UNACKNOWLEDGED;
}

function sendUpdate(turn: Turn): void {
  const { link, durable, ledger, core } = turn;
  if (!link) return;
  const changed = ledger.changedAfter(link.sent, MAX_ROWS);
  const given = givenAfter(durable.ownership, link.sent);
  const ends = [durable.lastSeq];
  if (changed.length === MAX_ROWS) ends.push((changed.at(-1) as Row).seq);
  if (given.length > MAX_RANGES) ends.push(lastThatFits(given));
  const upTo = Math.min(...ends);
  const rows = changed.filter(({ seq }) => seq <= upTo).map((row) => promised(turn, row));
  turn.sendAfterCommit.push({
    type: "update",
    rows: rows.map(sentRow),
    given: given.filter(({ seq }) => seq <= upTo).map(({ first, last }) => ({ first, last })),
    upTo,
  });
  turn.changeLink({ sent: upTo });
  // Ranges without a row cost as much as some rows.
  turn.change({ room: core.room - Math.max(rows.length, 1) });
}

/**
 * What was promised to the peer is left alone after a takeover, while clients are told what they want. When the peer is
 * sent such a lease, it is promised its end and as much again, which the next renewal needs at half of its time.
 */
function promised(turn: Turn, row: Row): Row {
  const { state, end, server, seq } = row;
  const isGivenHere = state === STATE.bound && server === turn.core.settings.role;
  const isOfTakeover = turn.durable.takeover !== null || seq <= turn.core.takenUpTo;
  if (!isGivenHere || !isOfTakeover) return row;
  const promise = end === FOREVER ? FOREVER : Math.min(FOREVER, Math.ceil(end + Math.max(0, end - turn.now)));
  // Of a client that was known before the takeover, the promise is about the end of its renewal.
  if (row.promise >= promise) return row;
  const raised = { ...row, promise };
  turn.put(raised);
  return raised;
}

/** The number up to which ranges fit into one message; those of the first one always do. */
function lastThatFits(given: readonly OwnedRange[]): number {
  const seqs = given.map(({ seq }) => seq).sort((a, b) => a - b);
  const [first] = seqs as [number];
  const beyond = seqs[MAX_RANGES] as number;
  return seqs.findLast((seq) => seq < beyond) ?? first;
}

/** Whether the peer has everything that there was when the link was made. */
export const isDrained = ({ link, core }: Turn): boolean =>
  link?.isOpen === true && link.page === null && core.durable.eraSeq === null && core.ackedSeq >= link.target;

/** R4: the peer's changes up to n will be on disk, and this node's have reached m. */
export function acknowledgeReceived(turn: Turn): void {
  const { appliedSeq, lastSeq } = turn.durable;
  if (turn.owesAck) turn.sendAfterCommit.push({ type: "ack", n: appliedSeq, m: lastSeq });
}

function sentRow({ address, client, state, server, end, promise, seq, base, details }: Row): SentRow {
  return { address, client, state, server, end, promise, seq, base, details };
}
