import type { DatabaseSync } from "node:sqlite";
import { STATE } from "../leases/binding.ts";
import type { LeaseBrief, StoredLease } from "../leases/lease-record.ts";
import type { StoredLease6 } from "../leases/lease6-record.ts";
import type { LeaseStore6, ServerIdentity } from "../loop/lease-store.ts";
import {
  BRIEF_COLUMNS,
  type BriefRow,
  briefOf,
  LEASE_COLUMNS,
  type LeaseRow,
  leaseOf,
} from "./lease-rows.ts";
import { LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";
import { Lease6Table } from "./lease6-table.ts";
import { openForReading } from "./schema.ts";

/** Leases as they are at one moment, on a connection of its own: whoever writes meanwhile is not held up. */
export interface LeaseReader {
  all(): Iterable<LeaseBrief>;
  find(ip: number): StoredLease | undefined;
  /** Leases whose client was heard of since then, in seconds of the engine's clock; the latest first. */
  seenSince(seconds: number): Iterable<StoredLease>;
  /** The same of DHCPv6; undefined where it never ran. */
  readonly v6: LeaseReader6 | undefined;
  close(): void;
}

export interface LeaseReader6 extends LeaseStore6 {
  seenSince(seconds: number): Iterable<StoredLease6>;
}

export function openLeases(path: string): LeaseReader {
  const database = openForReading(path);
  database.exec("BEGIN");
  const columns = LEASE_COLUMNS.join(", ");
  const prepared = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const findOne = prepared(`SELECT ${columns} FROM lease WHERE ip = ?`);
  const brief = prepared(`SELECT ${BRIEF_COLUMNS} FROM lease`);
  const seen = prepared(
    `SELECT ${columns} FROM lease WHERE seen >= ? AND state != ${STATE.declined} ORDER BY seen DESC, ip`,
  );
  return {
    *all() {
      for (const row of brief.iterate() as Iterable<unknown>) yield briefOf(row as BriefRow);
    },
    find: (ip) => {
      const found = findOne.get(ip) as unknown as LeaseRow | undefined;
      return found && leaseOf(found);
    },
    *seenSince(seconds) {
      for (const row of seen.iterate(seconds) as Iterable<unknown>) yield leaseOf(row as LeaseRow);
    },
    v6: readerOf6(database),
    close: () => database.close(),
  };
}

function readerOf6(database: DatabaseSync): LeaseReader6 | undefined {
  const identity = database.prepare("SELECT duid, secret FROM server6").get();
  if (!identity) return undefined;
  const table = new Lease6Table(database);
  const seen = database.prepare(
    `SELECT ${LEASE6_COLUMNS.join(", ")} FROM lease6
     WHERE seen >= ? AND state != ${STATE.declined} ORDER BY seen DESC, address`,
  );
  seen.setReturnArrays(true);
  return {
    find6: (address) => table.find(address),
    all6: () => table.all(),
    serverIdentity: () => identity as unknown as ServerIdentity,
    *seenSince(seconds) {
      for (const row of seen.iterate(seconds) as Iterable<unknown>) yield lease6Of(row as Lease6Row);
    },
  };
}
