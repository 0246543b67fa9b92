import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { EVENT_TYPES, type EventType } from "@frontdesk/lease-control-api/event-types";
import { ipv6Bytes, sameBytes } from "@frontdesk/lease-options/address";
import { FOREVER, STATE } from "../leases/binding.ts";
import type { NameRow, NameShown } from "../leases/dns-name.ts";
import type { DeviceNote, LeaseEvent, LeaseRecord } from "../leases/lease-record.ts";
import { ADDRESS_BITS, type Lease6Record } from "../leases/lease6-record.ts";
import { TELLS_HOLDER, tellsHolder } from "./event-holder.ts";
import { address6Key, findInSlot, KIND, type Kind, macHash, slotOf } from "./event-index.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { ADDRESS, addSearchFunctions, contains, contains6 } from "./lease-search.ts";
import { addressIn, LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";
import { dueNames, leavingAddresses } from "./name-rows.ts";
import { openForReading } from "./schema.ts";

export interface EventQuery {
  readonly ip?: number | bigint;
  readonly mac?: Uint8Array;
  readonly type?: EventType;
  /** Milliseconds, both ends included. */
  readonly from?: number;
  readonly to?: number;
  /** Newest first, only events before this one; or oldest first, only events after this one. */
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
}

export interface StoredEvent extends LeaseEvent {
  /** Gapless. */
  readonly id: number;
}

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

export type NotedLease6 = Lease6Record & Omit<DeviceNote, "mac"> & { readonly ddns: NameShown | null };
type NotedRow6 = [note: string | null, dnsName: string | null, ddns: string | null, ...Lease6Row];
const NOTE6 = "(SELECT note FROM device WHERE device.mac = lease6.mac AND length(lease6.mac) > 0)";
const DNS_NAME6 = "(SELECT dns_name FROM device WHERE device.mac = lease6.mac AND length(lease6.mac) > 0)";

/** A lease, with what people say of its device. */
export type NotedLease = LeaseRecord & Omit<DeviceNote, "mac"> & { readonly ddns: NameShown | null };
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

/** Who held an address, and since when as far as the history goes back. */
export interface Holder {
  readonly ip: number | bigint;
  readonly duid: Uint8Array | null;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
  readonly hostname: string | null;
  /** The event that tells of it; undefined when only the lease itself does. */
  readonly event: StoredEvent | undefined;
}

const EVENT_COLUMNS =
  "id, at, type, ip, mac, client_id AS clientId, hostname, giaddr, circuit_id AS circuitId, remote_id AS remoteId, until, reason, renewals, config, ip6, length, duid, iaid, link";

/** A question that few events answer is cut here; its cursor goes on where it stopped. */
const MAX_LOOKED_AT = 200_000;

/** Reads what the packet worker writes, on a connection of its own: a long question holds up no packet. */
export class History {
  readonly path: string;
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.path = path;
    this.#database = openForReading(path);
    addSearchFunctions(this.#database);
  }

  close(): void {
    this.#database.close();
  }

  /** The number of the newest event. */
  lastEvent(): number {
    const row = this.#database.prepare("SELECT coalesce(max(id), 0) AS id FROM event").get() as {
      id: number;
    };
    return row.id;
  }

  /** Newest first; with `after`, oldest first. The cursor goes on where the page ends. */
  events(query: EventQuery): { items: StoredEvent[]; nextCursor: number | undefined } {
    const items: StoredEvent[] = [];
    let looked = 0;
    for (const event of this.#candidates(query)) {
      if (looked++ === MAX_LOOKED_AT) {
        return { items, nextCursor: query.after === undefined ? event.id + 1 : event.id - 1 };
      }
      if (!matches(event, query)) continue;
      if (items.length === query.limit) return { items, nextCursor: items.at(-1)?.id };
      items.push(event);
    }
    return { items, nextCursor: undefined };
  }

  /**
   * Who had an address at a moment (milliseconds). Renewals that said nothing new are not events, so
   * the last grant may have been longer than it says: the event that ended it tells, or the lease.
   */
  holder(ip: number | bigint, at: number): Holder | undefined {
    const before = this.#first({ ip, to: at });
    const started = before && (before.type === "grant" || before.type === "renew") ? before : undefined;
    if (before && !started) return undefined;
    if (started && (started.until === FOREVER || started.until * 1000 >= at)) return holderOf(started);
    const next = started && this.#first({ ip, from: at + 1, after: started.id });
    if (next) return wasHeldUntil(next, started, at) ? holderOf(started) : undefined;
    const lease = typeof ip === "number" ? this.lease(ip) : this.lease6(ip);
    const now = at + this.clockOffset();
    const current =
      lease?.state === STATE.bound &&
      lease.starts * 1000 <= now &&
      (lease.until === FOREVER || lease.until * 1000 >= now);
    if (!current || (started && !isSameClient(started, lease))) return undefined;
    const { mac, hostname } = lease;
    const { clientId, duid } = { clientId: null, duid: null, ...lease };
    return { ip, mac, clientId, duid, hostname, event: started };
  }

  leases6(query: LeaseQuery6): { items: NotedLease6[]; nextCursor: bigint | undefined; total: number } {
    const conditions = ["1"];
    const values: SQLInputValue[] = [];
    if (query.isPrefix) conditions.push(`length < ${ADDRESS_BITS}`);
    if (query.ranges) {
      const within = query.ranges.map(() => "address BETWEEN ? AND ?");
      conditions.push(within.length === 0 ? "0" : `(${within.join(" OR ")})`);
      for (const { first, last } of query.ranges) values.push(ipv6Bytes(first), ipv6Bytes(last));
    }
    if (query.states) conditions.push(`state IN (${query.states.map(Number).join(",")})`);
    if (query.class !== undefined) {
      conditions.push("instr(',' || classes || ',', ',' || ? || ',') > 0");
      values.push(query.class);
    }
    if (query.text) {
      const { sql, values: wanted } = contains6(query.text);
      conditions.push(sql);
      values.push(...wanted);
    }
    const where = conditions.join(" AND ");
    const page = this.#database.prepare(
      `SELECT ${NOTE6}, ${DNS_NAME6}, ${ddnsOf("ipv6_text(lease6.address)")}, ${LEASE6_COLUMNS.join(", ")} FROM lease6 WHERE ${where} AND address > ? ORDER BY address LIMIT ?`,
    );
    page.setReturnArrays(true);
    const cursor = query.cursor === undefined ? new Uint8Array(0) : ipv6Bytes(query.cursor);
    const rows = page.all(...values, cursor, query.limit + 1) as unknown as NotedRow6[];
    const items = rows
      .slice(0, query.limit)
      .map(([note, dnsName, ddns, ...row]) => ({ ...lease6Of(row), note, dnsName, ddns: shownName(ddns) }));
    const count = this.#database.prepare(`SELECT count(*) AS total FROM lease6 WHERE ${where}`);
    return {
      items,
      nextCursor: rows.length > query.limit ? items.at(-1)?.address : undefined,
      total: (count.get(...values) as { total: number }).total,
    };
  }

  lease6(address: bigint): NotedLease6 | undefined {
    return this.leases6({ ranges: [{ first: address, last: address }], limit: 1 }).items[0];
  }

  leases(query: LeaseQuery): { items: NotedLease[]; nextCursor: number | undefined; total: number } {
    const conditions: string[] = [];
    const values: SQLInputValue[] = [];
    if (query.range) {
      conditions.push("ip BETWEEN ? AND ?");
      values.push(query.range.first, query.range.last);
    }
    if (query.states) conditions.push(`state IN (${query.states.map(Number).join(",")})`);
    if (query.class !== undefined) {
      conditions.push("instr(',' || classes || ',', ',' || ? || ',') > 0");
      values.push(query.class);
    }
    if (query.text) {
      const { sql, values: wanted } = contains(query.text);
      conditions.push(sql);
      values.push(...wanted);
    }
    const page = this.#database.prepare(
      `SELECT ${NOTE}, ${DNS_NAME}, ${ddnsOf(ADDRESS)}, ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ${[...conditions, "ip > ?"].join(" AND ")} ORDER BY ip LIMIT ?`,
    );
    page.setReturnArrays(true);
    const rows = page.all(...values, query.cursor ?? -1, query.limit + 1) as unknown as NotedRow[];
    const items = rows.slice(0, query.limit).map(([note, dnsName, ddns, ...row]) => ({
      ...leaseOf(row),
      note,
      dnsName,
      ddns: shownName(ddns),
    }));
    const isAll = query.cursor === undefined && rows.length <= query.limit;
    return {
      items,
      nextCursor: rows.length > query.limit ? items.at(-1)?.ip : undefined,
      total: isAll ? rows.length : this.#countLeases(conditions, values),
    };
  }

  /** Without a condition SQLite counts by pages. */
  #countLeases(conditions: readonly string[], values: readonly SQLInputValue[]): number {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
    const count = this.#database.prepare(`SELECT count(*) AS total FROM lease ${where}`);
    return (count.get(...values) as { total: number }).total;
  }

  /** The addresses that devices hold, by their hardware addresses. */
  addressesOf(macs: readonly Uint8Array[]): number[] {
    const wanted = JSON.stringify(macs.map((mac) => Buffer.from(mac).toString("hex")));
    const found = this.#database
      .prepare(
        `SELECT ip FROM lease WHERE state = ${STATE.bound} AND mac IN (SELECT unhex(value) FROM json_each(?))`,
      )
      .all(wanted) as Array<{ ip: number }>;
    return found.map(({ ip }) => ip);
  }

  lease(ip: number): NotedLease | undefined {
    return this.leases({ range: { first: ip, last: ip }, limit: 1 }).items[0];
  }

  /** Names that wait for a server. */
  dueNames(query: Parameters<typeof dueNames>[1]): NameRow[] {
    return dueNames(this.#database, query);
  }

  /** Addresses that have this name in DNS and are to lose it. */
  leavingAddresses(name: string): string[] {
    return leavingAddresses(this.#database, name);
  }

  /** How many names there are in each state. */
  nameStates(): Record<string, number> {
    const rows = this.#database
      .prepare("SELECT state, count(*) AS count FROM dns_name WHERE side = 'forward' GROUP BY state")
      .all();
    return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  }

  /** Engine time minus wall time, milliseconds. */
  clockOffset(): number {
    return (this.#database.prepare("SELECT offset FROM clock").get() as { offset: number }).offset;
  }

  /** The first event, in the query's order, that tells who has its address. */
  #first(query: Omit<EventQuery, "limit">): StoredEvent | undefined {
    for (const event of this.#candidates(query, true)) {
      if (tellsHolder(event.type) && matches(event, query)) return event;
    }
    return undefined;
  }

  /** Events that may match, in the query's order: those of the chunks by their index, those after them one by one. */
  *#candidates(query: Omit<EventQuery, "limit">, holders = false): Generator<StoredEvent> {
    const forward = query.after !== undefined;
    // One view of the tail and of the chunks, however much is written meanwhile.
    this.#database.exec("BEGIN");
    try {
      const first = (query.after ?? 0) + 1;
      const last = (query.before ?? Number.MAX_SAFE_INTEGER) - 1;
      const chunks = this.#chunks(query, first, last, forward);
      const { end } = this.#database
        .prepare("SELECT coalesce(max(last), 0) AS end FROM event_chunk")
        .get() as {
        end: number;
      };
      if (!forward) yield* this.#range(query, Math.max(first, end + 1), last, forward, holders);
      for (const chunk of chunks) yield* this.#inChunk(query, chunk, first, last, forward, holders);
      if (forward) yield* this.#range(query, Math.max(first, end + 1), last, forward, holders);
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  #chunks(query: Omit<EventQuery, "limit">, first: number, last: number, forward: boolean): Chunk[] {
    const order = forward ? "ASC" : "DESC";
    return this.#database
      .prepare(
        `SELECT first, last FROM event_chunk WHERE last >= ? AND first <= ? AND to_at >= ? AND from_at <= ? ORDER BY first ${order}`,
      )
      .all(first, last, query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER) as unknown as Chunk[];
  }

  *#inChunk(
    query: Omit<EventQuery, "limit">,
    chunk: Chunk,
    first: number,
    last: number,
    forward: boolean,
    holders: boolean,
  ): Generator<StoredEvent> {
    const key = keyOf(query);
    if (!key) {
      yield* this.#range(query, Math.max(first, chunk.first), Math.min(last, chunk.last), forward, holders);
      return;
    }
    const row = this.#database
      .prepare("SELECT entries FROM event_index WHERE chunk = ? AND kind = ? AND slot = ?")
      .get(chunk.first, key.kind, slotOf(key.value)) as { entries: Uint8Array } | undefined;
    if (!row) return;
    const byId = this.#database.prepare(`SELECT ${EVENT_COLUMNS} FROM event WHERE id = ?`);
    const places = findInSlot(row.entries, key.value, holders);
    for (const place of forward ? places : places.reverse()) {
      const id = chunk.first + place;
      const found = id >= first && id <= last ? byId.get(id) : undefined;
      if (found) yield eventOf(found);
    }
  }

  *#range(
    query: Omit<EventQuery, "limit">,
    first: number,
    last: number,
    forward: boolean,
    holders: boolean,
  ): Generator<StoredEvent> {
    const conditions = ["id BETWEEN ? AND ?", "at BETWEEN ? AND ?"];
    const values: SQLInputValue[] = [first, last, query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER];
    if (typeof query.ip === "number") {
      conditions.push("ip = ? AND ip6 IS NULL");
      values.push(query.ip);
    } else if (query.ip !== undefined) {
      conditions.push("ip6 = ?");
      values.push(ipv6Bytes(query.ip));
    }
    if (query.mac) {
      conditions.push("mac = ?");
      values.push(query.mac);
    }
    if (holders) conditions.push(TELLS_HOLDER);
    const rows = this.#database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE ${conditions.join(" AND ")} ORDER BY id ${forward ? "ASC" : "DESC"}`,
    );
    for (const row of rows.iterate(...values)) yield eventOf(row);
  }
}

interface Chunk {
  readonly first: number;
  readonly last: number;
}

function keyOf(query: Omit<EventQuery, "limit">): { kind: Kind; value: number } | undefined {
  if (typeof query.ip === "bigint") return { kind: KIND.ip, value: address6Key(ipv6Bytes(query.ip)) };
  if (query.ip !== undefined) return { kind: KIND.ip, value: query.ip };
  if (query.mac !== undefined) return { kind: KIND.mac, value: macHash(query.mac) };
  return undefined;
}

type Client = Pick<LeaseRecord, "mac" | "clientId"> | Pick<Lease6Record, "duid" | "iaid"> | StoredEvent;

/** Either names a client, by the setting at that time; the other may change while the client keeps its lease. */
function isSameClient(one: Client, other: Client): boolean {
  const [a, b] = [knownBy(one), knownBy(other)];
  if ("duid" in a || "duid" in b) {
    return "duid" in a && "duid" in b && sameBytes(a.duid, b.duid) && a.iaid === b.iaid;
  }
  const isSameId = a.clientId !== null && b.clientId !== null && sameBytes(a.clientId, b.clientId);
  return sameBytes(a.mac, b.mac) || isSameId;
}

const knownBy = (client: Client) =>
  "v6" in client && client.v6 ? client.v6 : (client as Exclude<Client, StoredEvent>);

/** Whether the lease that `started` began was in force until `next` happened to it. */
function wasHeldUntil(next: StoredEvent, started: StoredEvent, at: number): boolean {
  if (!isSameClient(next, started)) return false;
  // An expiry is told some time after the end.
  if (next.type === "expire") return next.until * 1000 >= at;
  return next.type === "renew" || next.type === "release" || next.type === "decline";
}

const holderOf = (event: StoredEvent): Holder => {
  const { ip, v6, mac, clientId, hostname } = event;
  return { ip: v6?.address ?? ip, duid: v6?.duid ?? null, mac, clientId, hostname, event };
};

function matches(event: StoredEvent, query: Omit<EventQuery, "limit">): boolean {
  if (query.ip !== undefined && (event.v6?.address ?? event.ip) !== query.ip) return false;
  if (query.mac !== undefined && !sameBytes(event.mac, query.mac)) return false;
  if (query.type !== undefined && event.type !== query.type) return false;
  return event.at >= (query.from ?? 0) && event.at <= (query.to ?? Number.MAX_SAFE_INTEGER);
}

/** What an event of DHCPv6 has beside the rest; all null in one of DHCPv4. */
interface EventRow6 {
  readonly ip6: Uint8Array | null;
  readonly length: number;
  readonly duid: Uint8Array | null;
  readonly iaid: number;
  readonly link: Uint8Array | null;
}

function eventOf(row: Record<string, unknown>): StoredEvent {
  const { ip6, length, duid, iaid, link, ...rest } = row as unknown as StoredEvent & EventRow6;
  const event = { ...rest, type: EVENT_TYPES[row.type as number] as EventType };
  if (duid === null) return event;
  return { ...event, v6: { address: addressIn(ip6), length, duid, iaid, link: addressIn(link) } };
}
