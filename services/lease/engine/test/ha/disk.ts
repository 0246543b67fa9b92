import type { Durable } from "../../src/ha/core-state.ts";
import type { AddressRange } from "../../src/ha/ownership.ts";
import type { PendingLedger } from "../../src/ha/pair.ts";
import { isEnded, type Row } from "../../src/ha/row.ts";
import type { Writes } from "../../src/ha/turn.ts";
import { type Address, STATE } from "../../src/leases/binding.ts";

/** What survives a crash. */
export class Disk {
  durable: Durable;
  rows: ReadonlyMap<Address, Row>;

  constructor(durable: Durable, rows: ReadonlyMap<Address, Row> = new Map()) {
    this.durable = durable;
    this.rows = rows;
  }

  commit({ durable, rows, clears }: Writes): void {
    if (durable) this.durable = durable;
    if (rows.length === 0 && !clears) return;
    const after = clears ? new Map() : new Map(this.rows);
    for (const row of rows) after.set(row.address, row);
    this.rows = after;
  }

  copy(): Disk {
    return new Disk(this.durable, this.rows);
  }
}

/** The rows in memory of one node, simply kept. */
export class MemoryLedger {
  #rows: Map<Address, Row>;

  constructor(rows: ReadonlyMap<Address, Row>) {
    this.#rows = new Map(rows);
  }

  get rows(): ReadonlyMap<Address, Row> {
    return this.#rows;
  }

  open(): PendingLedger {
    // Copied when something is put.
    let rows = this.#rows;
    const own = () => {
      if (rows === this.#rows) rows = new Map(rows);
      return rows;
    };
    const sorted = (keep: (row: Row) => boolean, order: (row: Row) => Address) =>
      [...rows.values()].filter(keep).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    return {
      find: (address) => rows.get(address),
      put: (row) => void own().set(row.address, row),
      changedAfter: (seq, limit) =>
        sorted(
          (row) => row.seq > seq,
          (row) => row.seq,
        ).slice(0, limit),
      pageAfter: (address, limit) =>
        sorted(
          (row) => address === undefined || row.address > address,
          (row) => row.address,
        ).slice(0, limit),
      dueAt: (now, limit) =>
        sorted(
          (row) => !isEnded(row) && row.end <= now,
          (row) => row.end,
        ).slice(0, limit),
      freeIn: ({ first, last }: AddressRange) =>
        Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i).filter(
          (address) => {
            const row = rows.get(address);
            return !row || isEnded(row);
          },
        ),
      latestPromise: () => Math.max(0, ...[...rows.values()].map(({ promise }) => promise)),
      clear: () => {
        rows = new Map();
      },
      apply: () => {
        this.#rows = rows as Map<Address, Row>;
      },
    };
  }
}

/** What clients and the peer can see of a row. */
export const visible = ({ address, client, state, end, promise }: Row) =>
  `${address} ${client} ${Object.keys(STATE)[state]} ${end} ${promise}`;
