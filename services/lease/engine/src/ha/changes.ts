import { type Address, FOREVER, STATE } from "../leases/binding.ts";
import { knownOf, owns } from "./rights.ts";
import { isEnded, type Row } from "./row.ts";
import type { Turn } from "./turn.ts";

const NOTHING = new Uint8Array(0);

/** What this node has decided for an address. */
export type Change =
  | {
      readonly kind: "bind";
      readonly address: Address;
      readonly client: string;
      /** The end that the client is told: no later than `latestEnd`. */
      readonly told: number;
      /** Seconds that it would have been given without a peer; FOREVER for a lease without an end. */
      readonly wanted: number;
      readonly details?: Uint8Array;
    }
  | { readonly kind: "release"; readonly address: Address }
  | { readonly kind: "decline"; readonly address: Address; readonly until: number };

/** Makes the row of a change; it gets the next number. */
export function applyChange(turn: Turn, change: Change): void {
  const before = turn.ledger.find(change.address);
  if (change.kind === "bind") put(turn, bound(turn, change, before));
  else if (change.kind === "decline") {
    const { address, until } = change;
    const kept = before ?? { promise: 0, known: null };
    const known = before ? knownOf(turn.core, before) : null;
    const { role: server } = turn.core.settings;
    const row = { address, client: "", state: STATE.declined, server, details: NOTHING };
    put(turn, { ...row, end: until, promise: kept.promise, known });
  } else if (before) put(turn, ended(turn, before, STATE.released));
}

/** The owner ends leases and quarantines whose time is over. */
export const expire = (turn: Turn, row: Row) => put(turn, ended(turn, row, STATE.expired));

/** The peer ended a lease that still runs by this node's clock: it goes on, and the peer is told so. */
export const goOn = (turn: Turn, row: Row) => put(turn, { ...row, known: knownOf(turn.core, row) });

export function put(turn: Turn, row: Omit<Row, "seq" | "base">): void {
  turn.put({ ...row, seq: turn.nextSeq(), base: turn.durable.appliedSeq });
}

const ended = (turn: Turn, row: Row, state: typeof STATE.released | typeof STATE.expired) => ({
  ...row,
  state,
  // What had no end rests for nobody.
  end: row.end === FOREVER ? turn.now : row.end,
  known: knownOf(turn.core, row),
});

function bound(
  turn: Turn,
  { address, client, told, wanted, details = NOTHING }: Extract<Change, { kind: "bind" }>,
  before: Row | undefined,
): Omit<Row, "seq" | "base"> {
  const { core, now } = turn;
  const isSame = before?.client === client;
  const isRenewal = isSame && before.state === STATE.bound;
  // It has ended here, but the peer may still see the lease that it was.
  const isUnended = isSame && isEnded(before) && before.seq > core.ackedSeq;
  const kept = isRenewal || isUnended ? before : { end: 0, promise: 0 };
  const common = { address, client, state: STATE.bound, server: core.settings.role, details };
  return {
    ...common,
    // A shorter renewal does not shorten the end: its ACK may be lost.
    end: Math.max(kept.end, told),
    promise: promiseOf(core.durable.takeover !== null, kept.promise, now, told, wanted),
    known: isRenewal ? knownOf(core, before) : isUnended && knownOf(core, before) !== null ? 0 : fresh(),
  };

  function fresh(): number | null {
    return owns(core, address) ? null : 0;
  }
}

/**
 * The peer is promised as much as the next renewal, at half of the time that was told, will need. It never gets less for
 * one binding, since the peer's rights rest on it; and it is left alone after a takeover, when it says what the peer
 * could still tell the client.
 */
function promiseOf(hasTakenOver: boolean, kept: number, now: number, told: number, wanted: number): number {
  if (hasTakenOver) return kept;
  if (wanted === FOREVER || told === FOREVER) return FOREVER;
  return Math.min(FOREVER, Math.max(kept, now + (told - now) / 2 + wanted));
}
