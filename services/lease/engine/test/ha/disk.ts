import type { Durable } from "../../src/ha/core-state.ts";
import type { AddressRange } from "../../src/ha/ownership.ts";
import type { PendingLedger } from "../../src/ha/pair.ts";
import { isEnded, isPromisedForEver, type Row } from "../../src/ha/row.ts";
import type { Writes } from "../../src/ha/turn.ts";
import { type Address, FOREVER, STATE, timeIn } from "../../src/leases/binding.ts";

/** What survives a crash. */
export class Disk {
  durable: Durable;
  rows: ReadonlyMap<Address, Row>;
  /** Engine time minus UTC; undefined before anything was written. */
  shift: number | undefined;

  constructor(durable: Durable, rows: ReadonlyMap<Address, Row> = new Map(), shift?: number) {
    this.durable = durable;
    this.rows = rows;
    this.shift = shift;
  }

  commit({ durable, rows, clears }: Writes, shift: number): void {
    this.shift = shift;
    if (durable) this.durable = durable;
    if (rows.length === 0 && !clears) return;
    const after = clears ? new Map() : new Map(this.rows);
    for (const row of rows) after.set(row.address, row);
    this.rows = after;
  }

  copy(): Disk {
    return new Disk(this.durable, this.rows, this.shift);
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

  /** With the addresses that are reserved. Ends are kept `shift` seconds later than rows tell them, as an engine does. */
  open(reserved: () => { has(address: Address): boolean } = () => new Set(), shift = 0): PendingLedger {
    // Copied when something is put.
    const before = shiftedRows(this.#rows, -shift);
    let rows = before;
    const own = () => {
      if (rows === before) rows = new Map(rows);
      return rows;
    };
    const sorted = (keep: (row: Row) => boolean, order: (row: Row) => Address) =>
      [...rows.values()].filter(keep).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    const free = ({ first, last }: AddressRange) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i).filter(
        (address) => {
          const row = rows.get(address);
          return !reserved().has(address) && (!row || isEnded(row));
        },
      );
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
      dueAt: (now, limit, mayEnd) =>
        sorted(
          (row) => !isEnded(row) && row.end <= now && mayEnd(row),
          (row) => row.end,
        ).slice(0, limit),
      countFree: (range) => free(range).length,
      stepOf: () => 1,
      isVast: () => false,
      gapsIn: () => [],
      freeFromEnd: (range) => free(range).reverse(),
      latestPromise: () =>
        Math.max(0, ...[...rows.values()].map(({ promise }) => promise).filter((each) => each !== FOREVER)),
      promisedForEver: () => [...rows.values()].filter(isPromisedForEver),
      clear: () => {
        rows = new Map();
      },
      takeBack: () => [],
      apply: () => {
        if (rows !== before) this.#rows = shiftedRows(rows, shift);
      },
    };
  }
}

/** Rows whose ends are that much later. */
export function shiftedRows(rows: Map<Address, Row>, by: number): Map<Address, Row>;
export function shiftedRows(rows: ReadonlyMap<Address, Row>, by: number): ReadonlyMap<Address, Row>;
export function shiftedRows(rows: ReadonlyMap<Address, Row>, by: number): ReadonlyMap<Address, Row> {
  if (by === 0) return rows;
  const known = shiftedBefore.get(rows);
  if (known?.by === by) return known.rows;
  const made = new Map([...rows].map(([address, row]) => [address, { ...row, end: timeIn(row.end, by) }]));
  shiftedBefore.set(rows, { by, rows: made });
  return made;
}

/** Rows are looked at much more often than they are changed; a map of them is never changed itself. */
const shiftedBefore = new WeakMap<
  ReadonlyMap<Address, Row>,
  { readonly by: number; readonly rows: ReadonlyMap<Address, Row> }
>();

/** What clients and the peer can see of a row, but for its end, which each node has in its own engine's time. */
export const visible = ({ address, client, state, promise }: Row) =>
  `${address} ${client} ${Object.keys(STATE)[state]} ${promise}`;
