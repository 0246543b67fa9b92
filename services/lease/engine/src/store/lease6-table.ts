import { randomBytes } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ipv6Bytes } from "@frontdesk/lease-options/address";
import type { Lease6Brief, Lease6Record, Lease6Write, StoredLease6 } from "../leases/lease6-record.ts";
import type { ServerIdentity } from "../loop/lease-store.ts";
import {
  BRIEF6_COLUMNS,
  type Brief6Row,
  brief6Of,
  LEASE6_COLUMNS,
  type Lease6Row,
  lease6Of,
  rowOf6,
} from "./lease6-rows.ts";
import { PART, PART_COLUMNS, type PartRow } from "./pair-part.ts";

/** Leases that are read together. */
const ROWS_AT_ONCE = 2000;
const SECRET_OCTETS = 32;
/** RFC 9915 section 11.5: a DUID of type 4 is a UUID (RFC 9562). */
const DUID_UUID = [0, 4];

/** The leases of DHCPv6 in the file of all leases; the transaction is the caller's. */
export class Lease6Table {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #renew: StatementSync;
  readonly #mark: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  readonly #page: StatementSync;
  readonly #putReceived: StatementSync;
  /** Read once: a database that somebody else writes to would have to be waited for. */
  #identity: ServerIdentity | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const columns = LEASE6_COLUMNS.join(", ");
    const marks = LEASE6_COLUMNS.map(() => "?").join(", ");
    this.#put = database.prepare(`INSERT OR REPLACE INTO lease6 (${columns}) VALUES (${marks})`);
    this.#renew = database.prepare(
      "UPDATE lease6 SET until = ?, preferred = ?, seen = ?, renewals = renewals + 1, seq = ? WHERE address = ?",
    );
    this.#mark = database.prepare(
      "UPDATE lease6 SET state = ?, until = ?, told = ?, seq = ? WHERE address = ?",
    );
    this.#remove = database.prepare("DELETE FROM lease6 WHERE address = ?");
    this.#find = database.prepare(`SELECT ${columns} FROM lease6 WHERE address = ?`);
    this.#find.setReturnArrays(true);
    this.#page = database.prepare(`SELECT ${columns} FROM lease6 WHERE address > ? ORDER BY address LIMIT ?`);
    this.#page.setReturnArrays(true);
    this.#putReceived = database.prepare(
      `INSERT OR REPLACE INTO lease6 (${columns}, ${PART}) VALUES (${marks}${", ?".repeat(PART_COLUMNS)})`,
    );
  }

  write(write: Lease6Write, seq: number): void {
    if (write.kind === "put") this.#put.run(...rowOf6(write.lease, seq));
    else if (write.kind === "renew") {
      this.#renew.run(write.until, write.preferred, write.seen, seq, ipv6Bytes(write.address));
    } else if (write.kind === "mark") {
      this.#mark.run(write.state, write.until, write.told, seq, ipv6Bytes(write.address));
    } else this.#remove.run(ipv6Bytes(write.address));
  }

  find(address: bigint): StoredLease6 | undefined {
    const found = this.#find.get(ipv6Bytes(address)) as unknown as Lease6Row | undefined;
    return found && lease6Of(found);
  }

  /** Leases above an address, in the order of addresses; from the first one on without an address. */
  after(address: bigint | undefined, limit: number): StoredLease6[] {
    const rows = this.#page.all(address === undefined ? new Uint8Array(0) : ipv6Bytes(address), limit);
    return (rows as unknown as Lease6Row[]).map(lease6Of);
  }

  /** A whole lease with what the pair keeps of it. */
  writeReceived(lease: Lease6Record, part: PartRow, seq: number): void {
    this.#putReceived.run(...rowOf6(lease, seq), ...part);
  }

  *all(): Generator<Lease6Brief> {
    const page = this.#database.prepare(
      `SELECT ${BRIEF6_COLUMNS} FROM lease6 WHERE address > ? ORDER BY address LIMIT ${ROWS_AT_ONCE}`,
    );
    page.setReturnArrays(true);
    for (let last: Uint8Array = new Uint8Array(0); ; ) {
      const rows = page.all(last) as unknown as Brief6Row[];
      for (const row of rows) yield brief6Of(row);
      if (rows.length < ROWS_AT_ONCE) return;
      last = (rows.at(-1) as Brief6Row)[0];
    }
  }

  /** The highest number of a change, and when a client was last heard of. */
  newest(): { seq: number; seen: number } {
    return this.#database
      .prepare("SELECT coalesce(max(seq), 0) AS seq, coalesce(max(seen), 0) AS seen FROM lease6")
      .get() as { seq: number; seen: number };
  }

  /** Made when it is first asked for, and the same ever after. */
  serverIdentity(): ServerIdentity {
    this.#identity ??= this.#readIdentity() ?? this.#newIdentity();
    return this.#identity;
  }

  #readIdentity(): ServerIdentity | undefined {
    return this.#database.prepare("SELECT duid, secret FROM server6").get() as ServerIdentity | undefined;
  }

  #newIdentity(): ServerIdentity {
    const uuid = randomBytes(16);
    uuid[6] = ((uuid[6] as number) & 0x0f) | 0x40;
    uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80;
    this.#database
      .prepare("INSERT OR IGNORE INTO server6 VALUES (1, ?, ?)")
      .run(Uint8Array.from([...DUID_UUID, ...uuid]), randomBytes(SECRET_OCTETS));
    return this.#readIdentity() as ServerIdentity;
  }
}
