import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ipv6Bytes } from "@frontdesk/lease-options/address";
import { STATE } from "../leases/binding.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";

const COLUMNS = LEASE_COLUMNS.join(", ");
const COLUMNS6 = LEASE6_COLUMNS.join(", ");

/**
 * Leases and quarantines that a node held when it was told to begin anew with those of its peer. They are kept until it has all of these:
 * then it tells which have ended by that.
 */
export class ClearedLeases {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #find6: StatementSync;
  readonly #client: StatementSync;
  readonly #client6: StatementSync;
  #isEmpty: boolean;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const arrays = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#find = arrays(`SELECT ${COLUMNS} FROM cleared WHERE ip = ?`);
    this.#find6 = arrays(`SELECT ${COLUMNS6} FROM cleared6 WHERE address = ?`);
    this.#client = database.prepare("SELECT pair_client FROM cleared WHERE ip = ?");
    this.#client6 = database.prepare("SELECT pair_client FROM cleared6 WHERE address = ?");
    this.#isEmpty = this.#count() === 0;
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /**
   * Keeps what is held, within the transaction that removes it. Where this node had begun anew before, what it has
   * received of an address since is newer than what it held then.
   */
  keep(): void {
    const { bound, declined } = STATE;
    for (const [to, from, key, columns] of [
      ["cleared", "lease", "ip", COLUMNS],
      ["cleared6", "lease6", "address", COLUMNS6],
    ]) {
      this.#database.exec(
        `DELETE FROM ${to} WHERE ${key} IN (SELECT ${key} FROM ${from});
        INSERT INTO ${to} (${columns}, pair_client)
          SELECT ${columns}, pair_client FROM ${from} WHERE state IN (${bound}, ${declined})`,
      );
    }
    this.#isEmpty = this.#count() === 0;
  }

  find(ip: number): LeaseRecord | undefined {
    const row = this.#isEmpty ? undefined : (this.#find.get(ip) as unknown as LeaseRow | undefined);
    return row && leaseOf(row);
  }

  find6(address: bigint): Lease6Record | undefined {
    const row = this.#isEmpty
      ? undefined
      : (this.#find6.get(ipv6Bytes(address)) as unknown as Lease6Row | undefined);
    return row && lease6Of(row);
  }

  first(limit: number): LeaseRecord[] {
    const page = this.#database.prepare(`SELECT ${COLUMNS} FROM cleared ORDER BY ip LIMIT ?`);
    page.setReturnArrays(true);
    return (page.all(limit) as unknown as LeaseRow[]).map(leaseOf);
  }

  first6(limit: number): Lease6Record[] {
    const page = this.#database.prepare(`SELECT ${COLUMNS6} FROM cleared6 ORDER BY address LIMIT ?`);
    page.setReturnArrays(true);
    return (page.all(limit) as unknown as Lease6Row[]).map(lease6Of);
  }

  /** What the pair knows the client of a lease by; null: by its identity. */
  clientOf(address: number | bigint): string | null {
    const row =
      typeof address === "number" ? this.#client.get(address) : this.#client6.get(ipv6Bytes(address));
    return (row as { pair_client: string | null } | undefined)?.pair_client ?? null;
  }

  /** What became of these is told. */
  forget(addresses: ReadonlyArray<number | bigint>): void {
    const remove = this.#database.prepare("DELETE FROM cleared WHERE ip = ?");
    const remove6 = this.#database.prepare("DELETE FROM cleared6 WHERE address = ?");
    for (const address of addresses) {
      if (typeof address === "number") remove.run(address);
      else remove6.run(ipv6Bytes(address));
    }
    this.#isEmpty = this.#count() === 0;
  }

  /**
   * What the node goes on with where it gets no more from its peer: leases of addresses of which it has received nothing.
   * Answers the last number of a change.
   */
  takeBack(lastSeq: number): number {
    let last = lastSeq;
    for (const [from, to, key, all] of [
      ["cleared", "lease", "ip", LEASE_COLUMNS],
      ["cleared6", "lease6", "address", LEASE6_COLUMNS],
    ] as const) {
      const columns = all.filter((column) => column !== "seq").join(", ");
      const { changes } = this.#database
        .prepare(
          `INSERT INTO ${to} (${columns}, seq) SELECT ${columns}, ? + row_number() OVER () FROM ${from}
            WHERE ${key} NOT IN (SELECT ${key} FROM ${to})`,
        )
        .run(last);
      last += Number(changes);
      this.#database.exec(`DELETE FROM ${from}`);
    }
    return last;
  }

  /** After a transaction of others. */
  look(): void {
    this.#isEmpty = this.#count() === 0;
  }

  #count(): number {
    const { found } = this.#database
      .prepare("SELECT EXISTS (SELECT 1 FROM cleared) + EXISTS (SELECT 1 FROM cleared6) AS found")
      .get() as { found: number };
    return found;
  }
}
