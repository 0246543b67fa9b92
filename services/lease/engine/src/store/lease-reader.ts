import { STATE } from "../leases/binding.ts";
import type { LeaseBrief, StoredLease } from "../leases/lease-record.ts";
import {
  BRIEF_COLUMNS,
  type BriefRow,
  briefOf,
  LEASE_COLUMNS,
  type LeaseRow,
  leaseOf,
} from "./lease-rows.ts";
import { openForReading } from "./schema.ts";

/** Leases as they are at one moment, on a connection of its own: whoever writes meanwhile is not held up. */
export interface LeaseReader {
  all(): Iterable<LeaseBrief>;
  find(ip: number): StoredLease | undefined;
  /** Leases whose client was heard of since then, in seconds of the engine's clock; the latest first. */
  seenSince(seconds: number): Iterable<StoredLease>;
  close(): void;
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
    close: () => database.close(),
  };
}
