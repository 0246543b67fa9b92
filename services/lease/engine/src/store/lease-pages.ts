import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { formatHex, ipv6Bytes, readIpv6 } from "@frontdesk/lease-options/address";
import { STATE } from "../leases/binding.ts";
import type { NameShown } from "../leases/dns-name.ts";
import type { DeviceNote, LeaseRecord } from "../leases/lease-record.ts";
import { ADDRESS_BITS, type Lease6Record } from "../leases/lease6-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { ADDRESS, addSearchFunctions, contains, contains6 } from "./lease-search.ts";
import { LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { RowCounts } from "./row-counts.ts";

export interface LeaseQuery {
  readonly states?: readonly number[];
  readonly range?: { readonly first: number; readonly last: number };
  readonly text?: string;
  readonly class?: string;
  readonly cursor?: number;
  readonly limit: number;
}

/** The same of DHCPv6. Prefixes that a subnet delegates need not lie in it: it may have several ranges. */
export interface LeaseQuery6 extends Omit<LeaseQuery, "range" | "cursor"> {
  readonly ranges?: ReadonlyArray<{ readonly first: bigint; readonly last: bigint }>;
  readonly cursor?: bigint;
  /** Prefixes alone. */
  readonly isPrefix?: boolean;
}

export type NotedLease6 = Lease6Record &
  Pick<DeviceNote, "note" | "dnsName"> & { readonly ddns: NameShown | null };
type NotedRow6 = [note: string | null, dnsName: string | null, ddns: string | null, ...Lease6Row];
const NOTE6 = "(SELECT note FROM device WHERE device.mac = lease6.mac AND length(lease6.mac) > 0)";
const DNS_NAME6 = "(SELECT dns_name FROM device WHERE device.mac = lease6.mac AND length(lease6.mac) > 0)";

/** A lease, with what people say of its device. */
export type NotedLease = LeaseRecord &
  Pick<DeviceNote, "note" | "dnsName"> & { readonly ddns: NameShown | null };
type NotedRow = [note: string | null, dnsName: string | null, ddns: string | null, ...LeaseRow];
const NOTE = "(SELECT note FROM device WHERE device.mac = lease.mac)";
const DNS_NAME = "(SELECT dns_name FROM device WHERE device.mac = lease.mac)";
/**
 * A name is as its forward record is; once that is kept, the way back may still be on its way or refused. What waits
 * for a server that does not answer is not tried itself: it tells what the first in the queue met.
 */
const ddnsOf = (
  address: string,
) => `(SELECT json_object('name', coalesce(f.kept, f.wanted, r.kept), 'said', f.said,
  'state', CASE WHEN f.wanted IS NULL THEN 'leaving' WHEN f.state = 'kept' AND r.state IN ('pending', 'refused') THEN r.state ELSE f.state END,
  'error', coalesce(f.error, CASE f.state WHEN 'pending' THEN (SELECT error FROM dns_name WHERE state = 'pending' AND server = f.server ORDER BY tries, seq LIMIT 1) END,
    CASE r.state WHEN 'no_zone' THEN r.error ELSE 'PTR: ' || r.error END))
  FROM dns_name AS f LEFT JOIN dns_name AS r ON r.address = f.address AND r.side = 'reverse'
  WHERE f.address = ${address} AND f.side = 'forward')`;
const shownName = (json: string | null) => (json === null ? null : (JSON.parse(json) as NameShown));

/** Finds leases, a page at a time. */
export class LeasePages {
  readonly #database: DatabaseSync;
  readonly #statements: PreparedStatements;
  readonly #counts: RowCounts;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = new PreparedStatements(database);
    this.#counts = new RowCounts(database);
    addSearchFunctions(database);
  }

  page6(query: LeaseQuery6): { items: NotedLease6[]; nextCursor: bigint | undefined; total: number } {
    const { conditions, values } = wantedBy(query, contains6);
    if (query.isPrefix) conditions.push(`length < ${ADDRESS_BITS}`);
    if (query.ranges) {
      const wide = query.ranges.filter(({ first, last }) => first !== last);
      for (const { first, last } of wide) values.push(ipv6Bytes(first), ipv6Bytes(last));
      const within = wide.map(() => "address BETWEEN ? AND ?");
      // There may be thousands of single ones.
      const single = query.ranges.filter(({ first, last }) => first === last);
      if (single.length > 0) {
        within.push("address IN (SELECT unhex(value) FROM json_each(?))");
        values.push(JSON.stringify(single.map(({ first }) => formatHex(ipv6Bytes(first), ""))));
      }
      conditions.push(anyOf(within));
    }
    const where = ["1", ...conditions].join(" AND ");
    const page = this.#statements.of(
      `SELECT ${NOTE6}, ${DNS_NAME6}, ${ddnsOf("ipv6_text(lease6.address)")}, ${LEASE6_COLUMNS.join(", ")} FROM lease6 WHERE ${where} AND address > ? ORDER BY address LIMIT ?`,
    );
    const cursor = query.cursor === undefined ? new Uint8Array(0) : ipv6Bytes(query.cursor);
    const rows = page.all(...values, cursor, query.limit + 1) as unknown as NotedRow6[];
    const items = rows
      .slice(0, query.limit)
      .map(([note, dnsName, ddns, ...row]) => ({ ...lease6Of(row), note, dnsName, ddns: shownName(ddns) }));
    return {
      items,
      nextCursor: rows.length > query.limit ? items.at(-1)?.address : undefined,
      total: this.#counts.of(`lease6 WHERE ${where}`, values),
    };
  }

  find6(address: bigint): NotedLease6 | undefined {
    return this.page6({ ranges: [{ first: address, last: address }], limit: 1 }).items[0];
  }

  page(query: LeaseQuery): { items: NotedLease[]; nextCursor: number | undefined; total: number } {
    const { conditions, values } = wantedBy(query, contains);
    if (query.range) {
      conditions.push("ip BETWEEN ? AND ?");
      values.push(query.range.first, query.range.last);
    }
    const page = this.#statements.of(
      `SELECT ${NOTE}, ${DNS_NAME}, ${ddnsOf(ADDRESS)}, ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ${[...conditions, "ip > ?"].join(" AND ")} ORDER BY ip LIMIT ?`,
    );
    const rows = page.all(...values, query.cursor ?? -1, query.limit + 1) as unknown as NotedRow[];
    const items = rows.slice(0, query.limit).map(([note, dnsName, ddns, ...row]) => ({
      ...leaseOf(row),
      note,
      dnsName,
      ddns: shownName(ddns),
    }));
    // Without a condition SQLite counts by pages.
    const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
    const isAll = query.cursor === undefined && rows.length <= query.limit;
    return {
      items,
      nextCursor: rows.length > query.limit ? items.at(-1)?.ip : undefined,
      total: isAll ? rows.length : this.#counts.of(`lease ${where}`, values),
    };
  }

  /** The addresses that devices hold who are known by one of these keys (`identifiers.ts`). */
  addressesOf(keys: readonly string[]): number[] {
    return this.#heldBy("ip FROM lease", KNOWN_BY, keys).map(({ ip }) => Number(ip));
  }

  /** The same of DHCPv6. */
  addressesOf6(keys: readonly string[]): bigint[] {
    return this.#heldBy("address FROM lease6", KNOWN_BY6, keys).map(({ address }) =>
      readIpv6(address as Uint8Array, 0),
    );
  }

  #heldBy(
    from: string,
    knownBy: readonly KnownBy[],
    keys: readonly string[],
  ): Array<Record<string, unknown>> {
    const hex = (kind: string) =>
      keys.flatMap((key) => (key.startsWith(`${kind} `) ? [key.slice(kind.length + 1)] : []));
    const asked = knownBy.map(([kind, column]) => ({ column, values: JSON.stringify(hex(kind)) }));
    const fits = asked.map(({ column }) => `${column} IN (SELECT unhex(value) FROM json_each(?))`);
    return this.#database
      .prepare(`SELECT ${from} WHERE state = ${STATE.bound} AND (${fits.join(" OR ")})`)
      .all(...asked.map(({ values }) => values));
  }

  find(ip: number): NotedLease | undefined {
    return this.page({ range: { first: ip, last: ip }, limit: 1 }).items[0];
  }
}

/** A kind of key, and where a lease has what it names. */
type KnownBy = readonly [kind: string, column: string];

const KNOWN_BY: readonly KnownBy[] = [
  ["mac", "mac"],
  ["client_id", "client_id"],
  // RFC 4361 section 6.1: a client identifier of this type is an IAID of four octets and a DUID.
  ["duid", "iif(substr(client_id, 1, 1) = x'ff', substr(client_id, 6), null)"],
  ["circuit_id", "circuit_id"],
  ["remote_id", "remote_id"],
];
const KNOWN_BY6: readonly KnownBy[] = [
  ["duid", "duid"],
  ["mac", "mac"],
  ["interface_id", "interface_id"],
  ["remote_id", "remote_id"],
  // RFC 4649 section 3: without the enterprise number that stands before it.
  ["remote_id", "substr(remote_id, 5)"],
];

/** By halves: SQLite takes a thousand levels of a condition. */
function anyOf(conditions: readonly string[]): string {
  if (conditions.length <= 1) return conditions[0] ?? "0";
  const half = conditions.length >> 1;
  return `(${anyOf(conditions.slice(0, half))} OR ${anyOf(conditions.slice(half))})`;
}

/** What both families are filtered by. */
function wantedBy(query: Pick<LeaseQuery, "states" | "class" | "text">, search: typeof contains) {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  if (query.states) conditions.push(`state IN (${query.states.map(Number).join(",")})`);
  if (query.class !== undefined) {
    conditions.push("instr(',' || classes || ',', ',' || ? || ',') > 0");
    values.push(query.class);
  }
  if (query.text) {
    const { sql, values: wanted } = search(query.text);
    conditions.push(sql);
    values.push(...wanted);
  }
  return { conditions, values };
}
