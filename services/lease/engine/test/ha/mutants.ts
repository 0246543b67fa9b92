/** A mistake to plant in the room `ha`: in each file, the text at its one place and what stands there instead. */
export interface Mutant {
  readonly mistake: string;
  /** The seed that caught it last: it is tried first. */
  readonly seed: number;
  readonly edits: ReadonlyArray<{ readonly file: string; readonly find: string; readonly replace: string }>;
}

const one = (seed: number, mistake: string, file: string, find: string, replace: string): Mutant => ({
  seed,
  mistake,
  edits: [{ file, find, replace }],
});

/** Each is caught by the simulator within 2,000 seeds. */
export const MUTANTS: readonly Mutant[] = [
  one(
    1,
    "a client is told all that it wants",
    "rights.ts",
    "  return Math.max(known, base) + lead.told;",
    "  return FOREVER;",
  ),
  one(
    8,
    "what was sent to the peer counts as known before it is acknowledged",
    "rights.ts",
    "if (row.seq <= core.ackedSeq) return row.promise;",
    "if (row.seq <= handedTo(core)) return row.promise;",
  ),
  one(
    2,
    "a lease that has ended is freed without the peer",
    "rights.ts",
    "  if (row.seq <= core.ackedSeq) return true;",
    "  if (owns(core, row.address)) return true;",
  ),
  one(
    396,
    "an acknowledgement counts before the peer's changes from before it are here",
    "receiving.ts",
    "link.acks.filter(({ m }) => m <= appliedSeq);",
    "link.acks;",
  ),
  {
    seed: 724,
    mistake: "a binding that was handed to the link is freed without the peer",
    edits: [
      {
        file: "rights.ts",
        find: "row.known === null && row.seq > handedTo(core) && owns",
        replace: "row.known === null && owns",
      },
      {
        file: "rights.ts",
        find: "if (row.known === null) return row.seq <= handedTo(core) ? 0 : null;",
        replace: "void handedTo;",
      },
    ],
  },
  {
    seed: 285,
    mistake: "after a takeover nobody waits for the lead",
    edits: [
      {
        file: "rights.ts",
        find: "since) + lead.awaited + settings.skew;",
        replace: "since) + settings.skew + 0 * lead.awaited;",
      },
      {
        file: "meeting.ts",
        find: "durable.lead.awaited + settings.skew;",
        replace: "settings.skew;",
      },
    ],
  },
  {
    seed: 692,
    mistake: "after a takeover nobody waits for the skew",
    edits: [
      {
        file: "rights.ts",
        find: "since) + lead.awaited + settings.skew;",
        replace: "since) + lead.awaited;",
      },
      { file: "meeting.ts", find: "durable.lead.awaited + settings.skew;", replace: "durable.lead.awaited;" },
      { file: "rights.ts", find: "now >= Math.max(row.end + skew,", replace: "now >= Math.max(row.end," },
    ],
  },
  one(
    236,
    "a node that was started tells clients as much as one with contact",
    "rights.ts",
    "return core.contactAt >= core.resumedAt || core.trustsItself;",
    "return true;",
  ),
  {
    seed: 400,
    mistake: "a pause is not noticed",
    edits: [
      {
        file: "rights.ts",
        find: "if (now - core.aliveAt > core.settings.contactTimeout) return false;",
        replace: "",
      },
      {
        file: "core.ts",
        find: "  if (now - core.aliveAt <= core.settings.contactTimeout) return;",
        replace: "  if (now >= core.aliveAt) return;",
      },
    ],
  },
  one(
    1,
    "addresses are lent before that is on disk",
    "sending.ts",
    '  turn.sendAfterCommit.push({\n    type: "update",',
    '  turn.send.push({\n    type: "update",',
  ),
  {
    seed: 1,
    mistake: "addresses are lent that someone has",
    edits: [
      {
        file: "giving.ts",
        find: "of turn.ledger.freeIn(pool)) {",
        replace: "of new Set([pool.last, ...turn.ledger.freeIn(pool)])) {",
      },
      {
        file: "giving.ts",
        find: "const isFree = !row || (isEnded(row) && row.seq <= ackedSeq);",
        replace: "const isFree = !row || row.seq <= ackedSeq;",
      },
    ],
  },
  one(
    1,
    "changes are acknowledged before they are on disk",
    "sending.ts",
    "if (turn.owesAck) turn.sendAfterCommit.push(",
    "if (turn.owesAck) turn.send.push(",
  ),
  one(
    19,
    "an ended lease beats one that was renewed",
    "merge.ts",
    "row.state === STATE.declined ? 2 : isEnded(row) ? 0 : 1",
    "row.state === STATE.declined ? 2 : isEnded(row) ? 1 : 0",
  ),
  one(
    2,
    "epochs are not looked at",
    "contact.ts",
    "const hasTakenOver = ({ epoch, agreed }: Hello) => epoch !== agreed;",
    "const hasTakenOver = ({ epoch }: Hello) => epoch < 0;",
  ),
  one(
    2,
    "a node with another store goes on as if it had everything",
    "contact.ts",
    "  if (theyLost && (!iLost || isPrimary)) return",
    "  if (theyLost && iLost && isPrimary) return",
  ),
  one(
    3,
    "what could not be written is kept in memory",
    "pair.ts",
    "      this.#fail(input.now);\n      return undefined;",
    "      void this.#fail;",
  ),
  one(
    85,
    "an address that the peer may see otherwise is given to whom it is reserved for here",
    "plan.ts",
    "  return others.some((other) => other.hash",
    "  return others.some((other) => !plan.reserved.has(address) && other.hash",
  ),
  one(40, "a shorter renewal shortens the end", "changes.ts", "end: Math.max(kept.end, told),", "end: told,"),
  one(
    37,
    "a quarantine ends while a client that the other node served may use the address",
    "merge.ts",
    "if (!isSame && !loserRuns) return",
    "if (!isSame && (!loserRuns || row.state === STATE.declined)) return",
  ),
  {
    seed: 538,
    mistake: "what a peer without memory may have told is not waited for once it is back",
    edits: [
      { file: "core.ts", find: "if (durable.takeover && !durable.lost)", replace: "if (durable.takeover)" },
      {
        file: "core.ts",
        find: "turn.keep({ takeover: null });",
        replace: "turn.keep({ takeover: null, lost: null });",
      },
    ],
  },
  one(
    372,
    "what the holder makes of two changes is not sent",
    "receiving.ts",
    "if (role === holder) put(turn, { ...merged.row, known });",
    "if (role === holder) turn.put({ ...merged.row, known, seq, base });",
  ),
];
