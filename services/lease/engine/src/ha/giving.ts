import type { Address } from "../leases/binding.ts";
import { answerTo, excessOf, type FreeCounts, isShort, rangesOf } from "./lending.ts";
import type { Message } from "./messages.ts";
import { type AddressRange, give, ownerOf, peerOf } from "./ownership.ts";
import { isFrozen } from "./plan.ts";
import { isEnded } from "./row.ts";
import type { Turn } from "./turn.ts";

/** Gives half of what this node has beyond its share, of each pool. */
export function giveExcess(turn: Turn): void {
  const { role, share } = turn.core.settings;
  for (const pool of turn.core.plan.pools) {
    const { own, peer } = lendable(turn, pool);
    const count = excessOf({ own: own.length, peer }, role === "secondary" ? share : 1 - share);
    if (count > 0) lend(turn, own, count);
  }
}

export function wantAddresses(turn: Turn): void {
  for (const pool of turn.core.plan.pools) {
    const counts = countsOf(turn, pool);
    if (!isShort(counts, 0, turn.core.refused)) continue;
    turn.sendAfterCommit.push({ type: "want", pool, count: Math.ceil((counts.peer - counts.own) / 2) });
  }
  turn.change({ refused: false });
}

export function giveWanted(turn: Turn, { pool, count }: Extract<Message, { type: "want" }>): void {
  if (turn.core.state !== "normal") return;
  const { own, peer } = lendable(turn, pool);
  lend(turn, own, answerTo({ own: own.length, peer }, count));
}

const countsOf = (turn: Turn, pool: AddressRange): FreeCounts => {
  const { own, peer } = lendable(turn, pool);
  return { own: own.length, peer };
};

/** Addresses of a pool that both nodes know free: this node's own, and how many are the peer's. */
function lendable(turn: Turn, pool: AddressRange): { own: Address[]; peer: number } {
  const { settings, durable, plan, ackedSeq } = turn.core;
  const isHolder = durable.ownership.holder === settings.role;
  const own: Address[] = [];
  let peer = 0;
  for (const address of turn.ledger.freeIn(pool)) {
    if (plan.reserved.has(address) || isFrozen(durable.plan, plan, address, isHolder)) continue;
    const { owner, usableFrom } = ownerOf(durable.ownership, address);
    if (owner !== settings.role) {
      peer++;
      continue;
    }
    const row = turn.ledger.find(address);
    const isFree = !row || (isEnded(row) && row.seq <= ackedSeq);
    if (isFree && turn.now >= usableFrom) own.push(address);
  }
  return { own, peer };
}

/** The last ones are given, as few ranges as can be. */
function lend(turn: Turn, own: readonly Address[], count: number): void {
  if (count <= 0) return;
  const owner = peerOf(turn.core.settings.role);
  for (const { first, last } of rangesOf(own.slice(-count))) {
    const seq = turn.nextSeq();
    turn.keep({ ownership: give(turn.durable.ownership, { first, last, owner, usableFrom: 0, seq }) });
  }
}
