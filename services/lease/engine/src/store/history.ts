import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { formatHex, formatIpv4, sameBytes } from "@frontdesk/lease-options/address";
import { FOREVER, STATE } from "../leases/binding.ts";
import { EVENT_TYPES, type EventType, type LeaseEvent, type LeaseRecord } from "../leases/lease-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { openForReading } from "./schema.ts";

export interface EventQuery {
  readonly ip?: number;
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

/** Who held an address, and since when as far as the history goes back. */
export interface Holder {
  readonly ip: number;
  readonly mac: Uint8Array;
  readonly clientId: Uint8Array | null;
  readonly hostname: string | null;
  /** The event that tells of it; undefined when only the lease itself does. */
  readonly event: StoredEvent | undefined;
}

const EVENT_COLUMNS =
  "id, at, type, ip, mac, client_id AS clientId, hostname, giaddr, circuit_id AS circuitId, remote_id AS remoteId, until, reason, renewals, config";

/** A question that few events answer is cut here; its cursor goes on where it stopped. */
const MAX_LOOKED_AT = 200_000;

/** Reads what the packet worker writes, on a connection of its own: a long question holds up no packet. */
export class History {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = openForReading(path);
    this.#database.function("ip_text", (value: unknown) => formatIpv4(Number(value)));
    this.#database.function("hex_text", (value: unknown) => (value ? formatHex(value as Uint8Array) : ""));
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
    const { sql, values } = candidates(query);
    let looked = 0;
    for (const row of this.#database.prepare(sql).iterate(...values)) {
      const event = eventOf(row);
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
  holder(ip: number, at: number): Holder | undefined {
    const before = this.#around(ip, "at <= ? AND type NOT IN (6, 7) ORDER BY id DESC", at);
    const started = before && (before.type === "grant" || before.type === "renew") ? before : undefined;
    if (before && !started) return undefined;
    if (started && (started.until === FOREVER || started.until * 1000 >= at)) return holderOf(started);
    const next = started && this.#around(ip, "at > ? AND type NOT IN (6, 7) ORDER BY id", at);
    if (next) return wasHeldUntil(next, started, at) ? holderOf(started) : undefined;
    const lease = this.lease(ip);
    const now = at + this.clockOffset();
    const current =
      lease?.state === STATE.bound &&
      lease.starts * 1000 <= now &&
      (lease.until === FOREVER || lease.until * 1000 >= now);
    if (!current || (started && !sameBytes(started.mac, lease.mac))) return undefined;
    const { mac, clientId, hostname } = lease;
    return { ip, mac, clientId, hostname, event: started };
  }

  leases(query: LeaseQuery): { items: LeaseRecord[]; nextCursor: number | undefined; total: number } {
    const conditions = ["ip BETWEEN ? AND ?"];
    const values: SQLInputValue[] = [query.range?.first ?? 0, query.range?.last ?? 0xffffffff];
    if (query.states) conditions.push(`state IN (${query.states.map(Number).join(",")})`);
    if (query.class !== undefined) {
      conditions.push("instr(',' || classes || ',', ',' || ? || ',') > 0");
      values.push(query.class);
    }
    if (query.text) {
      const fields = [
        "ip_text(ip)",
        "hex_text(mac)",
        "hex_text(client_id)",
        "hostname",
        "fqdn",
        "vendor",
        "classes",
      ];
      const shown = fields.map((field) => `coalesce(${field}, '')`).join(" || ' ' || ");
      conditions.push(`instr(lower(${shown}), lower(?)) > 0`);
      values.push(query.text);
    }
    const where = conditions.join(" AND ");
    const { total } = this.#database
      .prepare(`SELECT count(*) AS total FROM lease WHERE ${where}`)
      .get(...values) as { total: number };
    const page = this.#database.prepare(
      `SELECT ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ${where} AND ip > ? ORDER BY ip LIMIT ?`,
    );
    page.setReturnArrays(true);
    const rows = page.all(...values, query.cursor ?? -1, query.limit + 1) as unknown as LeaseRow[];
    const items = rows.slice(0, query.limit).map(leaseOf);
    return { items, nextCursor: rows.length > query.limit ? items.at(-1)?.ip : undefined, total };
  }

  lease(ip: number): LeaseRecord | undefined {
    return this.leases({ range: { first: ip, last: ip }, limit: 1 }).items[0];
  }

  /** Engine time minus wall time, milliseconds. */
  clockOffset(): number {
    return (this.#database.prepare("SELECT offset FROM clock").get() as { offset: number }).offset;
  }

  #around(ip: number, condition: string, at: number): StoredEvent | undefined {
    const row = this.#database
      .prepare(`SELECT ${EVENT_COLUMNS} FROM event INDEXED BY event_ip WHERE ip = ? AND ${condition} LIMIT 1`)
      .get(ip, at);
    return row && eventOf(row);
  }
}

/** Whether the lease that `started` began was in force until `next` happened to it. */
function wasHeldUntil(next: StoredEvent, started: StoredEvent, at: number): boolean {
  if (!sameBytes(next.mac, started.mac)) return false;
  // An expiry is told some time after the end.
  if (next.type === "expire") return next.until * 1000 >= at;
  return next.type === "renew" || next.type === "release" || next.type === "decline";
}

const holderOf = (event: StoredEvent): Holder => {
  const { ip, mac, clientId, hostname } = event;
  return { ip, mac, clientId, hostname, event };
};

/** Finds by address or by hardware address over their indexes; everything else is looked through. */
function candidates(query: EventQuery): { sql: string; values: SQLInputValue[] } {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const where = (condition: string, value: SQLInputValue) => {
    conditions.push(condition);
    values.push(value);
  };
  if (query.ip !== undefined) where("ip = ?", query.ip);
  else if (query.mac !== undefined) where("mac = ?", query.mac);
  if (query.before !== undefined) where("id < ?", query.before);
  if (query.after !== undefined) where("id > ?", query.after);
  const order = query.after === undefined ? "DESC" : "ASC";
  const filter = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  return { sql: `SELECT ${EVENT_COLUMNS} FROM event ${filter} ORDER BY id ${order}`, values };
}

function matches(event: StoredEvent, query: EventQuery): boolean {
  if (query.ip !== undefined && query.mac !== undefined && !sameBytes(event.mac, query.mac)) return false;
  if (query.type !== undefined && event.type !== query.type) return false;
  return event.at >= (query.from ?? 0) && event.at <= (query.to ?? Number.MAX_SAFE_INTEGER);
}

function eventOf(row: Record<string, unknown>): StoredEvent {
  return { ...(row as unknown as StoredEvent), type: EVENT_TYPES[row.type as number] as EventType };
}
