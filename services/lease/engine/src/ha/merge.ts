import { STATE } from "../leases/binding.ts";
import type { Role } from "./ownership.ts";
import { isEnded, type Row } from "./row.ts";

export interface Merged {
  /** Whose row goes on. */
  readonly winner: Role;
  readonly row: Row;
  /** Two clients have the address: a takeover was declared while the peer served. */
  readonly isConflict: boolean;
}

/** Who wins where two clients were given one address. */
export interface Precedence {
  readonly now: number;
  readonly holder: Role;
  /** The client for which the address is reserved. */
  readonly reserved: string | undefined;
}

/** What becomes of an address that both nodes changed without knowing of each other. */
export function merge(rows: Readonly<Record<Role, Row>>, precedence: Precedence): Merged {
  const winner = winnerOf(rows.primary, rows.secondary, precedence);
  const [row, loser] = winner === "primary" ? [rows.primary, rows.secondary] : [rows.secondary, rows.primary];
  const isSame = row.client === loser.client;
  const loserRuns = runs(loser, precedence);
  const isConflict = !isSame && row.state === STATE.bound && loserRuns;
  if (!isSame && !loserRuns) return { winner, row, isConflict };
  // One client keeps the later times. While another may still use the address, nobody else gets it.
  const later = { end: Math.max(row.end, loser.end), promise: Math.max(row.promise, loser.promise) };
  return { winner, row: { ...row, ...later }, isConflict };
}

function winnerOf(primary: Row, secondary: Row, precedence: Precedence): Role {
  const rank = rankOf(primary) - rankOf(secondary);
  if (rank !== 0) return rank > 0 ? "primary" : "secondary";
  if (primary.state === STATE.bound && primary.client !== secondary.client) {
    return winnerOfClients(primary, secondary, precedence);
  }
  return secondary.end > primary.end ? "secondary" : "primary";
}

/** Declined beats bound, bound beats ended. */
const rankOf = (row: Row) => (row.state === STATE.declined ? 2 : isEnded(row) ? 0 : 1);

/** A lease whose time is over beats none; the reserved client beats another, and so does the holder's. */
function winnerOfClients(primary: Row, secondary: Row, precedence: Precedence): Role {
  const { holder, reserved } = precedence;
  const runsFirst = runs(primary, precedence);
  if (runsFirst !== runs(secondary, precedence)) return runsFirst ? "primary" : "secondary";
  if (primary.client === reserved) return "primary";
  return secondary.client === reserved ? "secondary" : holder;
}

const runs = ({ state, end }: Row, { now }: Precedence) => state === STATE.bound && end > now;
