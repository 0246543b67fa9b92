/** A mistake to plant: in each file, the text at its one place and what stands there instead. */
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
    2,
    "what was sent to the peer counts as known before it is acknowledged",
    "rights.ts",
    "if (row.seq <= core.ackedSeq) return row.promise;",
    "if (row.seq <= handedTo(core)) return row.promise;",
  ),
  one(
    22,
    "a lease that has ended is freed without the peer",
    "rights.ts",
    "  if (row.seq <= core.ackedSeq) return true;",
    "  if (owns(core, row.address)) return true;",
  ),
  one(
    1196,
    "an acknowledgement counts before the peer's changes from before it are here",
    "receiving.ts",
    "link.acks.filter(({ m }) => m <= appliedSeq);",
    "link.acks;",
  ),
  {
    seed: 220,
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
    seed: 162,
    mistake: "after a takeover nobody waits for the lead",
    edits: [
      {
        file: "rights.ts",
        find: "const wait = lead.awaited + settings.skew;",
        replace: "const wait = settings.skew + 0 * lead.awaited;",
      },
      {
        file: "meeting.ts",
        find: "durable.lead.awaited + settings.skew;",
        replace: "settings.skew;",
      },
    ],
  },
  {
    seed: 111,
    mistake: "after a takeover nobody waits for the skew",
    edits: [
      {
        file: "rights.ts",
        find: "const wait = lead.awaited + settings.skew;",
        replace: "const wait = lead.awaited;",
      },
      { file: "meeting.ts", find: "durable.lead.awaited + settings.skew;", replace: "durable.lead.awaited;" },
      { file: "rights.ts", find: "now >= Math.max(row.end + skew,", replace: "now >= Math.max(row.end," },
    ],
  },
  one(
    66,
    "a node that was started tells clients as much as one with contact",
    "rights.ts",
    "return core.contactAt >= core.resumedAt || core.trustsItself;",
    "return true;",
  ),
  {
    seed: 66,
    mistake: "a pause is not noticed",
    edits: [
      {
        file: "rights.ts",
        find: "if (gap < 0 || gap > core.settings.contactTimeout) return false;",
        replace: "",
      },
      {
        file: "core.ts",
        find: "  if (gap >= 0 && longest <= core.settings.contactTimeout) return;",
        replace: "  if (gap >= 0) return;",
      },
    ],
  },
  one(
    74,
    "a pause is not noticed by the engine's time where the wall clock is set back meanwhile",
    "core.ts",
    "const longest = Math.max(gap, passed);",
    "const longest = gap + 0 * passed;",
  ),
  one(
    1,
    "addresses are lent before that is on disk",
    "sending.ts",
    '  turn.sendAfterCommit.push({\n    type: "update",',
    '  turn.send.push({\n    type: "update",',
  ),
  {
    seed: 4,
    mistake: "addresses are lent that someone has",
    edits: [
      {
        file: "giving.ts",
        find: "of turn.ledger.freeFromEnd(part)) {",
        replace: "of new Set([part.last, ...turn.ledger.freeFromEnd(part)])) {",
      },
      {
        file: "giving.ts",
        find: "if (row && !(isEnded(row) && row.seq <= ackedSeq)) continue;",
        replace: "void isEnded; if (row && row.seq > ackedSeq) continue;",
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
    66,
    "an ended lease beats one that was renewed",
    "merge.ts",
    "row.state === STATE.declined ? 2 : isEnded(row) ? 0 : 1",
    "row.state === STATE.declined ? 2 : isEnded(row) ? 1 : 0",
  ),
  one(
    4,
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
    4,
    "what could not be written is kept in memory",
    "pair.ts",
    "      this.#fail(input.now);\n      return undefined;",
    "      void this.#fail;",
  ),
  one(
    1901,
    "an address that the peer may see otherwise is given to whom it is reserved for here",
    "plan.ts",
    "  return others.some((other) => other.hash",
    "  return others.some((other) => !plan.reserved.has(address) && other.hash",
  ),
  one(92, "a shorter renewal shortens the end", "changes.ts", "end: Math.max(kept.end, told),", "end: told,"),
  one(
    111,
    "a quarantine ends while a client that the other node served may use the address",
    "merge.ts",
    "if (!isSame && !loserRuns) return",
    "if (!isSame && (!loserRuns || row.state === STATE.declined)) return",
  ),
  {
    seed: 225,
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
    15,
    "the pair counts in the engine's time, which no clock corrects",
    "pair-time.ts",
    "  at(wall: number, engine: number): PairMoment {",
    "  at(_: number, engine: number): PairMoment {\n    const wall = engine;",
  ),
  one(
    15,
    "leases of a pair end by the wall clock",
    "pair-time.ts",
    "return { now: this.#now, engine, shift: this.#shift };",
    "return { now: this.#now, engine, shift: 0 };",
  ),
  one(
    1,
    "the end of a lease is taken from a peer whose clock is wrong as it is",
    "receiving.ts",
    "Math.abs(clockDifference) <= settings.skew ? end : end - clockDifference",
    "Math.abs(clockDifference) <= settings.skew ? end : end",
  ),
  one(
    316,
    "the clock of a peer that was behind is not reckoned with once it is gone",
    "clock.ts",
    "differs ? Math.ceil(ROUNDED_SECONDS - clockDifference) : 0;",
    "differs ? 0 : 0;",
  ),
  {
    seed: 1262,
    mistake: "what is waited for of a peer without memory stays where it was when the clock is set back",
    edits: [
      { file: "kept-times.ts", find: "lost: lost && movedBy(lost, by),", replace: "lost," },
      {
        file: "kept-times.ts",
        find: "lost: lost && lost.at > now ? movedBy(lost, now - lost.at) : lost,",
        replace: "lost,",
      },
    ],
  },
  one(
    1942,
    "contact by a clock that was ahead counts once that is set",
    "core.ts",
    "  if (Math.abs(turn.core.clockDifference) > core.settings.skew) return;\n",
    "",
  ),
  one(
    7,
    "what the holder makes of two changes is not sent",
    "receiving.ts",
    "if (role === holder) put(turn, { ...merged.row, known });",
    "if (role === holder) turn.put({ ...merged.row, known, seq, base });",
  ),
];

/** Each is caught by whole engines of its family, by its seed or within 300. */
export const ENGINE_MUTANTS: ReadonlyArray<Mutant & { readonly engines: 4 | 6 }> = [
  {
    engines: 4,
    ...one(
      62,
      "whoever gives an address back is heard",
      "ha/rights.ts",
      "  row.state === STATE.bound &&\n  row.client === client &&\n  row.server === core.settings.role &&\n  now - core.delayedAt > DELAYED_SECONDS;",
      "  [core, row, client, now, DELAYED_SECONDS].length > 0;",
    ),
  },
  {
    engines: 4,
    ...one(
      325,
      "the pair goes on with what could not be written",
      "loop/pair-node.ts",
      "    if (!this.#open) return;\n    this.#open = undefined;",
      "    if (!this.#open) return;\n    this.#core = this.#open.core;\n    this.#open = undefined;",
    ),
  },
  {
    engines: 4,
    ...one(
      10,
      "a node that is alone tells clients that addresses of the peer are not theirs",
      "ha/rights.ts",
      '  core.state === "normal" || owns(core, address);',
      '  core.state !== "startup" || owns(core, address);',
    ),
  },
];
