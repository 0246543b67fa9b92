import { MAX_ROWS, type SentRow } from "./messages.ts";
import { givenAfter } from "./ownership.ts";
import type { Row } from "./row.ts";
import type { Turn } from "./turn.ts";

/** Beyond so many changes without an acknowledgement, more wait where they are. */
const MAX_UNACKNOWLEDGED = 32_768;

/** Hands to the link what the peer does not have yet; it leaves after the commit. */
export function sendChanges(turn: Turn): void {
  if (!turn.link?.isOpen) return;
  sendPage(turn);
  while (hasChanges(turn)) sendUpdate(turn);
}

/** One page a turn: in between, clients are served. */
function sendPage(turn: Turn): void {
  const { link } = turn;
  if (!link || link.page === null) return;
  const rows = turn.ledger.pageAfter(link.page, MAX_ROWS);
  const isFirst = link.page === undefined;
  if (isFirst || rows.length > 0) {
    turn.sendAfterCommit.push({ type: "page", rows: rows.map(sentRow), isFirst });
  }
  if (rows.length === MAX_ROWS) {
    turn.changeLink({ page: rows.at(-1)?.address });
    return;
  }
  turn.sendAfterCommit.push({ type: "page_end", upTo: link.pageUpTo });
  turn.changeLink({ page: null, sent: link.pageUpTo });
}

function hasChanges({ link, durable, core }: Turn): boolean {
  if (!link || link.page !== null || link.sent === durable.lastSeq) return false;
  return link.sent - core.ackedSeq < MAX_UNACKNOWLEDGED;
}

function sendUpdate(turn: Turn): void {
  const { link, durable, ledger } = turn;
  if (!link) return;
  const rows = ledger.changedAfter(link.sent, MAX_ROWS);
  const upTo = rows.length === MAX_ROWS ? (rows.at(-1) as Row).seq : durable.lastSeq;
  const given = givenAfter(durable.ownership, link.sent).filter(({ seq }) => seq <= upTo);
  turn.sendAfterCommit.push({
    type: "update",
    rows: rows.map(sentRow),
    given: given.map(({ first, last }) => ({ first, last })),
    upTo,
  });
  turn.changeLink({ sent: upTo });
}

/** Whether the peer has everything that there was when the link was made. */
export const isDrained = ({ link, core }: Turn): boolean =>
  link?.isOpen === true && link.page === null && core.durable.eraSeq === null && core.ackedSeq >= link.target;

/** R4: the peer's changes up to n will be on disk, and this node's have reached m. */
export function acknowledgeReceived(turn: Turn): void {
  const { appliedSeq, lastSeq } = turn.durable;
  if (turn.owesAck) turn.sendAfterCommit.push({ type: "ack", n: appliedSeq, m: lastSeq });
}

const sentRow = ({ known: _, ...row }: Row): SentRow => row;
