import type { DatabaseSync } from "node:sqlite";
import { STATE } from "../leases/binding.ts";
import { conflictFinder, type OutboxRow, SELECTED } from "./name-rows.ts";
import { openForReading } from "./schema.ts";

/** What is known of names in DNS and of who has an address, on a connection of its own. */
export class NameReader {
  readonly #database: DatabaseSync;
  readonly #settled;
  readonly #find;
  readonly #held;
  readonly #inConflict;
  readonly firstInConflict: (name: string) => OutboxRow[];

  constructor(path: string) {
    this.#database = openForReading(path);
    this.#settled = this.#database.prepare(
      `SELECT ${SELECTED} FROM dns_name WHERE (address, side) > (?, ?) AND side <> 'old'
         AND wanted IS NOT NULL AND state IN ('kept', 'conflict', 'refused')
       ORDER BY address, side LIMIT ?`,
    );
    this.#inConflict = this.#database.prepare(
      "SELECT DISTINCT wanted FROM dns_name WHERE state = 'conflict' AND wanted > ? ORDER BY wanted LIMIT ?",
    );
    this.firstInConflict = conflictFinder(this.#database);
    this.#find = this.#database.prepare(`SELECT ${SELECTED} FROM dns_name WHERE address = ? AND side = ?`);
    this.#held = this.#database.prepare(
      `SELECT 1 FROM lease WHERE ip = ? AND state = ${STATE.bound} UNION ALL
       SELECT 1 FROM dns_name WHERE address = ? LIMIT 1`,
    );
  }

  /** Names that are in DNS as far as is known, and those that wait for somebody to put it right; by address. */
  settled(after: { readonly address: string; readonly side: string }, limit: number): OutboxRow[] {
    return this.#settled.all(after.address, after.side, limit) as unknown as OutboxRow[];
  }

  /** Names that somebody waits for, in their order. */
  inConflict(after: string, limit: number): string[] {
    return this.#inConflict.all(after, limit).map(({ wanted }) => String(wanted));
  }

  find(address: string, side: OutboxRow["side"]): OutboxRow | undefined {
    return this.#find.get(address, side) as unknown as OutboxRow | undefined;
  }

  /** Whether a client has an address, or it has a name that is known: in DNS, on its way there or on its way out. */
  isInUse(ip: number, address: string): boolean {
    return this.#held.get(ip, address) !== undefined;
  }

  close(): void {
    this.#database.close();
  }
}
